"""One line told with its reasons: the line worth showing, played again with a trace."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from rules.engine.answers.obstacles import Choices, Obstacles
from rules.engine.answers.telling import changes, fact, reading_key, with_article
from rules.engine.base.errors import Need, Untold, Unworkable, said_by
from rules.engine.base.garbage import uncollected
from rules.engine.base.messages import NOTHING_SAID, Message, both, clauses, either, listed, sentences
from rules.engine.definitions.model import Ability
from rules.engine.definitions.values import WHATEVER, Candidate, Decision, Obj, Reason
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.machine.misfit import misfit
from rules.engine.machine.trace import DECIDERS, ELSEWHERE, OWN_TEXT, PASS, Tracer, option_text
from rules.engine.operations.choices import Choose
from rules.engine.scene.scene import Scene
from rules.engine.search import loops
from rules.engine.search.graph import Graph, ends_of
from rules.engine.search.questions.legal import Legal
from rules.engine.search.questions.question import Question
from rules.engine.search.script import (
    OPEN,
    chosen_by,
    decider,
    implied_key,
    is_missed,
    meets,
    never_came,
    scripted,
    told,
)

Json = dict[str, Any]
MAX_LINE = 2_000  # decisions
MOST_USES = 20  # of one thing that is asked about: what may be used again and again would fill the line
MOST_OFFERED = 6_000  # options in all: a line that offers more is one that piles up without end


class Replay:
    """One line, replayed with its trace: scripted moves, then what is asked about or wanted, else passing.

    graph: of all lines; readings that it settles are taken so. If there is no line on which all the moves come up, the
    first that does not is told.
    """

    def __init__(
        self,
        scene: Scene,
        questions: list[Question],
        graph: Graph | None = None,
        why_illegal: Json | None = None,
        turned: tuple[Any, int] | None = None,
    ) -> None:
        """why_illegal: {move, reason, cites}, told where a move can't be made, in place of what this line shows.
        turned: another option taken at a decision (by its key, as in `fork`)."""
        self.scene = scene
        self.why_illegal = why_illegal
        self.unfit = graph is not None and graph.root.end == "illegal"
        self.misfits = graph.misfits if graph is not None else {}
        self.implied = graph.implied if graph is not None else {}
        self.ends_otherwise = graph is not None and ends_of(graph.root) != {"game"}  # on some other line
        self.preferred = [(q.who, q.use, q.ability) for q in questions if isinstance(q, Legal)]
        self.choosy = [q for q in questions if isinstance(q, Legal) and q.choices]
        self.preferred += [(who, card, "") for who, cards in scene.wants.items() for card in cards]
        self.uses: Counter[tuple[str, str, str]] = Counter()  # of what is preferred, on this line
        self.tracer = Tracer({(who, card) for who, card, _ in self.preferred}, self.choosy)
        self.illegal: dict[str, Any] | None = None
        self.refused = False  # is the move that is not legal one that was asked for, where it was refused?
        self.stopped = False  # is the line over because the next action is due, which nobody told?
        self.offered: set[tuple[str, str, int]] = (
            set()
        )  # (player, card, ability) that could be used at some moment
        # (player, card) of what was refused where players passed aloud after the moves, and may be used later -> why
        self.refused_first: dict[tuple[str, str], str] = {}
        self.since: set[tuple[str, str]] = set()  # what was offered since then
        self.answered: dict[tuple[str, str], dict[str, None]] = {}  # and what it could answer, in words
        self.turned = dict([turned]) if turned is not None else {}
        self.fork: tuple[Any, Decision] | None = None  # the first choice that nobody told, and its key
        self.forked = False  # could play have gone on otherwise, once the moves were made?
        self.made: dict[tuple[str, str], str] = {}  # (player, choice) -> what was chosen
        passes = sum(1 for _ in takewhile(lambda move: "pass" in move, reversed(scene.did)))
        self.passing = len(scene.did) - passes  # how many moves come before the last passes that are told
        self.taken: list[loops.Taken] = []  # as long as a repetition may come
        self.unrepeated: Reason | None = None
        self.barred: tuple[int, Reason | None] = (
            -1,
            None,
        )  # a choice that was told, and why it may not be made
        # by the place of a told choice: why the first choice that it might have been cannot be it
        self.missed: dict[int, tuple[str, tuple[str, ...]]] = {}
        self.machine = Machine(scene, self.tracer)
        for slot, value in (graph.settled if graph is not None else {}).items():
            self.machine.facts[slot] = value
        self.machine.opened = self._open_start()
        self.machine.enter(scene.start, scene.arguments)
        with uncollected():
            try:
                self._run()
            except Unworkable as fault:
                why = said_by(fault)
                if not isinstance(fault, Untold):
                    why = Message("not modelled: {reason}", reason=why)
                self.tracer.note(why, kind="end")
            self.steps = self.tracer.steps()

    def _open_start(self) -> int:
        unit = self.scene.start
        return self.tracer.enter("step", None, unit.says or unit.name, unit.cites)

    def _run(self) -> None:
        m, script = self.machine, self.scene.did
        offered, began = 0, not script
        for _ in range(MAX_LINE):
            try:
                decision = m.run()
                while decision is not None and self._repeats(decision):
                    decision = m.run()
            except Runaway as endless:
                text = Message("this loops forever: mandatory effects keep triggering each other")
                self.tracer.note(text if endless.sure else Message("not followed any further"), kind="end")
                return
            offered += 0 if decision is None else len(decision.options)
            if offered > MOST_OFFERED:
                return
            over = decision is None or (decision.stop and told(m))
            self.stopped = decision is not None and over
            if decision is None or (over and m.script < len(script)):
                if self.unfit and (missing := never_came(m)) is not None:
                    if self._unread(missing):
                        return
                    said = self.missed.get(m.script) or self._pass_before(missing)
                    if said is not None:
                        self.why_illegal = None
                    key = (missing["who"], missing.get("use", ""), missing.get("ability", ""))
                    met = self.tracer.furthest.get(key) if key[2] else None
                    self.refused = met is not None and met.depth > ELSEWHERE  # and so nobody was asked there
                    reason, cites = said or self._reason(missing, Decision("", "use", [], []))
                    self._cannot_be(missing, reason, cites)
                    return
                self.tracer.note(self._end_text(), kind="end")
                return
            for question in self.choosy:
                with suppress(Need):  # a reading or a fact that nothing else on this line asks for
                    question.offered(m, decision)  # it remembers why not
            if over:
                self._show_open(decision)
                return
            self._note_offers(decision)
            index, scripted = self._pick(decision)
            if index is None:
                move = script[m.script]
                if self._unread(move):
                    return
                self.refused = any(
                    isinstance(one, Candidate) and (one.you.id, one.obj.id) == (move["who"], move.get("use"))
                    for one, _ in decision.refused
                )
                reason, cites = self._reason(move, decision)
                if (unfit := self._unfit(move, decision)) is not None:  # what the person named comes first
                    move, reason, cites = unfit
                    self.why_illegal = None
                self._cannot_be(move, reason, cites)
                return
            self.tracer.decided(self._readable(decision), index, scripted=scripted)
            self.forked = self.forked or (m.script == len(script) and len(decision.options) > 1)
            if decision.kind in ("target", "choose"):
                self.made[decider(decision), decision.subject] = option_text(decision.options[index])
            if m.script < self.scene.last_repeat:
                self.taken.append((m.save(), decision, index))
            if scripted:
                m.made()
                # a pass of who can do nothing else belongs as well to a window before, where nobody was asked
                if m.script >= self.passing and not (began and decision.options == [None]):
                    began = True
                    self.tracer.begin()
                    self.since.clear()
                    self.refused_first.clear()
            try:
                m.take(decision, index)
            except Runaway:
                text = Message("this loops forever: one ability is used within another")
                self.tracer.note(text, kind="end")
                return

    def _cannot_be(self, move: Mapping[str, Any], reason: str, cites: Sequence[str]) -> None:
        self.illegal = self.why_illegal or {"move": move, "reason": reason, "cites": list(cites)}
        self.tracer.note(self.illegal_sentence(), kind="end", cites=tuple(self.illegal["cites"]))

    def _pass_before(self, missing: Mapping[str, Any]) -> tuple[str, tuple[str, ...]] | None:
        """Does the move that never came up wait behind a pass that its player was not asked for?"""
        move = self.scene.did[self.machine.script]
        if "pass" not in move or move is missing:
            return None
        text = "{who}'s pass, which is told before it, has no place: {who} was not asked there"
        return Message(text, who=move["who"]), self.scene.system.refusals.get("window", ())

    def _unread(self, move: Mapping[str, Any]) -> bool:
        """Does nobody know whether the move can be made, because its card's own words are not understood?"""
        found = self.machine.unread_use(move["who"], move["use"]) if "use" in move else None
        if found is not None:
            self.tracer.note(said_by(found), kind="end")
        return found is not None

    def _note_offers(self, decision: Decision) -> None:
        for option in decision.options:
            if isinstance(option, Candidate):
                key = (option.you.id, option.obj.id)
                for known in (self.tracer.furthest, self.tracer.unasked) if self.tracer.aloud else ():
                    reason = known.get((*key, option.ability.name or option.ability.kind.name))
                    if reason is not None and reason.depth > ELSEWHERE and key not in self.since:
                        self.refused_first.setdefault(key, reason.text)
                self.since.add(key)
                if not option.ability.of_rules or not self._has_text(option.obj):
                    self.offered.add((option.you.id, option.obj.id, option.ability.id))
                if option.trigger is not None:
                    answered = self.machine.describe(self.machine.cells[option.trigger])
                    self.answered.setdefault((option.you.id, option.obj.id), {})[answered] = None

    def _repeats(self, decision: Decision) -> bool:
        """Carry out the repetition that comes now, if it is possible."""
        m = self.machine
        if not loops.due(m, decision):
            return False
        found = loops.repeat(m, self.taken, self.scene.did[m.script]["repeat"])
        self.unrepeated = found if isinstance(found, Reason) else None
        if isinstance(found, Reason):
            return False
        step = self.tracer.note(
            Message("{who} repeats the loop: {ending}", who=decision.who, ending=found.ending),
            kind="decision",
            who=decision.who,
            cites=found.cites,
        )
        step["scripted"] = True
        step["changes"] = [] if found.opposed else changes(self.scene, found.cycle.told(), found.times)
        loops.go_on(m, found, lambda shown, index: self.tracer.decided(shown, index, scripted=True))
        return True

    def _pick(self, decision: Decision) -> tuple[int | None, bool]:
        said = scripted(self.machine, decision)
        if (
            said == OPEN
            and self.machine.script < len(self.scene.did)
            and is_missed(self.machine, move := self.scene.did[self.machine.script], decision)
        ):
            self.missed.setdefault(self.machine.script, self._reason(move, decision))
        if not said.legal:
            return None, False
        if said.first is not None:
            fits = (index for index in said.options if not self._is_left_out(decision.options[index]))
            return next(fits, said.first), said.move
        if decision.kind == "use":
            for index, option in enumerate(decision.options):
                if option is not None and self._prefers(option):
                    return index, False
            return len(decision.options) - 1, False
        key = implied_key(self.machine.script, decision)
        if key not in self.implied and len(decision.options) > 1:
            self.fork = self.fork or (key, decision)
        return self.turned.get(key, self.implied.get(key, 0)), False

    def _is_left_out(self, option: Any) -> bool:
        """Is it of an ability that a told use may mean, but with which the told moves can't be made?"""
        left = self.misfits.get(self.machine.script, ())
        return isinstance(option, Candidate) and option.ability.id in left

    def _prefers(self, option: Candidate) -> bool:
        """Is it asked about or wanted, and not used too often yet? Then the line takes it, which counts."""
        for one in self.preferred:
            who, card, ability = one
            if (option.you.id, option.obj.id) == (who, card) and option.meant(ability):
                self.uses[one] += 1
                return self.uses[one] <= MOST_USES
        return False

    def _readable(self, decision: Decision) -> Decision:
        """Readings and facts with their options in words."""
        if decision.who == "rules":
            reading = self.scene.system.readings[reading_key(self.scene, decision)]
            options = [sentences([reading.ask, reading.options[option]]) for option in decision.options]
            return Decision("the rules", "reading", options, [], cites=reading.cites)
        if decision.who == "facts":
            obj, prop = fact(self.scene, decision.subject)
            word = self.scene.system.word(prop)
            options = [
                Message(
                    "{it}: {property} {value}",
                    it=obj,
                    property=word,
                    value=NOTHING_SAID if option is None else option_text(option),
                )
                for option in decision.options
            ]
            return Decision("the facts", "fact", options, [])
        return decision

    def _show_open(self, decision: Decision) -> None:
        self._note_offers(decision)
        who = decision.who if isinstance(decision.who, Obj) else None
        text = Message("{decider} acts next", decider=DECIDERS.get(decision.who, decision.who))
        if who:
            text = Message("{who} acts next", who=who)
        step = self.tracer.note(text, kind="end", who=who, cites=decision.cites)
        step["options"] = [{"text": option_text(option), "chosen": False} for option in decision.options]
        self.tracer.tell_refused(step, decision.refused, decision.options)
        if decision.untold is not None:
            unknown = Message("it is unknown what may be used: {reason}", reason=said_by(decision.untold))
            self.tracer.note(unknown, kind="end")

    def _end_text(self) -> str:
        if self.machine.ended == "game":
            return Message("The game is over")
        return Message("The procedure in which the scenario begins is complete; the engine looks no further")

    def _reason(self, move: Mapping[str, Any], decision: Decision) -> tuple[str, tuple[str, ...]]:
        """Why the scripted move is not possible here, and the rules: the most telling refusal of what it uses."""
        found = [
            reason
            for candidate, reason in decision.refused
            if isinstance(candidate, Candidate)
            and (candidate.you.id, candidate.obj.id) == (move["who"], move.get("use"))
            and move.get("ability", candidate.ability.name) == candidate.ability.name
            and (reason.depth or "ability" in move or not self._has_text(candidate.obj))
        ]
        if "repeat" in move and self.unrepeated:
            return self.unrepeated.text, self.unrepeated.cites
        if "on" in move and (could := self.answered.get((move["who"], move.get("use", "")))):
            self.why_illegal = None
            text = Message("it could respond to: {triggers}", triggers=clauses(could))
            return text, self.scene.system.refusals.get("trigger", ())
        if found:
            best = max(found, key=lambda reason: reason.reach)
            return best.text, best.cites
        if "use" in move:
            why = self.why_not_use(move["who"], move["use"], move.get("ability", ""))
            return why["reason"], tuple(why["cites"])
        name = move.get("for", "")
        open_ = decision.kind in ("target", "choose")
        barren, narrow = (
            [
                lacking
                for (who, choice), lacking in those.items()
                if who == move["who"] and (name == choice or not (name or open_))
                if self.scene.may_name(move, choice)  # a verb tells of no other choice of the rules
            ]
            for those in (self.tracer.barren, self.tracer.narrow)
        )
        whys = [lacking[one] for lacking in (*barren, *narrow) for one in chosen_by(move) if one in lacking]
        if whys or barren:
            return both(dict.fromkeys(whys)) or Message("there is nothing to choose from"), decision.cites
        only = [
            text
            for who, choice, text in self.tracer.forced
            if getattr(who, "id", who) == move["who"] and name in ("", choice)
            if name
            or not text.isdigit()
            or any(one.isdigit() for one in chosen_by(move))  # a card is no number
        ]
        if only and not open_:
            return Message("only {names} could be chosen", names=both(only)), decision.cites
        if not decision.options:
            return self._never_came(move), ()
        wanted = self.scene.objects.get(str(move.get("choose")))
        for label, reason in decision.refused:  # a card that may not be a target
            if wanted is not None and label == wanted.label:
                return reason.text, reason.cites
        if decision.kind not in ("target", "choose"):
            return Message("it is not among the options"), decision.cites
        if against := self._misfit(move):
            return against, decision.cites
        names = list(dict.fromkeys(option_text(option) for option in decision.options if option))
        if not names:
            return Message("there is nothing to choose from"), decision.cites
        some = clauses(names[:8])
        if len(names) > 8:
            return Message("the possible choices are {names} ...", names=some), decision.cites
        return Message("the possible choices are {names}", names=some), decision.cites

    def _never_came(self, move: Mapping[str, Any]) -> str:
        """Why a choice that is told had no place: it was made otherwise, or what is used asks for none."""
        if chosen := self.made.get((move["who"], move.get("for", ""))):
            return Message("{who} chose {chosen} there", who=self._who(move["who"]), chosen=chosen)
        others = [who for who, name in self.made if name == move.get("for")]
        if others:
            return Message("it is {who}'s to choose", who=self._who(others[0]))
        before = [one for one in self.scene.did[: self.machine.script] if "choose" not in one]
        use = str(before[-1].get("use")) if before else ""
        own = [ability for card, ability in self.scene.abilities if card.id == use]
        if own and not any(self.scene.chooses[one.id] for one in own):
            text = "{card} asks for no choice"
            if any(one.of for one in own):
                text = "{card} asks for no choice; write “answering” before what it responds to"
            return Message(text, card=self.scene.objects[use])
        if "does" in move:
            return Message("no choice for “{deed}” came up", deed=self.scene.system.word(move["does"]))
        return Message("that choice never came up")

    def _who(self, decider: str) -> Any:
        """A player, or what decides in place of one."""
        return self.scene.objects.get(decider) or DECIDERS.get(decider, decider)

    def _misfit(self, move: Mapping[str, Any]) -> str:
        """Why what is told to be chosen is not among what may be chosen in mid-effect here."""
        m = self.machine
        choice = m.code[m.pc] if m.pc < len(m.code) else None
        if not isinstance(choice, Choose) or choice.said is None:
            return ""
        cards = [self.scene.objects[one] for one in chosen_by(move) if one in self.scene.objects]
        return next((why for card in cards if (why := misfit(m, choice.said, card))), "")

    def _unfit(
        self, move: Mapping[str, Any], decision: Decision
    ) -> tuple[Mapping[str, Any], str, tuple[str, ...]] | None:
        """Of a use that is refused for want of something to choose: the choice told for it that fits none of what it
        asks for, with why and the rules."""
        following = self.scene.did[self.machine.script + 1 :]
        for candidate, reason in decision.refused if "use" in move else ():
            if not isinstance(candidate, Candidate) or reason.depth <= WHATEVER:
                continue
            if (candidate.you.id, candidate.obj.id) != (move["who"], move["use"]):
                continue
            if not candidate.meant(move.get("ability", "")):
                continue
            names = [one.name for one in candidate.ability.targets]
            before: list[tuple[str, tuple[str, ...]]] = []
            for told_next in takewhile(lambda one: "choose" in one and one["who"] == move["who"], following):
                name = told_next.get("for", "")
                if not names or (name and name not in names):
                    break
                before.append((name, tuple(map(str, chosen_by(told_next)))))
                try:
                    unfit = self.machine.unfit(candidate, *before[-1])
                    if unfit is not None and len(before) > 1:  # beside what was told before
                        unfit = self.machine.choosable(candidate, before) or unfit
                except (Need, Unworkable):
                    return None
                if unfit is not None:
                    return told_next, unfit.text, unfit.cites
                names.remove(name or names[0])
        return None

    def _has_text(self, obj: Obj) -> bool:
        """Has the card an ability of its own, beside what the rules let every card do?"""
        return any(not one.of_rules for owner, one in self.scene.abilities if owner is obj)

    def illegal_sentence(self) -> str:
        if self.illegal is None:
            return ""
        move = self.illegal["move"]
        if "repeat" in move:
            text = "{who} could not repeat the loop: {reason}."
            return Message(text, who=move["who"], reason=self.illegal["reason"])
        what = move.get("use") or move.get("choose") or PASS
        objects = self.scene.objects
        many = what if isinstance(what, list) else [what]
        label = both(objects[one].label if one in objects else str(one) for one in many)
        text = "{who} could not use {what}: {reason}."
        if "choose" in move:
            text = "{who} could not choose {what}: {reason}."
        return Message(text, who=move["who"], what=label, reason=self.illegal["reason"])

    def went_for_another(self, question: Legal) -> bool:
        """Was anything used on this line only because another question asks about it?"""
        wanted = {(who, card) for who, cards in self.scene.wants.items() for card in cards}
        wanted.add((question.who, question.use))
        return any((who, card) not in wanted for who, card, _ in self.uses)

    def went_for(self, question: Legal) -> bool:
        """Was what is asked about used on this line, so that it tells nothing of a line on which it cannot be?"""
        return bool(self.uses[question.who, question.use, question.ability])

    def why_not(self, question: Legal) -> Json:
        """Why what is asked about could not be done on this line, with its rule."""
        made = self.illegal["move"] if self.illegal is not None else {}
        reason = question.barred
        its_choice = question.done and "choose" in made and made["who"] == question.who
        if (
            reason is None
            and self.illegal
            and (its_choice or (made["who"], made.get("use")) == (question.who, question.use))
        ):
            reason = Reason(self.illegal["reason"], tuple(self.illegal["cites"]))  # it is the very move
        if reason is None and question.on:
            reason = self._against_answering(question)
        if reason is None:
            who, ability = question.who, question.ability
            if question.compulsory:  # what the rules let one do with the card doesn't come by itself
                ability = ability or OWN_TEXT
                who = self._comes_to(question, ability)
            return self.why_not_use(who, question.use, ability, question.choices, beside=question.beside)
        return self._told(question.use, reason)

    def why_not_use(
        self,
        who: str,
        card: str,
        ability: str = "",
        choices: Choices = (),
        *,
        beside: frozenset[str] = frozenset(),
    ) -> Json:
        """The most telling reason why `who` could not use the card on this line, with its rule."""
        return self._told(card, Obstacles(self, who, card, ability, choices, beside=beside).first())

    def _told(self, card: str, reason: Reason) -> Json:
        return {"move": self.scene.objects[card].label, "reason": reason.text, "cites": list(reason.cites)}

    def comes_later(self, question: Legal) -> bool:
        """Is what is asked about used only in a window behind the one at which the lines stop? What answers something
        is, where nothing of that has come up yet."""
        if question.behind is None or self.illegal is not None:
            return False
        meant = self._meant(question)
        return bool(meant) and not any(self.occasions(one).intersection(one.of) for one in meant)

    def answers_something(self, question: Legal) -> bool:
        """Is what is asked about used in answer to something, and not of its player's own accord?"""
        return any(one.of for one in self._meant(question))

    def _meant(self, question: Legal) -> list[Ability]:
        return [
            one
            for card, one in self.scene.abilities
            if card.id == question.use
            and (not question.ability or one.called(question.ability))
            and not (question.of_its_own and one.of_rules)
        ]

    def _comes_to(self, question: Legal, ability: str) -> str:
        """Whose the use of what is mandatory is: whether it comes doesn't hang on the player who is named."""
        obj = self.scene.objects[question.use]
        controller = self.machine.facts[obj.base + self.scene.controller_slot]
        met: list[str] = [who for who, *use in self.tracer.furthest if use == [question.use, ability]]
        if question.who in met or not (met or isinstance(controller, Obj)):
            return str(question.who)
        return str(met[0] if met else controller.id)

    def _against_answering(self, question: Legal) -> Reason | None:
        """Why it could not be used to answer the very thing that is asked about, where it might answer several."""
        met = self.tracer.answering.get((question.who, question.use, question.ability), {})
        for trigger, reason in met.items():
            kind, roles = trigger[:2]
            words = (kind, *(role.id for role in roles if isinstance(role, Obj)))
            if meets(question.on, words, self.scene.system.families):
                return reason
        if not met:
            return None
        return Reason(
            Message("nothing happened that it responds to"), self.scene.system.refusals.get("trigger", ())
        )

    def unasked(self) -> list[Json]:
        """The abilities on the table that nobody was ever asked about on this line, each with why."""
        found = []
        for obj, ability in self.scene.abilities:
            if ability.of_rules or ability.gained or (obj.id, ability.id) in self.tracer.met:
                continue
            why = self._why_unasked(obj, ability)
            found.append({"card": obj.label, "ability": ability.name or ability.kind.title, "why": why})
        return found

    def _why_unasked(self, obj: Obj, ability: Ability) -> str:
        system = self.scene.system
        zone = self.machine.facts[obj.base + self.scene.zone_slot]
        if isinstance(zone, str) and zone not in ability.zones:
            where = either(system.zone_names[one] for one in system.zones if one in ability.zones)
            text = "{card} is {zone}; it works only {where}"
            return Message(text, card=obj, zone=system.zone_names[zone], where=where)
        if not ability.of:
            return Message("no window for {kind} came up", kind=with_article(ability.kind.title))
        of, point = either(map(system.word, ability.of)), system.word(ability.point)
        waits = Message("it waits for {occurrences} ({point})", occurrences=of, point=point)
        if self.occasions(ability).intersection(ability.of):
            text = "{waits}; that came up, but not where players may use {kind}"
            return Message(text, waits=waits, kind=with_article(ability.kind.title))
        came = self.tracer.happened if ability.point in system.later else self.tracer.proposed
        came_up = listed(map(system.word, sorted(came))) or NOTHING_SAID
        return Message("{waits}; what came up is {occurrences}", waits=waits, occurrences=came_up)

    def occasions(self, ability: Ability) -> set[str]:
        """The kinds of occurrence that came up where the ability listens: about to happen, or happened."""
        later = ability.point in self.scene.system.later
        return self.tracer.happened if later else self.tracer.proposed
