"""The account of one line: a tree of steps, written while the line is replayed. It is the run, so it cannot disagree.

A step is a plain dictionary (docs/answers.md): id, kind, who, text, cites, changes, options, refused, children.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from rules.engine.base.errors import Need
from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, clauses, listed
from rules.engine.definitions.model import Ability
from rules.engine.definitions.values import Candidate, Decision, Group, Obj, Offer, Reason, Record, Ref
from rules.engine.machine.unmet import fact_in_words

if TYPE_CHECKING:
    from rules.engine.machine.interpreter import Machine
    from rules.engine.machine.writes import Write

Step = dict[str, Any]

MAX_DEPTH = 60
OWN_TEXT = "*"  # the word for any ability that the card itself has, beside what the rules let one do with it
PASS, YES, NO, NONE = Message("pass"), Message("yes"), Message("no"), Message("none")
DECIDERS = {
    "chance": Message("chance"),
    **dict.fromkeys(("rules", "the rules"), Message("the rules")),
    **dict.fromkeys(("facts", "the facts"), Message("the facts")),
}  # who decides when no player does
ELSEWHERE, CONDITION, USED = 1, 3, 4  # depths of refusals (rules.engine.machine.eligibility)


class Choosy(Protocol):
    """A question about a use with choices of its own: told of each use that is refused."""

    def note_refusal(self, m: Any, option: Candidate, reason: Reason) -> None: ...


class Tracer:
    """Builds the tree. `enter` opens a step inside the present one, `exit` closes; frames close what they opened."""

    def __init__(self, asked: set[tuple[str, str]] | None = None, choosy: Sequence["Choosy"] = ()) -> None:
        self.asked = asked or set()  # (player, card) somebody asked about
        self.choosy = choosy
        self.root: Step = _step("root", None, "", ())
        self.open: list[Step] = [self.root]
        # (player, card, "" or a word for one of its abilities) -> the most telling refusal
        # who made which choice, since the last use, where only one thing could be chosen, and that
        self.forced: list[tuple[Any, str, str]] = []
        # (player, choice) since then for which there was nothing at all -> what each card lacked for it
        self.barren: dict[tuple[str, str], dict[str, str]] = {}
        # the same of choices for which there was one thing alone
        self.narrow: dict[tuple[str, str], dict[str, str]] = {}
        self.furthest: dict[tuple[str, str, str], Reason] = {}
        self.answering: dict[
            tuple[str, str, str], dict[Ref, Reason]
        ] = {}  # the last one for each thing it might answer
        self.unasked: dict[tuple[str, str, str], Reason] = {}  # the same of players who were not asked
        self.elsewhere: set[tuple[str, str, str]] = (
            set()
        )  # (player, card) that could be used, were it that player's turn
        self.at_once = True  # was nothing decided yet since the moves that were told?
        self.aloud = False  # did anybody have to pass aloud since then, for want of something to use?
        self.met: set[tuple[str, int]] = (
            set()
        )  # (card, ability) that somebody was asked about, or that was looked at
        self.proposed: set[str] = set()  # the kinds of occurrence that were about to happen
        self.happened: set[str] = set()  # and those that did
        self.turned: set[str] = set()  # the kinds that were foreseen, until something else took their place

    def enter(self, kind: str, who: Obj | None, text: str, cites: tuple[str, ...]) -> int:
        step = _step(kind, who, text, cites)
        self.open[-1]["children"].append(step)
        self.open.append(step)
        return 1

    def exit(self, count: int) -> None:
        for _ in range(count):
            if len(self.open) > 1:
                step = self.open.pop()
                if step["kind"] == "step" and not step["children"] and not step["changes"]:
                    step["text"] = Message("{what}: nothing happens", what=step["text"])

    def note(
        self, text: str, *, cites: tuple[str, ...] = (), kind: str = "step", who: Obj | None = None
    ) -> Step:
        step = _step(kind, who, text, cites)
        self.open[-1]["children"].append(step)
        return step

    # --- what operations report

    def enter_group(self, m: "Machine", index: Ref, cites: tuple[str, ...]) -> int:
        group: Group = m.cells[index]
        live = [m.cells[i] for i in group.members if m.cells[i].status == "proposed"]
        self.proposed |= {record.kind.name for record in live}
        text = clauses(m.describe(record) for record in live[:6])
        if len(live) > 6:
            text = Message("{those}; and {number} more", those=text, number=len(live) - 6)
        return self.enter("occurrence", None, text, cites or live[0].kind.cites)

    def impossible(self, m: "Machine", record: Record, why: Reason) -> None:
        text = Message("{what}: does not happen, {reason}", what=m.describe(record), reason=why.text)
        self.note(text, cites=why.cites)

    def committed(
        self, m: "Machine", records: list[Record], writes: list["Write"], cites: tuple[str, ...]
    ) -> Step:
        """Call it before the writes are made: it says what they change. What nobody interfered with tells that itself;
        after an interference it is a step of its own."""
        self.happened |= {record.kind.name for record in records}
        if not records:
            return self.note(Message("nothing of it happens"), cites=cites)
        step = self.open[-1]
        if step["kind"] != "occurrence" or not all(_quiet(child) for child in step["children"]):
            happens = Message("It happens") if len(records) == 1 else Message("All of it happens at once")
            step = self.note(happens, cites=cites)
        step["cites"] = list(dict.fromkeys((*step["cites"], *cites)))
        step["changes"] = [{"text": change} for write in writes if (change := _change(m, write))]
        return step

    def standing(self, m: "Machine") -> dict[tuple[Obj, str], Any]:
        """What continuous effects make of the cards in play, as far as it is known."""
        found = {}
        for name in sorted(m.scene.modified):
            prop = m.system.properties[name]
            for card in m.cards if prop.of == "card" else ():
                if m.facts[card.base + m.scene.zone_slot] in m.system.zones_in_play:
                    with suppress(Need):
                        found[card, name] = m.stat(card, prop)
        return found

    def followed(self, m: "Machine", step: Step, before: dict[tuple[Obj, str], Any]) -> None:
        """Continuous effects that began or ended with what happened."""
        after = self.standing(m)
        changes = [
            {"text": _changed(m, card, name, old, after[card, name])}
            for (card, name), old in before.items()
            if (card, name) in after and after[card, name] != old
        ]
        changes = [change for change in changes if change not in step["changes"]]
        if changes:
            step["changes"] += changes
            step["cites"] = list(dict.fromkeys((*step["cites"], *m.system.continuous_cites)))

    def wrote(self, m: "Machine", write: "Write", cites: tuple[str, ...]) -> None:
        if change := _change(m, write):
            self.note(change, cites=cites)

    def enter_use(self, m: "Machine", candidate: Candidate, cites: tuple[str, ...]) -> int:
        ability, obj, you, trigger = candidate[:4]
        self.forced.clear()
        self.barren.clear()
        self.narrow.clear()
        what = Message("{card}: {ability}", card=obj, ability=ability.name) if ability.name else obj.label
        title = ability.kind.title
        text = Message("{who} uses {what} ({kind})", who=you, what=what, kind=title)
        if ability.kind.must:
            text = Message("{what} ({kind}) {verb}", what=what, kind=title, verb=ability.kind.says)
        if trigger is not None:
            answered = m.describe(m.cells[trigger])
            text = Message("{use}, in response to: {trigger}", use=text, trigger=answered)
            if m.left_with(ability, obj, trigger) is not None:
                cites = (*cites, *m.system.refusals.get("left", ()))
        return self.enter("initiate", you, text, (*ability.cites, *ability.kind.cites, *cites))

    def only_choice(self, who: Any, name: str, value: Any, cites: tuple[str, ...]) -> None:
        if value is not None:
            player = who if isinstance(who, Obj) else None
            self.forced.append((who, name, option_text(value)))
            text = Message("the only choice for “{choice}”: {chosen}", choice=name, chosen=option_text(value))
            self.note(text, cites=cites, who=player)

    def nobody_at_all(
        self, title: str, refused: Sequence[tuple[Any, Reason]], cites: tuple[str, ...]
    ) -> None:
        """A window in which nobody can act is one line, with every refusal in it."""
        text = Message("{window}: no one has anything to use", window=title)
        step = self.note(text, kind="window", cites=cites)
        self.tell_refused(step, refused)

    def nobody(self, player: Obj, refused: Sequence[tuple[Any, Reason]]) -> None:
        step = self.note(Message("{who} has nothing to use here", who=player), who=player, kind="idle")
        self.tell_refused(step, refused)

    def refused(self, m: "Machine", refused: Sequence[tuple[Any, Reason]]) -> None:
        self.tell_refused(self.open[-1], refused)

    def decided(self, decision: Decision, index: int, *, scripted: bool) -> None:
        """The decision as taken on this line, with what else could have been taken."""
        self.at_once = False
        who = decision.who if isinstance(decision.who, Obj) else None
        chosen = option_text(decision.options[index])
        text = Message(
            "by {decider}: {chosen}", decider=DECIDERS.get(decision.who, decision.who), chosen=chosen
        )
        if who:
            text = Message("{who}: {chosen}", who=who, chosen=chosen)
        option = decision.options[index]
        if decision.kind == "may":
            text = Message("{choice} ({what})", choice=text, what=decision.subject)
        elif decision.kind == "order" and isinstance(option, Obj) and option.kind == "player":
            text = Message("{who}: {next} is next", who=who or decision.who, next=chosen)
        elif decision.options == [None]:
            text = Message("{who} can only pass", who=who or decision.who)
        step = self.note(text, kind="decision", who=who, cites=decision.cites)
        step["scripted"] = scripted
        step["options"] = [
            {"text": option_text(option), "chosen": i == index} for i, option in enumerate(decision.options)
        ]
        self.tell_refused(step, decision.refused, decision.options)

    def tell_refused(
        self, step: Step, refused: Sequence[tuple[Any, Reason]], options: Sequence[Any] = ()
    ) -> None:
        """Refusals worth showing; an ability that may answer one thing is not told about for another, nor one way in
        which the rules let a card be played for another way."""
        offered = {(one.obj, _way(one.ability)) for one in options if isinstance(one, Candidate)}
        for candidate, reason in self.telling(refused):
            if not isinstance(candidate, Candidate):
                _refusal(step, str(candidate), reason)
            elif (candidate.obj, _way(candidate.ability)) not in offered:
                _refusal(step, candidate.obj.label, reason)

    def telling(self, refused: Sequence[tuple[Any, Reason]]) -> list[tuple[Any, Reason]]:
        """Those that are worth showing; all are remembered for questions about them."""
        found = []
        for candidate, reason in refused:
            if not isinstance(candidate, Candidate):
                found.append((candidate, reason))
                continue
            key = (candidate.you.id if candidate.you else "", candidate.obj.id)
            elsewhere = (
                candidate.ability.of_rules and not reason.depth
            )  # what the rules let one do with it in hand
            if _worth_telling(candidate, reason) or (key in self.asked and not elsewhere):
                found.append((candidate, reason))
            _remember(self.furthest, candidate, reason)
            if candidate.trigger is not None:
                for known in _keys(candidate):
                    met = self.answering.setdefault(known, {})
                    if (
                        reason.depth != ELSEWHERE or candidate.trigger not in met
                    ):  # used on another, it is elsewhere
                        met[candidate.trigger] = reason
        return found

    def begin(self) -> None:
        """The moves that were told are made: what stood against others before says nothing of what may be done now."""
        self.furthest.clear()
        self.answering.clear()
        self.unasked.clear()
        self.elsewhere.clear()
        self.at_once, self.aloud = True, False

    def waiting(self, options: Sequence[Candidate]) -> None:
        """What could be used here, were it its player's turn."""
        if self.at_once:
            self.elsewhere |= {key for option in options for key in _keys(option)}

    def aside(self, refused: Sequence[tuple[Any, Reason]], options: Sequence[Candidate]) -> None:
        """Why the others could not have used it either, should they be asked about. Nothing stands against an ability
        that may be used here, though it may not answer everything that it waits for."""
        offered = {(one.you, one.obj, _way(one.ability)) for one in options}
        for candidate, reason in refused:
            if (candidate.you, candidate.obj, _way(candidate.ability)) not in offered:
                _remember(self.unasked, candidate, reason)

    def steps(self) -> list[Step]:
        """The finished tree, numbered ("3.1.2")."""
        _trim(self.root, MAX_DEPTH)
        _number(self.root["children"], "")
        return self.root["children"]  # type: ignore[no-any-return]


def _way(ability: Ability) -> int | str:
    return ability.name if ability.of_rules else ability.id


def number_of(ability: Ability) -> str:
    """The word for one ability of a card, whatever people call it."""
    return f"#{ability.id}"


def _keys(candidate: Candidate) -> list[tuple[str, str, str]]:
    """(player, card, word) for each word that a question may call the ability by."""
    who = candidate.you.id if candidate.you else ""
    words = {word for word in (candidate.ability.name, candidate.ability.kind.name) if word}
    words = {word for word in words if candidate.meant(word)} | {number_of(candidate.ability)}
    # what comes of itself says nothing of what its player may use
    apart = candidate.ability.kind.must and any(not one.kind.must for one in candidate.own)
    if not apart and candidate.meant():
        words.add("")
    if not (apart or candidate.ability.of_rules):
        words.add(OWN_TEXT)
    return [(who, candidate.obj.id, word) for word in words]


def _remember(known: dict[tuple[str, str, str], Reason], candidate: Candidate, reason: Reason) -> None:
    """The furthest reason for each word that a question may call the ability by; of two alike the first."""
    for key in _keys(candidate):
        if key not in known or known[key].reach < reason.reach:
            known[key] = reason


def option_text(option: Any) -> str:
    """What people call an option of a decision."""
    if option is None:
        return PASS
    if option is True or option is False:
        return YES if option else NO
    if isinstance(option, Obj):
        return option.label
    if isinstance(option, Candidate):
        name: str = option.obj.label
        if option.ability.name:
            name = Message("{card}: {ability}", card=option.obj, ability=option.ability.name)
        return Message("{what} (on: {trigger})", what=name, trigger=option.about) if option.about else name
    if isinstance(option, Offer):
        return option.text
    if isinstance(option, tuple):
        return listed(option_text(one) for one in option) or NONE
    return str(option)


def _worth_telling(candidate: Candidate, reason: Reason) -> bool:
    """Is a refusal worth a line though nobody asked? Not that a card is elsewhere; and of what happens by itself, not
    that it has happened, that a rule of the game did not apply, or an unmet condition about which its card says no
    more."""
    ability = candidate.ability
    silent = reason.depth == CONDITION and not (ability.condition and ability.condition.because)
    expected = ability.kind.must and (ability.of_rules or reason.depth == USED or silent)
    return reason.depth > ELSEWHERE and not expected


def _refusal(step: Step, text: str, reason: Reason) -> None:
    refusal = {"text": text, "reason": reason.text, "cites": list(reason.cites)}
    if refusal not in step["refused"]:
        step["refused"].append(refusal)


def _step(kind: str, who: Obj | None, text: str, cites: tuple[str, ...]) -> Step:
    return {
        "id": "",
        "kind": kind,
        "who": who.label if who else None,
        "text": text,
        "cites": list(dict.fromkeys(cites)),
        "changes": [],
        "options": [],
        "refused": [],
        "children": [],
    }


def _quiet(step: Step) -> bool:
    """Nothing came of it: a window nobody could use, a player with nothing to use."""
    return step["kind"] == "idle" or (step["kind"] == "window" and not step["children"])


def _change(m: "Machine", write: "Write") -> str:
    """What a write changes, in words; empty when it changes nothing."""
    obj = write.obj
    if write.what == "move":
        old, names = m.facts[obj.base + m.scene.zone_slot], m.system.zone_names
        if old == write.value:
            return ""
        return Message("{it}: {old} → {new}", it=obj, old=names[old], new=names[write.value])
    assert write.property is not None
    if not write.property.told:
        return ""
    old = m.facts[obj.base + write.property.slot]
    new = write.value if write.what == "set" else (old or 0) + write.value
    if old == new:
        return ""
    if write.property.type == "yes-no":
        what = m.system.word(write.property.name)
        if new:
            return Message("{it} becomes {property}", it=obj, property=what)
        return Message("{it} is no longer {property}", it=obj, property=what)
    return _changed(m, obj, write.property.name, old, new)


def _changed(m: "Machine", obj: Obj, name: str, old: Any, new: Any) -> str:
    prop, before = m.system.properties[name], _value(m, old)
    if obj.kind == "game" and old.__class__ is Open:
        return Message("{property}: {value}", property=m.system.word(name), value=_value(m, new))
    if obj.kind == "game" or new.__class__ is Open or (new is None and prop.type == "number"):
        return Message(
            "{property} {old} → {new}", property=m.system.word(name), old=before, new=_value(m, new)
        )
    now = fact_in_words(m.scene, obj, prop, new)
    told = old and prop.type != "yes-no"
    return Message("{now}, {before} before", now=now, before=before) if told else now


def _value(m: "Machine", value: Any) -> str:
    if value.__class__ is Open:
        return Message("not told")
    return NONE if value is None else option_text(m.system.said(value))


def _trim(step: Step, depth: int) -> None:
    """A line that nests without end is shown only so far down."""
    if depth == 0 and step["children"]:
        step["children"] = [_step("end", None, Message("... and so on"), ())]
        return
    for child in step["children"]:
        _trim(child, depth - 1)


def _number(steps: list[Step], prefix: str) -> None:
    for i, step in enumerate(steps, start=1):
        step["id"] = f"{prefix}{i}"
        _number(step["children"], f"{step['id']}.")
