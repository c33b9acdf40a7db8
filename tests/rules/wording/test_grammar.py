"""The grammar's notation, the parser, and the words that bear no meaning."""

import ast
from pathlib import Path

import pytest

from rules.texts import lexicons
from rules.wording.chart import Chart, Explosion
from rules.wording.grammar import Grammar, GrammarError, Rule, fill, idle, rules_of
from rules.wording.lexicon import Lexicon, WordsError, participle, third

WORDING = Path(lexicons.ENGLISH).parent
SIGNED = lexicons.ENGLISH / "idle.txt"


def grammar(text: str) -> Grammar:
    return Grammar(rules_of(text))


def test_a_rule_is_words_and_phrases_with_a_meaning_that_has_holes() -> None:
    rules = grammar("s: <a:noun> sees|spots (the) <b:noun> = (see $a $b)\nnoun: cat|dog = it")
    chart = Chart(rules, ["cat", "spots", "the", "dog"])
    assert [tree for tree, _ in chart.readings("s")] == [("see", "it", "it")]


def test_all_readings_are_kept() -> None:
    rules = grammar("s: <a:s1> = $a\ns1: fish fish = (one)\ns1: <f:f> <g:f> = (two $f $g)\nf: fish = f")
    assert {tree[0] for tree, _ in Chart(rules, ["fish", "fish"]).readings("s")} == {"one", "two"}


def test_readings_that_explode_are_refused_and_never_cut() -> None:
    rules = grammar("s: <t:t> = (end $t)\ns: <t:t> <r:s> = (pair $t $r)\nt: a = one\nt: a = two")
    assert len(Chart(rules, ["a"] * 4).readings("s")) == 16
    with pytest.raises(Explosion):
        Chart(rules, ["a"] * 20).readings("s")


def test_what_was_left_out_is_an_empty_list() -> None:
    assert fill(("n", "$adjectives"), {}) == ("n", ("list",))


def test_a_text_that_cannot_be_read_tells_how_far_it_could() -> None:
    chart = Chart(grammar("s: a b c = x"), ["a", "b", "d"])
    assert chart.readings("s") == []
    assert chart.furthest == 2
    assert chart.expected == {"c"}


@pytest.mark.parametrize("line", ["s a = b", "s: a (b = c", "s: a = (b", "s: <missing> = x"])
def test_a_rule_that_cannot_be_is_refused(line: str) -> None:
    with pytest.raises(GrammarError):
        grammar(line)


def test_verbs_are_inflected() -> None:
    assert [third(v) for v in ("wound", "exhaust", "destroy", "ready", "go", "discard")] == [
        "wounds", "exhausts", "destroys", "readies", "goes", "discards",
    ]  # fmt: skip
    assert [participle(v) for v in ("wound", "sacrifice", "ready", "drive", "commit", "put")] == [
        "wounded", "sacrificed", "readied", "driven", "committed", "put",
    ]  # fmt: skip


def idle_words() -> list[str]:
    """Words that rules of English hold without a meaning: `category meaning: words`."""
    rules: list[Rule] = []
    for path in sorted(lexicons.ENGLISH.glob("*.grammar")):
        rules += rules_of(path.read_text("utf-8").replace(".@", ".s"), len(rules))
    return [f"{rule}: {' '.join(words)}" for rule, words in idle(rules).items()]


def test_words_without_meaning_are_those_that_were_signed() -> None:
    assert idle_words() == SIGNED.read_text("utf-8").splitlines()


def test_every_part_of_a_meaning_is_used() -> None:
    """A function that gives a tree its meaning leaves none of its parts aside."""
    for path in sorted((WORDING / "meaning").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
                parts = {argument.arg for argument in node.args.args[1:]}
                assert parts <= used, f"{path.name}: {node.name} does not use {parts - used}"


@pytest.mark.parametrize(
    ("part", "entry", "place"),
    [
        ("verbs", [{"says": "frob {card}", "do": "frob"}], "verbs[0]"),
        ("verbs", [{"says": "wound {card}", "do": "wound"}], "verbs[0]"),
        ("adjectives", {"shiny": "it.shiny"}, "adjectives.shiny"),
        ("headings", {"action": {"kind": "deed"}}, "headings.action"),
        ("nouns", {"hat": {"noun": "hat"}}, "nouns.hat"),
        ("zones", {"moon": "moon"}, "zones.moon"),
        ("icons", {"terror": {"stat": "fear"}}, "icons.terror"),
        ("keywords", {"fast": {"stat": "speed", "to": "yes", "is": "it.fast"}}, "keywords.fast"),
        ("moments", {"the moon rises": {"of": "moonrise"}}, "moments.the moon rises"),
        ("conditions", {"it is late": "you.lateness > 2"}, "conditions.it is late"),
    ],
)
def test_a_word_that_the_system_lacks_is_an_error(part: str, entry: object, place: str) -> None:
    words = {**lexicons.lexicon_of("coc-lcg").data, part: entry}
    english = {path.name: path.read_text("utf-8") for path in sorted(lexicons.ENGLISH.glob("*.grammar"))}
    with pytest.raises(WordsError) as error:
        Lexicon(words, lexicons.system_words("coc-lcg"), english)
    assert error.value.place == place


def test_every_phrase_of_the_grammar_can_be_made_in_some_game() -> None:
    made = {
        rule.category for key in lexicons.word_systems() for rule in lexicons.lexicon_of(key).grammar.rules
    }
    for path in sorted(lexicons.ENGLISH.glob("*.grammar")):
        for rule in rules_of(path.read_text("utf-8").replace(".@", ".s")):
            wanted = {symbol.category for symbol in rule.symbols if not isinstance(symbol, str)}
            assert wanted <= made, rule.source
