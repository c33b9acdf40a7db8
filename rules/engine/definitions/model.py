"""What a system file and a card become once compiled: frozen, names resolved, ready to interpret."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.engine.base.facts import Open
from rules.engine.base.messages import Message, text_of
from rules.engine.definitions.effects import Footprint
from rules.engine.definitions.instructions import Changing, Operation, Proposal
from rules.engine.language.combinators import Compiled
from rules.engine.language.folding import read_by
from rules.engine.language.scopes import Language, Name, Scope


@dataclass(frozen=True, slots=True)
class Rule:
    """One sentence of a system's law, in our words, with the place where its document says it."""

    id: str
    says: str
    section: str
    document: str


@dataclass(frozen=True, slots=True, eq=False)
class Property:
    """A fact an object can have. `slot` is its place in the object's row of facts.

    `stat` properties may be changed by continuous effects, so they are computed when read, never stored.
    """

    name: str
    slot: int
    type: str  # number | yes-no | symbol | text | card | player | list
    of: str  # card | player | game
    default: Any = None
    stat: bool = False
    floor: int | None = None
    symbols: frozenset[str] = frozenset()
    shed: bool = False  # lost when the card leaves play (it becomes a new object)
    base: Compiled | None = None  # the value before any change, from the printed one
    adds: Compiled | None = None  # what is added to it, whatever effects set it to
    fixed: tuple[tuple[Compiled, Compiled], ...] = ()  # (when, value): then it is that, whatever changes it
    ignores: tuple[
        Compiled, ...
    ] = ()  # when: what an effect would change of it then, is not changed later either
    barred: tuple[
        tuple[Compiled, str], ...
    ] = ()  # (when, why): then it cannot be changed, and nobody may be chosen for that
    printed: bool = True  # does a copy of the card have it too?
    told: bool = True  # are its changes worth a line in the account?
    negative: bool = False  # may a scenario or a card say that it is below zero?
    of_types: frozenset[str] = frozenset()  # which types of card can be said to have it; empty: all
    changed_in: frozenset[str] = (
        frozenset()
    )  # effects change it only on cards in these zones; empty: anywhere
    says: str = ""  # how people say it: "{it} is engaged with {value}"
    fixed_by: frozenset[str] = frozenset()  # the facts on which it hangs whether it is fixed

    @property
    def worked_out(self) -> bool:
        """Do the rules make something else of the fact?"""
        return self.base is not None or self.adds is not None or bool(self.fixed)

    def unknown(self) -> Open:
        """The value that nobody told: each of those possible; none when they cannot be listed."""
        if self.type == "yes-no":
            return Open((False, True), "unknown")
        none = (
            (None,) if self.shed and self.symbols and self.default is None else ()
        )  # a state it need not be in
        return Open((*none, *sorted(self.symbols)), "unknown")


@dataclass(frozen=True, slots=True)
class Role:
    """A part somebody or something plays in an occurrence: `card`, `to`, `who`, `amount` ..."""

    name: str
    type: str
    default: Any = None
    subject: bool = True  # does it happen to it, so that it must still be there?
    words: tuple[str, ...] = ()  # which words it may be, the usual one first; empty: any value of its type


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """A condition with the reason shown when it fails."""

    test: Compiled
    because: str
    cites: tuple[str, ...] = ()
    absolute: Compiled | None = None  # if this holds, who fails it may not even be chosen for it
    said: tuple[tuple[str, Scope], ...] = ()  # as it is written, to say which part of it fails
    parts: tuple[
        tuple[Compiled, str], ...
    ] = ()  # its parts, each with the reason shown when it is the first to fail
    lasting: Compiled | None = None  # its parts that say only which card it answers: they stay true, or false
    untold: Compiled | None = None  # where this holds, nobody spoke of it, and it is taken to be so
    taken: str = ""  # what is taken to be so, in words
    of_turn: bool = (
        False  # is it a matter of whose turn it is, so that what is told waits for that player's turn?
    )


Restrictions = tuple[tuple[Compiled, Requirement], ...]


@dataclass(frozen=True, slots=True, eq=False)
class OccurrenceKind:
    """A word of the system's vocabulary: wound, destroy, ready, draw ... and what it does to the facts."""

    name: str
    roles: Mapping[str, Role]
    role_names: tuple[str, ...]
    possible: tuple[Requirement, ...]
    edits: tuple[Operation, ...]
    steps: "Unit | None"
    via: str
    says: str
    cites: tuple[str, ...]
    subjects: tuple[int, ...]  # indexes of the roles that hold objects
    patient: int | None = None  # the first card among its roles: the one it happens to
    needs: tuple[int, ...] = ()  # roles that its edits change, which somebody or something must hold
    # who answers it as they were just before, if they left with it: "attached" (to it), or all where this holds
    look_back: str | Compiled = ""
    links: tuple[int, ...] = ()  # roles that hold an occurrence (what is countered)
    instead: str = ""  # only the rules do it: what a card writes instead


@dataclass(frozen=True, slots=True, eq=False)
class AbilityKind:
    """Action, Disrupt, passive, Forced Response ...: a class of abilities, as the system names them."""

    name: str
    title: str
    must: bool
    uncancellable: bool
    once_per_trigger: bool
    cites: tuple[str, ...]
    point: str = ""  # what an ability of this kind answers, and where it works, unless it says otherwise
    of: tuple[str, ...] = ()
    zones: frozenset[str] = frozenset()
    becomes: tuple[tuple[str, str], ...] = ()  # what it answers (or `other`) -> the kind that it really is
    says: str = "happens"  # of a compulsory one: what it does when it is used
    answers: tuple[str, ...] = ()  # the points at which it may listen, the usual one first; none: at any
    due_anyway: bool = (
        False  # it comes though nothing can be chosen for it, or it cannot be paid: it is not `ok` then
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """A place where the documents are silent or disagree."""

    key: str
    ask: str
    options: Mapping[str, str]
    default: str
    status: str  # official | inferred | contested
    cites: tuple[str, ...]
    note: str = ""

    @property
    def contested(self) -> bool:
        return self.status == "contested"


# Of every system, since it is about what a scenario tells: does a pass belong where its player has nothing to use, or
# where nobody has? Whoever tells every window of the rules means so, whoever tells what was declined does not.
# Lines under each are explored; one on which the told moves can't be made is no line that was told.
OWN_CHANCES = "own-chances"
TOLD_PASSES = Reading(
    "told-passes",
    Message("At which windows were the passes said?"),
    {
        "every-window": Message("at each, also where no one has anything to use"),
        "open-windows": Message("only where someone has something to use"),
        OWN_CHANCES: Message("only where that player has something to use"),
    },
    "every-window",
    "contested",
    (),
)


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A compiled procedure: a chart, a part of an ability, the steps of an occurrence."""

    id: int
    name: str
    code: tuple[Operation, ...]
    params: tuple[str, ...] = ()
    slots: int = 1  # variables, `ok` first
    is_chart: bool = True
    cites: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A choice made when an ability is initiated (step b): `choose: {t: character}`."""

    name: str
    slot: int
    members: Compiled
    count: Compiled
    up_to: bool
    by: Compiled | None
    cites: tuple[str, ...] = ()
    least: int = 0  # with `up to`: not fewer than these
    pays: bool = False  # the cost is paid with it
    aimed: bool = (
        True  # is it a target? What a cost is paid with is not, where targets are a matter of their own
    )
    because: str = ""  # why others may not be chosen
    many: bool = False  # may, or must, there be other than one?
    said: tuple[str, Scope] | None = None  # what may be chosen as it is written, to say why something may not
    again: Compiled | None = (
        None  # what is still legal once the cost is paid, where that may be another condition
    )
    ways: tuple[
        Operation, ...
    ] = ()  # of these one is done with it, each “if able”: so of one at least it is able


@dataclass(frozen=True, slots=True)
class Limit:
    times: int
    per: str
    by: str  # object | name; "": as the system says


@dataclass(frozen=True, slots=True, eq=False)
class Payment:
    """How a payment of some counter is made, when it is more than taking from the counter."""

    possible: Compiled  # of (payer, amount)
    because: str
    cites: tuple[str, ...]
    unit: "Unit"  # a chart with the arguments payer and amount
    paid: Compiled | None = None  # of (payer, amount), when the procedure is over: was it paid after all?
    sums: bool = False  # are several payments in one cost made from one supply, so that they are one payment?
    choice: Any = None  # where they are not: the choice in the chart of the one that pays for all of it


@dataclass(frozen=True, slots=True, eq=False)
class Pile:
    """Cards of a player that lie in one zone: how many there are beside the named ones, and in which order.

    place: a card's, from the top (1) or the bottom (-1); 0: somewhere. settled: how many from the top are known.
    counts: the player's number of cards that nobody named; unknown: enough.
    """

    zone: str
    counts: Property | None = None
    _place: Property | None = None
    _settled: Property | None = None

    @property
    def ordered(self) -> bool:
        return self._place is not None

    @property
    def place(self) -> Property:
        assert self._place is not None
        return self._place

    @property
    def settled(self) -> Property:
        assert self._settled is not None
        return self._settled


@dataclass(frozen=True, slots=True, eq=False)
class Ability:
    id: int
    name: str  # how a trace and an option call it; empty: after its card
    kind: AbilityKind
    point: str  # "" = no trigger: usable when a window of its kind opens
    of: tuple[str, ...]  # occurrence kinds that trigger it
    condition: Requirement | None
    user: Compiled | None  # who may use it, when not the controller
    targets: tuple[Target, ...]
    cost: Unit | None
    cost_checks: tuple[Operation, ...]
    parts: tuple[Unit, ...]
    limit: Limit | None
    zones: frozenset[str]
    look_back: bool
    per_group: bool
    slots: int
    names: Mapping[str, int]
    defaults: tuple[Any, ...]
    text: str
    cites: tuple[str, ...]
    flags: frozenset[str]
    of_rules: bool = False  # given by the rules, so it works though the card's text does not
    given: Compiled | None = None  # of these: does the card (bound first) have it now?
    forbids: "Prohibition | None" = None  # of what an effect leaves behind: what cannot be while it lasts
    changes: "Always | None" = None  # likewise: what it changes of whatever fits, also of what comes later
    designations: tuple[Proposal, ...] = ()  # what it will do to cards it names, whatever else is decided
    changing: tuple[Changing, ...] = ()  # what it changes for a while that may be barred
    number: int = 0  # which of its card's abilities: the same for every copy of the card
    still: Requirement | None = None  # what must hold when it is triggered, and again when it is carried out
    reads: frozenset[str] = frozenset()  # the roles it reads of what it answers
    deeds: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # what is done with what it chose, if known
    gained: "Gained | None" = None  # its card has it from elsewhere, as long as that holds
    unread: bool = False  # words of that kind that nobody understood

    def called(self, word: str) -> bool:
        """Does a person's word mean this ability: its name, or its kind?"""
        return word in (self.name, self.kind.name)


@dataclass(frozen=True, slots=True)
class Gained:
    """How a card comes to have an ability: while another card grants it; source None: as long as an effect lasts."""

    source: Any = None
    grant: "Grant | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Grant:
    """A continuous effect of a card: the cards it covers have an ability while it works."""

    ability: Ability
    covers: Compiled
    condition: Compiled | None
    zones: frozenset[str] = frozenset()
    said: tuple[tuple[str, Scope], ...] = ()  # the condition as it is written, to say which part of it fails


@dataclass(frozen=True, slots=True, eq=False)
class Always:
    """A continuous effect of a card: changes a stat of what it covers while the card works."""

    property: Property
    covers: Compiled
    by: Compiled | None
    to: Compiled | None
    condition: Compiled | None
    floor: int | None = None  # “to a minimum of”: one such change floors the whole sum
    zones: frozenset[str] = frozenset()  # where the card must be for it, when not in play
    cites: tuple[str, ...] = ()

    def reads(self) -> frozenset[str] | None:
        """The stats that it hangs on, beside facts; None: it may hang on anything."""
        return read_by(self.covers, self.by, self.to, self.condition)


@dataclass(frozen=True, slots=True, eq=False)
class Prohibition:
    """A continuous `cannot`: occurrences of these kinds that satisfy the test do not happen."""

    tests: Mapping[str, Compiled]  # by kind of occurrence: their roles differ
    because: str
    cites: tuple[str, ...]
    words: str = ""  # the test as it is written


@dataclass(frozen=True, slots=True, eq=False)
class Immunity:
    """A continuous protection: effects of such sources neither choose the covered cards nor touch them."""

    source: Compiled
    covers: Compiled
    because: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnreadText:
    """Words of a card that nobody understood, of which not even a kind of ability is known: while its text works, they
    may bear on everything; elsewhere, on what is done with the card itself."""

    says: str
    zones: frozenset[str]  # where the text may work


@dataclass(frozen=True, slots=True, eq=False)
class CardDefinition:
    name: str
    facts: Mapping[str, Any]
    abilities: tuple[Ability, ...]
    always: tuple[Always, ...]
    cannot: tuple[Prohibition, ...]
    immune: tuple[Immunity, ...] = ()
    grants: tuple[Grant, ...] = ()
    text: str = ""
    counts: frozenset[tuple[str, str]] = (
        frozenset()
    )  # kinds of occurrence, by period, of which it asks how often they happened
    unread: tuple[UnreadText, ...] = ()
    recalls: frozenset[str] = (
        frozenset()
    )  # computed values that it reads of what it names, perhaps after that left play
    title: str = ""  # its name without what only tells it from other cards of that name


@dataclass(frozen=True, slots=True)
class Loops:
    """What the rules say of a cycle of play that could be gone through again and again."""

    named: bool = False  # may a player who has shown one cycle name how often it is repeated?
    cites: tuple[str, ...] = ()
    each: frozenset[str] = (
        frozenset()
    )  # kinds of occurrence: a cycle with one of them is carried out each time
    each_cites: tuple[str, ...] = ()
    opposed: bool = False  # do loops that several players hold cancel out?
    opposed_cites: tuple[str, ...] = ()


@dataclass(slots=True)
class System(Language):
    """A timing system, compiled from its file. Treat as frozen once built."""

    key: str = ""
    version: str = ""
    title: str = ""
    game_name: str = ""
    hash: str = ""
    law: Mapping[str, Rule] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    derived: dict[str, tuple[Compiled, str, str]] = field(default_factory=dict)
    derived_says: dict[str, str] = field(
        default_factory=dict
    )  # of some that are yes or no: “{it} is attacking”
    role_says: dict[str, str] = field(default_factory=dict)  # of roles: that it is yes, or that it is nothing
    nouns: dict[str, Any] = field(default_factory=dict)
    game: dict[str, Property] = field(default_factory=dict)
    readings: dict[str, Reading] = field(default_factory=dict)
    kinds: dict[str, OccurrenceKind] = field(default_factory=dict)
    ability_kinds: dict[str, AbilityKind] = field(default_factory=dict)
    charts: dict[str, Unit] = field(default_factory=dict)
    checks: Unit | None = None
    zones_in_play: frozenset[str] = frozenset()
    zones: tuple[str, ...] = ()
    zone_names: Mapping[str, str] = field(default_factory=dict)  # "hand": "in hand"
    default_zones: Mapping[str, frozenset[str]] = field(default_factory=dict)
    silent: Compiled | None = None  # when a card's text does not work (blank, insane, resourced ...)
    silent_cites: tuple[str, ...] = ()
    silences: tuple[
        tuple[Property, tuple[str, ...]], ...
    ] = ()  # the facts that silence a card, with their own rules
    silences_gained: Compiled | None = (
        None  # likewise of an ability that it has from elsewhere; None: the same
    )
    continuous_cites: tuple[str, ...] = ()  # behind continuous effects that begin or end
    silent_stats: tuple[str, ...] = ()  # the stats that its condition speaks of
    silent_by_time: bool = False  # does what was given to the card before go, too?
    unprinted: Compiled | None = None  # of a card (`it`): do no numbers stand on the side that is seen?
    unprinted_zero: Compiled | None = None  # then: is each of them 0, and not nothing?
    refusals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # cause of a refusal -> rules
    hushes: frozenset[str] = frozenset()  # kinds that do not see what was hushed
    floor_each_change: Compiled | None = None  # is a changed amount held at zero after each single change?
    recalls: frozenset[str] = (
        frozenset()
    )  # computed values that abilities of the rulebook read of what they name
    replaced_counts: Compiled | None = None  # is a replaced occurrence done when its substitute was?
    counts: frozenset[tuple[str, str]] = (
        frozenset()
    )  # kinds of occurrence, by period, of which its rules ask how often they happened
    idle_cites: tuple[str, ...] | None = None  # the rules by which no use may change nothing; None: it may
    asks: frozenset[str] | None = (
        None  # the names of the choices that its procedures ask for, once they were looked up
    )
    idle_within: frozenset[str] = frozenset()  # periods: what lasts for one of these alone changes nothing
    foreseen: Mapping[str, Compiled] = field(
        default_factory=dict
    )  # ability kind -> does the running use reckon with what abilities of this kind will ask for?
    cost_flags: Mapping[str, tuple[Mapping[str, str], ...]] = field(
        default_factory=dict
    )  # the costs that give a flag
    own_cost_cites: tuple[str, ...] | None = None  # the rules by which one pays only with one's own cards
    lost_late: bool = False  # does what left keep what it loses by that until all answers to it are over?
    given_up: frozenset[str] = (
        frozenset()
    )  # kinds of occurrence: what a cost does this to is no target as well
    given_up_cites: tuple[str, ...] = ()
    one_effect: Compiled | None = (
        None  # does all that happens now count as one effect, to be answered behind it?
    )
    answers_all_of_it: Compiled | None = None  # may what left in its course answer what came before that?
    dues: tuple[
        Mapping[str, Any], ...
    ] = ()  # {kinds, types, flags, adds, pay}: what a use costs that says nothing of it
    exact_targets: bool = False  # does one of several targets that is lost spoil the others?
    flags: tuple[str, ...] = ()  # marks an ability may carry (`ability.bold`)
    you: Mapping[str, str] = field(default_factory=dict)  # who uses it, per ability kind
    restrictions: tuple[tuple[Compiled, Requirement], ...] = ()  # (when, what must hold) for any use
    means: tuple[
        tuple[Compiled, Proposal], ...
    ] = ()  # (when, what a use comes to): where that cannot be, no use
    designates: Compiled | None = None  # does naming a card, without choosing it, count for `cannot`?
    targeting: OccurrenceKind | None = (
        None  # what being chosen as a target is: who cannot be so is no legal choice
    )
    targeting_when: Compiled | None = None  # of which uses; None: of all
    targeting_bars: frozenset[str] | None = (
        None  # what, done to what is chosen, must be possible too; None: everything
    )
    choosable: tuple[
        tuple[Compiled, Requirement], ...
    ] = ()  # (when, what must hold) for a card to be chosen (`it`)
    access: tuple[tuple[Compiled, Requirement], ...] = ()  # the same for whose it is to use at all
    effects_tell: Mapping[str, Compiled] = field(
        default_factory=dict
    )  # roles that the text of a card fills in by itself, where it does something
    rulebook: tuple[tuple[Compiled, Ability], ...] = ()  # abilities the rules themselves give
    piles: Mapping[str, Pile] = field(default_factory=dict)  # zone -> the cards that players have there
    payments: Mapping[str, Payment] = field(default_factory=dict)  # property -> how it is paid
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # one word for several kinds
    family_tests: Mapping[str, str] = field(default_factory=dict)  # which of them, for those that answer it
    family_holds: Mapping[str, Compiled] = field(default_factory=dict)  # the same, of an occurrence (b[0])
    out: Property | None = (
        None  # a player for whom it is yes takes no more part: nothing waits for that player
    )
    chooser: str = "you"  # who makes the choices in an effect, when it does not say
    limit_by: Compiled | None = None  # whose uses a limit counts, when it does not say: 'object' or 'name'
    own_periods: frozenset[str] = frozenset()  # those that end for each player on their own
    periods: frozenset[str] = (
        frozenset()
    )  # what comes to an end: phase, turn, and others that some chart ends
    same_periods: Mapping[str, str] = field(default_factory=dict)  # another word for a period -> the period
    points: frozenset[str] = frozenset()
    irreplaceable: Mapping[str, Compiled] = field(default_factory=dict)  # ability kind -> is it so?
    same_points: Mapping[str, str] = field(default_factory=dict)  # another word for a point -> the point
    later: frozenset[str] = frozenset()  # points that need the occurrence to have happened
    raised: Mapping[str, frozenset[str]] = field(default_factory=dict)  # occurrence kind -> its points
    asked_for: frozenset[str] = frozenset()  # the ability kinds that some procedure looks for
    acted: frozenset[str] = (
        frozenset()
    )  # those, answering nothing, with which players act by turns where a line ends
    loops: Loops = field(default_factory=Loops)
    things: Mapping[str, Name] = field(
        default_factory=dict
    )  # for cards described in a scenario: its other cards
    starts: Mapping[str, str] = field(default_factory=dict)  # points in the game a scenario may start at
    cards: dict[str, CardDefinition] = field(default_factory=dict)  # of its library, as far as they were met
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))  # of procedures and abilities
    asked: Mapping[str, str] = field(
        default_factory=dict
    )  # property -> the derived value that a question means by it
    source: Mapping[str, Any] = field(default_factory=dict)  # the file's own data, for drawing charts
    footprint: Footprint = field(default_factory=Footprint)  # what its own procedures may do, all together

    def word(self, name: str) -> Message:
        """A word of the file (a property, an occurrence, a period, a choice) as people read it."""
        return text_of(self.key, name)

    def said(self, value: Any) -> Any:
        """A value as it is said: a symbol is a word of the file, anything else is what it is."""
        return self.word(value) if value.__class__ is str else value

    def counted(self, number: Any, name: str) -> Message:
        """A number of what a counter counts: “1 action”, “2 actions”."""
        one = name[:-1] if name.endswith("s") else name
        return Message.made(f"{{number|{one}|{name}}}", self.key, {"number": number})

    @property
    def width(self) -> int:
        return len(self.properties)
