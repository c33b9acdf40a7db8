"""The headings people write in decklists, in the languages decklists are written in.

Data, and no rule of any game: which words mean the deck, the sideboard, cards that are only considered, a kind of card,
or what cards are for. What a game calls its own parts and kinds stands in its format and its catalog.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from decks.lists.folding import shorthand


class Role(StrEnum):
    """Where the cards under a heading belong.

    main: the deck; part: a part of its own that not every game has, such as a sideboard; aside: no part of the deck;
    kind: cards of one kind, wherever those belong; theme: what the player has the cards for.
    """

    MAIN = "main"
    PART = "part"
    ASIDE = "aside"
    KIND = "kind"
    THEME = "theme"


@dataclass(frozen=True, slots=True)
class Word:
    """A heading we know: its role, what we call it, and every folded spelling of it."""

    role: Role
    title: str
    spellings: frozenset[str]


# fmt: off
_MAIN = {
    "Deck": """deck, main deck, maindeck, main, mainboard, main board, draw deck, decklist, deck list, the deck,
        library, player deck, 덱, 메인 덱, 메인, 메인보드, 본 덱, 덱 리스트, 덱리스트, 덱 구성, hauptdeck,
        haupt deck, stapel, spieldeck, deckliste, hauptbrett, deck principal, paquet, paquet principal,
        liste principale, jeu principal, pioche, mazo, mazo principal, baraja, baraja principal, principal,
        mazo de robo, mazo base, メイン, メインデッキ, デッキ, メインボード, デッキリスト, 山札, mazzo,
        mazzo principale, grimorio, baralho, baralho principal, 主牌, 主牌組, 主牌组, 套牌, 牌組, 牌组, 主套牌,
        talia, talia główna, hoofddeck, ziehstapel, huvudlek, hlavní balíček, колода, основная колода, мейн""",
}
_PARTS = {
    "Commander": """commander, commanders, general, 커맨더, kommandeur, commandant, comandante, 統率者, 指揮官,
        指挥官""",
    "Companion": """companion, 동료, gefährte, compagnon, compañero, 相棒""",
    "Extra Deck": """extra deck, extra, extradeck, 엑스트라 덱, 엑스트라, deck supplémentaire, mazo extra,
        deck extra, エクストラデッキ, エクストラ, 额外卡组, 額外牌組""",
    "Sideboard": """sideboard, side board, sb, side, side deck, sidedeck, side-deck, side cards, 사이드보드,
        사이드 보드, 사이드, 사이드 덱, 예비 덱, 보조 덱, 교체 카드, beilage, beiboard, seitendeck, seiten-deck,
        nebendeck, ersatzbank, reservebank, seitenbrett, réserve, reserve, deck de côté, deck annexe, banc, banquillo,
        reserva, mazo de reserva, mazo auxiliar, banca, sidebord, サイドボード, サイド, サイドデッキ, 控え,
        panchina, riserva, mazzo laterale, deck reserva, baralho reserva, deck auxiliar, 备牌, 備牌, 副卡组,
        副牌組, 副牌, 边牌, sidbräda, side-board, talia boczna, zijdeck, сайдборд, сайд, запас""",
}
_ASIDE = {
    "Considered": """considered, considering, consider, maybeboard, maybe board, maybe, maybes, maybeboards,
        candidates, wishlist, wish list, scratchpad, possible, possibles, possibilities, not in deck,
        not in the deck, not in the deck yet,
        not in deck yet, alternative, alternate, optional, no deck, outside the deck, outside,
        set aside, aside, removed, cut, cuts, taken out,
        out, ideas, testing, to test, on the bench, bench, acquireboard, acquire,
        shopping, shopping list, to buy, alternatives, alternates, substitutes,
        options, to consider, cards to consider, under consideration, thinking about, undecided,
        honorable mentions, honourable mentions, 메이비보드, 메이비, 후보, 후보 카드, 고려, 고려 중, 고려중,
        고민 중, 고민중, 검토 중, 검토중, 제외, 제외한 카드, 뺀 카드, 미정, 보류, 테스트, vielleicht,
        kandidaten, überlegungen, im auge, in erwägung, erwogen, zum testen, noch offen, raus, entfernt,
        beiseite, beiseitegelegt, ideen, wackelkandidaten, alternativen, optionen, peut-être, peut etre,
        en réflexion, à tester, à l'essai, envisagé, envisagées, envisagés, candidats, mis de côté,
        mises de côté, écartées, retirées, hors deck, idées, hésitations, quizás, quizá, tal vez, a lo mejor,
        posibles, en duda, dudas, candidatas, candidatos, consideradas, considerando, por probar, descartadas,
        apartadas, fuera, fuera del mazo, ideas sueltas, alternativas, opciones, 検討中, 検討, 候補, 候補カード,
        保留, 未定, 採用候補, メイビーボード, 不採用, 除外, 入れ替え候補, forse, da provare, da valutare, da decidere,
        scartate, talvez, em dúvida, fora do baralho, descartadas, 考虑中, 考慮中, 候选, 候選, 备选, 備選, 备选卡, 待定,
        不放入, może, do rozważenia, misschien, twijfelgevallen, возможно, кандидаты, под вопросом, on the fence,
        under test, kommt vielleicht rein, zu testen, a cambiar, para probar, posibles cambios, à voir, à remplacer,
        cartes envisagées, nicht im deck, verworfen, à retirer, por si acaso, 未采用, 뺄까 말까,
        빼는 카드, 넣을까 고민, 고민되는 카드""",
    "Tokens": """token, tokens, emblems, tokens & emblems, tokens and emblems, token cards, 토큰, spielsteine,
        jetons, fichas, トークン, segnalini, 衍生物""",
}
_KINDS = {
    "Parts": """dynasty, dynasty deck, conflict, conflict deck, fate, fate deck, plot deck, story deck, r&d,
        stack, r&d / stack, starter, starter deck, starting deck, codex, role, roles, province, provinces,
        festung, rolle, rollen, provinz, provinzen, dynastie, dynastiedeck, dynastie-deck, konflikt, konfliktdeck,
        konflikt-deck, deck dynastie, conflit, deck conflit, forteresse, rôle, fortaleza, rol, roles, provincia,
        provincias, dinastía, mazo de dinastía, conflicto, mazo de conflicto, roccaforte, ruolo, dinastia,
        conflitto, 거점, 역할, 지방, 왕조, 왕조 덱, 분쟁, 분쟁 덱,
        拠点, 役割, ロール, 領地, 地方, 王朝, 王朝デッキ, 紛争, 紛争デッキ""",
    "Identity": """identity, investigator, hero, heroes, leader, leaders, stronghold, strongholds, house,
        agenda, champion, legend, oracle, avatar, ruler, warlord, pre-game, sensei, spec, specs, specialty,
        specialties, clan, 신분, 조사자, 영웅, 지도자, 리더, 투자자, ermittler, ermittlerin, held, helden,
        anführer, identität, investigateur, enquêteur, héros, chef, identité, investigador, investigadora,
        héroe, héroes, líder, identidad, 探索者, 調査員, ヒーロー, リーダー, 調查員, 调查员, investigatore,
        eroe, eroi, badacz, onderzoeker, сыщик""",
    "Characters": """characters, character, ally, allies, creatures, creature, personalities, personality,
        followers, follower, units, unit, monsters, monster, minions, minion, people, planeswalkers,
        planeswalker, companions, 캐릭터, 캐릭터 카드, 생물, 몬스터, 동맹, 협력자, 동료 카드, 하수인, 유닛,
        추종자, 인물, 플레인즈워커, charaktere, charakter, kreaturen, kreatur, verbündete, verbündeter,
        monsterkarten, gefolge, anhänger, einheiten, personnages, personnage, créatures, créature, alliés,
        allié, monstres, suivants, unités, personajes, personaje, criaturas, criatura, aliados, aliado,
        monstruos, seguidores, unidades, キャラクター, キャラ, クリーチャー, モンスター, 味方, ユニット, 仲間,
        プレインズウォーカー, personaggi, alleati, personagens, 角色, 生物, 怪獸, 怪兽, 盟友, postacie,
        sojusznicy, personages, wezens, персонажи, существа""",
    "Support": """supports, support, support cards, support card, assets, asset, attachments, attachment, items,
        item, equipment, equipments, gear, weapons, weapon, artifacts, artifact, enchantments, enchantment,
        resources, resource, ressourcen, ressource, ressources, 자원, リソース, hardware, hardwares, matériel,
        matériels, 하드웨어, ハードウェア, programme, programmes, programas, programmi, 프로그램, プログラム, programs,
        program, icebreakers,
        icebreaker, viruses, virus, barriers, barrier, code gates, code gate, sentries, sentry, ice, multi,
        other, others, misc, miscellaneous, 지원, 지원 카드, 서포트, 서포트 카드, 자산, 에셋,
        어태치먼트, 부착물, 부착, 장비, 아이템, 무기, 유물,
        부여마법, 마법물체, 기타, 그 외, 그 밖, unterstützung, unterstützungen, vorteile, vorteil,
        verstärkungen, verstärkung, ausrüstung, ausrüstungen, gegenstände, artefakte, verzauberungen, waffen,
        sonstige, sonstiges, andere, soutiens, soutien, atouts, atout, attachements, attachement, équipements,
        équipement, objets, artefacts, enchantements, armes, autres, divers, apoyos, apoyo, recursos, recurso,
        vinculadas, vinculada, accesorios, accesorio, equipo, equipos, objetos, artefactos, encantamientos,
        armas, otros, otras, varios, サポート, 資産, 装備, アイテム, アーティファクト, エンチャント,
        アタッチメント, その他, supporti, equipaggiamenti, artefatti, incantesimi, altro, artefatos,
        encantamentos, outros, 支援, 支援卡, 神器, 結界, 结界, 其他, wsparcie, atuty, przedmioty, артефакты,
        чары, прочее""",
    "Events": """events, event, spells, spell, instants, instant, sorceries, sorcery, instants & sorceries,
        instants and sorceries, tactics, tactic, actions, action, strategies, strategy, operations, operation,
        operationen, opérations, operaciones, 작전, オペレーション,
        tricks, trick, traps, trap, spell cards, trap cards, rituals, ritual, skills, skill, maneuvers,
        treacheries, treachery, magic, 이벤트, 이벤트 카드, 사건, 사건 카드, 주문, 마법, 함정, 마법 카드,
        함정 카드, 순간마법, 집중마법, 전술, 기술, 기술 카드, 능력, ereignisse, ereignis, ereigniskarten,
        zauber, zaubersprüche, spontanzauber, hexereien, fallen, zauberkarten, fallenkarten, aktionen,
        strategien, fertigkeiten, fertigkeit, taktiken, événements, événement, evénements, evenements,
        évènements, sorts, sort, éphémères, rituels, magies, pièges, magie, piège, stratégies, compétences,
        compétence, tactiques, eventos, evento, hechizos, hechizo, conjuros, instantáneos, conjuro, instantáneo,
        magias, trampas, mágicas, acciones, estrategias, habilidades, habilidad, tácticas, イベント, 呪文, 魔法,
        罠, 魔法カード, 罠カード, インスタント, ソーサリー, スペル, 技能, スキル, 戦略, eventi, trappole,
        istantanei, stregonerie, feitiços, mágicas instantâneas, armadilhas, perícias, 事件, 事件卡, 法术, 法術,
        瞬間, 瞬间, 巫術, 巫术, 陷阱, 技能卡, wydarzenia, umiejętności, czary, события, заклинания""",
    "Conspiracies": """conspiracies, conspiracy, stories, plots, plot, plot cards, schemes, scheme, side quests,
        side quest, contracts, contract, objectives, objective, goals, agendas, quests, quest, 음모, 음모 카드,
        이야기, 책략, 의제, verschwörungen, verschwörung, intrigen, agenden, conspirations, conspiration,
        complots, complot, conspiraciones, conspiración, tramas, trama, 陰謀, 策略, cospirazioni, conspirações,
        阴谋""",
    "Locations": """locations, location, lands, land, basic lands, holdings, holding, regions, region, sites,
        site, buildings, building, celestials, celestial, bases, base, energy, energies, 장소, 대지, 땅, 지역,
        건물, 에너지, orte, ort, schauplätze, schauplatz, länder, gebäude, energie, energien, besitztümer,
        lieux, lieu, terrains, terrain, bâtiments, énergie, énergies, domaines, lugares, lugar, tierras, tierra,
        ubicaciones, edificios, energía, energías, posesiones, 場所, 土地, 地形, エネルギー, 建物, luoghi,
        terre, energia, terrenos, locais, 地點, 地点, 地牌, 能量, miejsca, lądy, locaties, локации, земли""",
    "Weaknesses": """weaknesses, weakness, basic weakness, basic weaknesses, signatures, signature,
        signature cards, required, required cards, permanents, permanent, story, story cards, story assets,
        bonded, bonded cards, 약점, 기본 약점, 고유 카드, 영구 카드, schwächen, schwäche, grundschwäche,
        grundschwächen, faiblesses, faiblesse, debilidades, debilidad, debilidad básica, 弱点, 弱點, 基本弱点,
        debolezze, fraquezas, słabości, zwakheden, слабости""",
    "Trainers": """pokémon, pokemon, trainer, trainers, trainer cards, supporter, supporters, stadium, stadiums,
        tools, 포켓몬, 트레이너스, 트레이너, 서포터, 스타디움, 굿즈, trainerkarten, unterstützer, dresseur,
        dresseurs, entrenador, entrenadores, ポケモン, トレーナーズ, グッズ, スタジアム, 寶可夢, 训练家,
        訓練家""",
    "Rings": """rings, ring, wind, winds, ancestors, ancestor, hand, arcane, accessory, body, ally slot,
        tarot""",
    "Neutral": """neutral, neutrals, neutral cards, multicolor, multicolour, colorless, colourless, gold, mono,
        중립, neutrale, neutres, neutre, neutrales, 中立, ニュートラル, neutrali, neutros""",
}
_THEMES = """removal, ramp, draw, card draw, card advantage, economy, econ, combat, clues, clue getting,
    investigation, win conditions, wincons, wincon, finishers, finisher, threats, answers, interaction,
    counterspells, counters, burn, discard, tutors, tutor, search, engine, combo, combo pieces, core, staples,
    utility, protection, recursion, mana, mana base, manabase, mana rocks, board wipes, wipes, sweepers,
    control, aggro, defense, defence, healing, soak, movement, evasion, tempo, sacrifice, tribal, splash,
    influence, in faction, out of faction, flex, flex slots, tech, early game, mid game, late game, openers,
    bombs, fillers, filler, cards, all cards, card list, new cards, 제거, 드로우, 경제, 전투, 단서, 콤보,
    피니셔, 카드, 카드 목록, karten, kampf, wirtschaft, kartenziehen, cartes, pioche, cartas, combate, economía,
    robo, カード, ドロー, 除去, 戦闘"""
# fmt: on


def _words(text: str) -> frozenset[str]:
    return frozenset(shorthand(word) for word in re.split(r"\s*,\s+|\s*,\n\s*", text.strip(" \n,")))


def _known() -> Mapping[str, Word]:
    """Every spelling -> its word. Where a spelling is in two groups, the earlier group has it."""
    found: dict[str, Word] = {}
    for role, groups in (
        (Role.MAIN, _MAIN),
        (Role.PART, _PARTS),
        (Role.ASIDE, _ASIDE),
        (Role.KIND, _KINDS),
        (Role.THEME, {"Theme": _THEMES}),
    ):
        for title, text in groups.items():
            word = Word(role, title, _words(text))
            for spelling in word.spellings:
                found.setdefault(spelling, word)
    return found


_KNOWN = _known()


@lru_cache(maxsize=10_000)
def word_of(heading: str) -> Word | None:
    """The word that a heading is, however it is spelt; None when it is none of ours.

    >>> word_of("Side-Board").title, word_of("메인 덱").role.value, word_of("Rats")
    ('Sideboard', 'main', None)
    """
    return _KNOWN.get(shorthand(heading)) if len(heading) <= LONGEST else None


LONGEST = 60  # characters of a heading


def names_a_part(heading: str) -> bool:
    """Whether a line of this word alone is a heading, without a mark that says so."""
    word = word_of(heading)
    return word is not None and word.role is not Role.THEME


def spellings_set_aside() -> frozenset[str]:
    """Every spelling of the words for cards that are no part of the deck."""
    return frozenset(spelling for spelling, word in _KNOWN.items() if word.role is Role.ASIDE)


# fmt: off
_ABOUT = _words("""author, by, player, name, deck, event, date, format, faction, factions, clan, packs, sets,
    pool, taboo, hash, url, link, version, notes, note, xp, experience, table, round, pronouns, email, e-mail,
    difficulty, campaign, scenario, trauma, unspent, tags, built, for, tournament, store, club, id, dci, number, class,
    archetype, colors, colours, influence, spieler, spielerin, datum, turnier, tisch, fraktion, notiz, notizen,
    anmerkung, bemerkung, joueur, joueuse, nom, tournoi, remarque, remarques, jugador, jugadora, nombre, fecha,
    torneo, facción, notas, nota, 이름, 플레이어, 선수, 날짜, 대회, 행사, 진영, 세력, 비고, 메모, 참고, 연락처,
    닉네임, 소속, 名前, プレイヤー, プレイヤー名, 日付, 大会, 備考, メモ, 勢力, 姓名, 玩家, 日期, 备注, 備註,
    giocatore, data, jogador, gracz, spelar""")
# fmt: on


def says_about(word: str) -> bool:
    """Whether what stands behind this word and a colon is about the deck or its player, and no card: “Player: Ann”."""
    return bool(word) and (shorthand(word) in _ABOUT or shorthand(word.split()[0]) in _ABOUT)


# fmt: off
_NUMBERS = ("""one a an ein eine einen un une uno una um uma""", """two zwei deux dos due dois duas""",
    """three drei trois tres tre três""", """four vier quatre cuatro quattro quatro""",
    """five fünf cinq cinco cinque""", """six sechs sei seis""")
# fmt: on
NUMBERS = {word: count for count, words in enumerate(_NUMBERS, start=1) for word in words.split()}

# What stands behind a number and says that it counts cards: “3 Stk.”, “2 mal”, “3장”, “15 Karten”.
COPIES = (
    r"(?:stk\.?|stück|st\.|mal|fois|vez|veces|vezes|volte|copias?|cópias?|copie|exemplar|exemplare|exemplaires?|ex\.|"
    r"kopien|pcs?\.?|ea\b\.?|szt\.?|sztuki|ks|db|шт\.?|раза?|keer|장|매|枚|張|张)"
)
CARDS = r"(?:cards?|karten|karte|cartes?|cartas?|carta|kaarten|kart[ay]?|kort|карт[аы]?|장|매|枚|張|张)"
