"""Decisions in mid-effect."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rules.engine.base.errors import Untold
from rules.engine.base.messages import Message
from rules.engine.definitions.instructions import OK, Operation
from rules.engine.definitions.values import Decision, Obj, Reason, Use, bare, replaced
from rules.engine.language.combinators import Compiled
from rules.engine.language.scopes import Scope
from rules.engine.machine.afterwards import leaves_alone
from rules.engine.machine.misfit import misfit, never_fits
from rules.engine.machine.paying import leaves_the_rest
from rules.engine.machine.targeting import combos
from rules.engine.operations.facts import Edit, Pay
from rules.engine.operations.occurrences import Do

if TYPE_CHECKING:
    from rules.engine.definitions.effects import Footprint
    from rules.engine.machine.interpreter import Machine
    from rules.engine.machine.writes import Write


MOST_TRIED = 20  # so many ways to choose are tried out to see whether one of them changes something
NOTHING_TO_CHOOSE = Message("there is nothing to choose")


def paid_apart(m: "Machine", use: Use, said: tuple[str, Scope] | None, serves: Sequence[Do] = ()) -> bool:
    """Is what the use costs paid with nothing that a filter could find, now or then? said: the filter as written.
    serves: what is to be done with what it finds."""
    paying = [one for one in use.ability.cost_checks if not isinstance(one, Pay)]
    moved = [card for card in m.scene.cards if card is use.obj or m.hangs_on(card, use.obj)]
    return (
        not paying
        or (
            all(isinstance(one, Do | Edit) and one.is_about(m, use.obj) for one in paying)
            and said is not None
            and all(never_fits(m, said, card) for card in moved)
        )
        or (said is not None and leaves_alone(m, paying, [said[0]], serves))
    )


@dataclass(slots=True, eq=False)
class Choose(Operation):
    """A choice in mid-effect. None available, or fewer than the exact number: nothing is chosen, not ok."""

    slot: int
    members: Compiled
    by: Compiled
    count: Compiled
    up_to: bool
    name: str
    at_random: bool = False
    including: Compiled | None = None  # those that have to be among them
    said: tuple[str, Scope] | None = None  # what may be chosen as it is written, to say why something may not
    serves: tuple[Do, ...] = ()  # all that is done with what is chosen, where one of them has to be possible
    spares: bool = False  # only that with which all of it is forbidden is not chosen
    speaks_of: tuple[int, ...] = ()  # variables that its filter mentions
    by_user: bool = True  # is it who uses the ability that chooses?
    pays: bool = False  # in the chart of a payment: what is chosen pays for all of it

    def lacking(self, m: "Machine") -> dict[str, str]:
        """What each card lacks for this choice, where that can be said."""
        if self.said is None:
            return {}
        found = {card.id: misfit(m, self.said, card) for card in m.scene.cards}
        return {card: why for card, why in found.items() if why}

    def run(self, m: "Machine") -> Decision | None:
        (members, unsure), count = m.among(self.members), self.count(m, ())
        if m.cur is not None and not self.chart:
            members = m.legal(members, self.slot, count, target=False)[0]
            members = served(m, self, members, many=count != 1)[0] or members
        if self.pays:  # what the rest of the cost needs does not pay for this part
            members = [one for one in members if leaves_the_rest(m, self.takes(m, one))] or members
        options = list(
            dict.fromkeys(self._options(m, members, count))
        )  # two cards nobody named are one option
        who = "chance" if self.at_random else self.by(m, ())
        amiss = False  # is it told that a card is chosen which is none of these, whatever else they are?
        if unsure and (count != 1 or not options):  # it is not even known whether there is anything to choose
            if not m.tells_one_of(self.name, who, [m.offer(option) for option in options]):
                amiss = count == 1 and m.tells_one_of(self.name, who, m.scene.cards)
                if not amiss:
                    raise m.unnamed_one(unsure[0])
                options += unsure
        else:
            options += unsure
        if not options and not m.is_lapsed(self.name, self.by(m, ())):
            self._bind(m, None, False)
            if m.tracer:
                m.tracer.barren[getattr(self.by(m, ()), "id", ""), self.name] = self.lacking(m)
                name = m.system.word(self.name)
                m.tracer.note(Message("nothing can be chosen for “{choice}”", choice=name), cites=self.cites)
            return None
        declinable = self.chart and self.up_to and not self.at_random
        only_declines = declinable and len(options) == 1 and bare(options[0]) in (None, ())
        if only_declines and m.says_every_window(m.scripted_pass(who)):
            m.script += 1
        if len(options) == 1 and not amiss and not m.scripted_choice(self.name, who, m.offer(options[0])):
            self._bind(m, options[0], True)
            if m.tracer:
                fate = m.tracer.barren if only_declines else m.tracer.narrow
                fate[getattr(self.by(m, ()), "id", ""), self.name] = self.lacking(m)
                m.tracer.only_choice(who, m.system.word(self.name), m.offer(options[0]), self.cites)
            return None
        offers = [m.offer(option) for option in options]
        if declinable and m.scripted_pass(who) and m.chosen_behind_a_pass(self.name, who, offers):
            m.script += 1  # it was said before, where there was nothing to use
        return Decision(who, "choose", offers, [], subject=self.name, cites=self.cites, declinable=declinable)

    def takes(self, m: "Machine", member: Any) -> list["Write"]:
        """Of what pays: what is changed where it is this."""
        kept = m.env
        self.set(m, self.slot, member)
        try:
            return [write for do in self.serves for write in do.changes(m)]
        finally:
            m.env = kept

    def obstacle(self, m: "Machine") -> Reason | None:
        """As the beginning of one of several ways to go on: is there anything to choose?"""
        (members, unsure), count = m.among(self.members), self.count(m, ())
        first: Reason | None = None
        if m.cur is not None and not self.chart:
            members = m.legal(members, self.slot, count, target=False)[0]
            members, first = served(m, self, members, many=count != 1)
        if self._options(m, members, count):
            return None
        if unsure:
            raise m.unnamed_one(unsure[0])
        return first or Reason(NOTHING_TO_CHOOSE, self.cites)

    def idle(self, m: "Machine", chosen: frozenset[int]) -> Reason | None:
        """Why nothing can be chosen here, also after the cost is paid."""
        use = m.cur
        if use is None or self.chart or chosen.intersection(self.speaks_of) or m.among(self.members)[1]:
            return None
        return self.obstacle(m) if paid_apart(m, use, self.said, self.serves) else None

    def unnamed_alone(self, m: "Machine", chosen: frozenset[int]) -> Untold | None:
        use = m.cur
        if use is None or self.chart or self.up_to or chosen.intersection(self.speaks_of):
            return None
        members, unsure = m.among(self.members)
        if not unsure or not leaves_alone(m, use.ability.cost_checks, [self.said[0] if self.said else "?"]):
            return None
        members = m.legal(members, self.slot, self.count(m, ()), target=False)[0]
        return None if members else m.unnamed_one(unsure[0])

    def picks(self, m: "Machine", chosen: frozenset[int]) -> tuple[int, Sequence[Any]] | None:
        use = m.cur
        if use is None or self.chart or len(use.ability.parts) != 1 or chosen.intersection(self.speaks_of):
            return None
        (members, unsure), count = m.among(self.members), self.count(m, ())
        if unsure or not leaves_alone(m, use.ability.cost_checks, [self.said[0] if self.said else "?"]):
            return None
        members = m.legal(members, self.slot, count, target=False)[0]
        members = served(m, self, members, many=count != 1)[0] or members
        options = self._options(m, members, count)
        return (self.slot, options) if 0 < len(options) <= MOST_TRIED else None

    def _options(self, m: "Machine", members: list[Any], count: int) -> list[Any]:
        own = self.including(m, ()) if self.including else ()
        if not own:
            return combos(members, count, self.up_to)
        rest = [member for member in members if member not in own]
        found = combos(rest, max(0, count - len(own)), self.up_to)
        found = [one if one.__class__ is tuple else () if one is None else (one,) for one in found]
        return list(own) if count == 1 else [(*own, *others) for others in found]

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        m.surely(self.members, decision.options[index])
        self._bind(m, _as_told(m, bare(decision.options[index])), True)

    def _bind(self, m: "Machine", value: Any, ok: bool) -> None:
        self.set(m, self.slot, value)
        self.set(m, OK, ok)


def _as_told(m: "Machine", value: Any) -> Any:
    """Several that were told, in the order in which they were: whoever tells more of each of them goes by it."""
    told = m.scene.did[m.script - 1].get("choose") if value.__class__ is tuple and m.script else None
    if not isinstance(told, list) or {one.id for one in value} != set(told):
        return value
    return tuple(sorted(value, key=lambda one: told.index(one.id)))


@dataclass(slots=True, eq=False)
class ChooseEach(Operation):
    """Each of several players chooses; what they chose is one list, in the order of the seats, and only then goes on.

    secret: they choose at once, none knowing what the others do. So it makes no difference whose choice is told or
    looked at first, and a player who is to make sure of something has to do it before all others.
    """

    slot: int
    players: Compiled
    chooser: int  # variable `chooser`: who chooses, for `members`
    members: Compiled
    count: Compiled
    up_to: bool
    name: str
    state: int  # hidden: (players still to choose, what each of the others chose)
    secret: bool = False
    words: tuple[str, ...] = ()  # who chooses among what, as it is written
    speaks_of: tuple[int, ...] = ()  # variables that these mention
    serves: tuple[Do, ...] = ()  # as a choice's
    spares: bool = False

    def mark(self, footprint: "Footprint") -> None:
        footprint.secret = footprint.secret or self.secret

    def run(self, m: "Machine") -> Decision | None:
        players = [player for player in m.seats() if player in self.players(m, ())]
        left, chosen = self.get(m, self.state) or (tuple(players), ())
        while left:
            who = self._next(m, left)
            self.set(m, self.chooser, who)
            options = self._options(m)
            if len(options) > 1 or (options and m.scripted_choice(self.name, who, m.offer(options[0]))):
                self.set(m, self.state, (left, chosen))
                offers = [m.offer(option) for option in options]
                return Decision(who, "choose", offers, [], subject=self.name, cites=self.cites)
            left = tuple(player for player in left if player is not who)
            if options:
                chosen = (*chosen, (who, options[0]))
                if m.tracer:
                    m.tracer.only_choice(who, m.system.word(self.name), m.offer(options[0]), self.cites)
            elif m.tracer:
                text = "{who}: nothing can be chosen for “{choice}”"
                m.tracer.note(Message(text, who=who, choice=m.system.word(self.name)), cites=self.cites)
            self.set(m, self.state, (left, chosen))
        by_player = dict(chosen)
        found = [by_player[player] for player in players if player in by_player]
        each = [one for value in found for one in (value if value.__class__ is tuple else (value,))]
        cards = all(isinstance(one, Obj) for one in each)  # one that several chose is one all the same
        self.set(m, self.slot, tuple(dict.fromkeys(each) if cards else each))
        self.set(m, OK, bool(found))
        self.set(m, self.state, None)
        self.set(m, self.chooser, None)
        return None

    def idle(self, m: "Machine", chosen: frozenset[int]) -> Reason | None:
        """Why none of them can choose anything here, also after the cost is paid."""
        use = m.cur
        if use is None or self.chart or chosen.intersection(self.speaks_of):
            return None
        if not leaves_alone(m, use.ability.cost_checks, self.words):
            return None
        try:
            for player in self.players(m, ()):
                m.cur = use.with_env(replaced(use.env, self.chooser, player))
                if m.among(self.members)[1] or self._options(m):
                    return None
        finally:
            m.cur = use
        return Reason(NOTHING_TO_CHOOSE, self.cites)

    def _next(self, m: "Machine", left: Sequence[Any]) -> Any:
        if not self.secret:
            return left[0]
        move = m.scene.did[m.script] if m.script < len(m.scene.did) else {}
        first = (move.get("who"), *m.scene.makes_sure) if "choose" in move else m.scene.makes_sure
        return next((player for who in first for player in left if player.id == who), left[0])

    def _options(self, m: "Machine") -> list[Any]:
        members, count = self.members(m, ()), self.count(m, ())
        if m.cur is not None and not self.chart:
            members = m.legal(members, self.slot, count, target=False)[0]
            members = served(m, self, members, many=True)[0] or members
        return combos(members, count, self.up_to)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        left, chosen = self.get(m, self.state)
        value = bare(decision.options[index])
        left = tuple(player for player in left if player is not decision.who)
        self.set(m, self.state, (left, (*chosen, (decision.who, value))))
        m.pc -= 1


@dataclass(slots=True, eq=False)
class May(Operation):
    """Yes or no; no is “not done”. Who cannot pay what it begins with is not asked."""

    by: Compiled
    what: str
    at: int = -1  # where what may be done begins
    to: int = -1
    payment: Pay | None = None

    def run(self, m: "Machine") -> Decision | None:
        reason = None if self.payment is None else self.payment.obstacle(m)
        if reason is not None:
            self.set(m, OK, False)
            m.pc = self.to
            if m.tracer:
                text = Message("{what}: not possible, {reason}", what=self.what, reason=reason.text)
                m.tracer.note(text, cites=reason.cites or self.cites)
            return None
        who = self.by(m, ())
        return Decision(
            who, "may", [True, False], [], subject=self.what, cites=self.cites, of_rules=self.chart
        )

    def blocks(self) -> Sequence[tuple[int, int]]:
        return ((self.at, self.to),)

    def redirect(self, moved: Callable[[int], int]) -> None:
        self.at, self.to = moved(self.at), moved(self.to)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        yes = decision.options[index]
        self.set(m, OK, yes)
        if not yes:
            m.pc = self.to


@dataclass(slots=True, eq=False)
class OneOf(Operation):
    """One of several labelled blocks; impossible ones are refused unless all are."""

    labels: list[str]
    checks: list[Operation | None]
    by: Compiled
    targets: list[int] = field(default_factory=list)
    to: int = -1  # where it goes on behind them all
    by_user: bool = True  # is it who uses the ability that chooses?

    def run(self, m: "Machine") -> Decision | None:
        options, refused = [], []
        for label, check in zip(self.labels, self.checks, strict=True):
            reason = check.obstacle(m) if isinstance(check, Do | Pay | Choose) else None
            if reason is None:
                options.append(label)
            else:
                refused.append((label, reason))
        if not options:
            options, refused = list(self.labels), []
        who = self.by(m, ())
        if len(options) == 1 and not m.scripted_choice("option", who, options[0]):
            m.pc = self.targets[self.labels.index(options[0])]
            return None
        return Decision(who, "one-of", options, refused, cites=self.cites, of_rules=self.chart)

    def jumps(self) -> Sequence[int]:
        return self.targets

    def blocks(self) -> Sequence[tuple[int, int]]:
        return tuple(zip(self.targets, (*self.targets[1:], self.to), strict=True))

    def redirect(self, moved: Callable[[int], int]) -> None:
        self.targets, self.to = [moved(to) for to in self.targets], moved(self.to)

    def take(self, m: "Machine", decision: Decision, index: int) -> None:
        m.pc = self.targets[self.labels.index(decision.options[index])]


def served(
    m: "Machine", choice: Choose | ChooseEach, members: list[Any], *, many: bool
) -> tuple[list[Any], Reason | None]:
    """Those with which something can be done that is to be done, and why the first of the others is not one."""
    use, fine, first = m.cur, [], None
    if not choice.serves or use is None:
        return members, None
    for member in members:
        m.cur = use.with_env(replaced(use.env, choice.slot, (member,) if many else member))
        try:
            reasons = [do.forbidden(m) if choice.spares else do.obstacle(m) for do in choice.serves]
        finally:
            m.cur = use
        if None in reasons:
            fine.append(member)
        else:
            first = first or reasons[0]
    return fine, first
