"""Who decides, as a tree: which choices an answer hangs on, in the order in which they are made.

The tree is the graph of all lines with every choice left out that makes no difference, as a decision diagram is
reduced: a choice stands in it exactly when two of its options lead to different trees. So every decider stands, and
what follows from an option is told where it follows. Before it is told, lines that take the named options are played
again by the rules as they are written (`agrees`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rules.engine.answers.telling import describe, option_words
from rules.engine.base.errors import FAULTS, DataError, Need, Untold, Unworkable
from rules.engine.machine.interpreter import Machine, Runaway
from rules.engine.machine.trace import option_text
from rules.engine.scene.scene import Scene
from rules.engine.search.graph import LOOP, Graph, Node
from rules.engine.search.questions.question import Question, is_untold
from rules.engine.search.script import matches, never_came, scripted, told

Json = dict[str, Any]
Tree = int  # trees are kept once each; equal numbers, equal trees

AGAIN = ("back where it was",)  # of an option that leads round to a position met before
MAX_TREES = 20_000
MAX_TOLD = 6  # decisions of one answer
MAX_PROOFS = 12  # lines that are played again
MAX_LINE = 2_000


class TooLarge(Exception):
    """More different continuations than are worth telling apart."""


@dataclass(frozen=True, slots=True)
class Branching:
    """A choice that matters. Of each option: its number in the node's decision, and what follows."""

    node: Node
    key: tuple[Any, ...]
    branches: tuple[tuple[int, Tree], ...]


@dataclass(slots=True)
class Trees:
    """The reduced tree of every node for one question."""

    scene: Scene
    question: Question
    number: int
    kept: list[Any] = field(default_factory=list)  # by number: ("is", value) or a Branching
    known: dict[Any, Tree] = field(default_factory=dict)
    at: dict[int, Tree] = field(default_factory=dict)  # by id of a node
    mapped: dict[Any, Tree] = field(default_factory=dict)
    decided: dict[Tree, Any] = field(default_factory=dict)
    splits: set[int] = field(default_factory=set)  # ids of the nodes whose options lead to different trees
    folds: bool = False

    def of(self, graph: Graph) -> Tree:
        """The tree of the whole graph. Raises TooLarge."""
        self.folds = type(self.question).fold is not Question.fold
        for node in _upwards(graph.root):
            self.at[id(node)] = self._reduced(node)
        found = self.at[id(graph.root)]
        return self._folded(found, graph.marks, None)

    def leaf(self, value: Any) -> Tree:
        return self._one(("is", value), ("is", value))

    def _one(self, key: Any, tree: Any) -> Tree:
        if key not in self.known:
            if len(self.kept) >= MAX_TREES:
                raise TooLarge
            self.known[key] = len(self.kept)
            self.kept.append(tree)
        return self.known[key]

    def _reduced(self, node: Node) -> Tree:
        if node.back is not None:
            return self.leaf(AGAIN)
        values = {outcome[self.number] for outcome in node.outcomes}
        if len(values) == 1 or node.end or not node.edges:
            return self.leaf(next(iter(values)) if len(values) == 1 else tuple(sorted(map(str, values))))
        seen = node.seen[self.number] if node.seen else None
        branches = tuple(
            (index, self._folded(self.at[id(child)], marks, seen)) for index, child, marks in node.edges
        )
        if self._matters(node, branches):
            self.splits.add(id(node))
        return self._branching(node, branches)

    def _branching(self, node: Node, branches: tuple[tuple[int, Tree], ...]) -> Tree:
        again = self.leaf(AGAIN)
        told = tuple(one for one in branches if one[1] != again)
        if not self._matters(node, branches):
            return told[0][1] if told else again
        key = (*_decision_key(node), tuple((_option_key(node, index), tree) for index, tree in branches))
        return self._one(key, Branching(node, _decision_key(node), branches))

    def _matters(self, node: Node, branches: tuple[tuple[int, Tree], ...]) -> bool:
        """Do two of the options lead to different trees? Of a reading: to different people who decide, or about other
        answers."""
        trees = {tree for _, tree in branches if tree != self.leaf(AGAIN)}
        if len(trees) > 1 and node.decision is not None and node.decision.who == "rules":
            return len({self._deciders(tree) for tree in trees}) > 1
        return len(trees) > 1

    def _deciders(self, tree: Tree) -> Any:
        """Who decides about which answers, one after another; what one decides in several steps is one decision."""
        if tree not in self.decided:
            one = self.kept[tree]
            if isinstance(one, Branching):
                who = one.key[0]
                found: set[Any] = set()
                for below in (self._deciders(below) for _, below in one.branches):
                    found |= below[1] if below[0] == who else {below}
                self.decided[tree] = (who, frozenset(found))
            else:
                self.decided[tree] = one
        return self.decided[tree]

    def _folded(self, tree: Tree, marks: tuple[str, ...], seen: Any) -> Tree:
        """The tree of what began earlier: with what was used on the way, and what was seen there."""
        if not self.folds or not (marks or seen):
            return tree
        key = (tree, marks, seen if isinstance(seen, str | bool) or is_untold(seen) else None)
        if key not in self.mapped:
            found = self.kept[tree]
            if isinstance(found, Branching):
                branches = tuple((i, self._folded(below, marks, seen)) for i, below in found.branches)
                self.mapped[key] = self._branching(found.node, branches)
            elif found[1] == AGAIN:
                self.mapped[key] = tree
            else:
                self.mapped[key] = self.leaf(self.question.fold(found[1], marks, seen))
        return self.mapped[key]

    # --- as people read it

    def values(self, tree: Tree) -> list[Any]:
        """What the answer may be below."""
        found: dict[Any, None] = {}
        seen, waiting = set(), [tree]
        while waiting:
            at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            one = self.kept[at]
            if isinstance(one, Branching):
                waiting += [below for _, below in one.branches]
            elif one[1] != AGAIN:
                found[one[1]] = None
        return list(found)

    def told(self, tree: Tree, either: Callable[[list[Any]], str]) -> list[Json]:
        """The decisions of a tree, first the first; each with what came before it, and what each option leads to."""
        found: list[Json] = []
        waiting: list[tuple[Tree, tuple[Json, ...]]] = [(tree, ())]
        met: set[Tree] = set()
        while waiting and len(found) < MAX_TOLD:
            at, after = waiting.pop(0)
            one = self.kept[at]
            if not isinstance(one, Branching) or at in met:
                continue
            met.add(at)
            decision = describe(self.scene, one.node.decision)  # type: ignore[arg-type]
            decision["after"] = list(after)
            decision["branches"] = []
            for index, below in one.branches:
                option = option_words(self.scene, one.node.decision, one.node.decision.options[index])  # type: ignore[arg-type, union-attr]
                further = isinstance(self.kept[below], Branching)
                decision["branches"].append(
                    {"option": option, "answer": either(self.values(below)), "open": further}
                )
                waiting.append((below, (*after, {"who": decision["who"], "option": option})))
            found.append(decision)
        return found


def _decision_key(node: Node) -> tuple[Any, ...]:
    """Equal for decisions that people would call the same."""
    decision = node.decision
    assert decision is not None
    return (decision.who, decision.kind, decision.subject)


def _option_key(node: Node, index: int) -> Any:
    assert node.decision is not None
    option = node.decision.options[index]
    return option if node.decision.who in ("rules", "facts") else option_text(option)


def _upwards(root: Node) -> Iterator[Node]:
    """Every node, those below first; an option that leads back to the line above ends there."""
    done: set[int] = set()
    work: list[tuple[Node, bool]] = [(root, False)]
    while work:
        node, left = work.pop()
        if left:
            yield node
            continue
        if id(node) in done:
            continue
        done.add(id(node))
        work.append((node, True))
        if node.back is None:
            work += [(child, False) for _, child, _ in node.edges if id(child) not in done]


# --- playing it again


def agrees(scene: Scene, graph: Graph, trees: Trees, tree: Tree, question: Callable[[], Question]) -> bool:
    """Does every line that is played again come out as the tree says?

    The lines are such that between them they take every named option, as far as there are not too many. They are
    played by the rules as they are written: nothing is remembered from the exploration but which options there were.
    """
    if scene.last_repeat:
        return True  # what is repeated is carried out as a whole, not option by option
    return all(
        _played(scene, line, question()) in (value, None) for line, value in _lines(graph, trees, tree)
    )


def _lines(graph: Graph, trees: Trees, tree: Tree) -> Iterator[tuple[list[tuple[Node, int]], Any]]:
    """Lines with the value the tree gives them: for each told option the first that takes it."""
    wanted: set[tuple[Tree, int]] = set()
    waiting, seen = [tree], set()
    while waiting:
        at = waiting.pop(0)
        one = trees.kept[at]
        if at not in seen and isinstance(one, Branching):
            wanted |= {(at, index) for index, _ in one.branches}
            waiting += [below for _, below in one.branches]
        seen.add(at)
    for _ in range(MAX_PROOFS):
        line: list[tuple[Node, int]] = []
        node, at = graph.root, tree
        while not node.end and node.edges and len(line) < MAX_LINE:
            one = trees.kept[at]
            here = isinstance(one, Branching) and id(node) in trees.splits and one.key == _decision_key(node)
            edges = [(index, child) for index, child, _ in node.edges if child.back is None]
            if not edges:
                break
            index, child = edges[0]
            if here:
                below = dict(one.branches)
                edges = [edge for edge in edges if edge[0] in below] or edges
                index, child = next((edge for edge in edges if (at, edge[0]) in wanted), edges[0])
                wanted.discard((at, index))
                at = below.get(index, at)
            line.append((node, index))
            node = child
        leaf = trees.kept[at]
        if node.end and node.end != LOOP and not isinstance(leaf, Branching) and leaf[1] != AGAIN:
            yield line, leaf[1]
        if not wanted:
            return


def _played(scene: Scene, line: list[tuple[Node, int]], question: Question) -> Any:
    """What the line answers when it is played by the rules as they are written; None: it cannot be told."""
    machine = Machine(scene)
    machine.enter(scene.start, scene.arguments)
    passed: list[tuple[tuple[str, ...], Any]] = []  # what was used before each decision, what was seen at it
    try:
        for node, index in line:
            decision = machine.run()
            assert node.decision is not None
            if node.decision.kind in ("reading", "fact"):  # asked, it may be, only by the question itself
                decision = node.decision
            if decision is None or index >= len(decision.options):
                return _Other
            passed.append((tuple(machine.marks), question.offered(machine, decision)))
            if scripted(machine, decision).move and matches(
                machine, scene.did[machine.script], decision, decision.options[index]
            ):
                machine.made()
            machine.marks = []
            machine.take(decision, index)
        decision = machine.run()
        marks: tuple[str, ...] = tuple(machine.marks)
        over = decision is None or (decision.stop and told(machine))
        if over and never_came(machine) is not None:
            value = question.at_end(machine, "illegal", decision)
        elif decision is None:
            value = question.at_end(machine, machine.ended or "done", None)
        elif decision.stop and told(machine):
            value = question.at_end(machine, "stop", decision)
            value = question.fold(value, (), question.offered(machine, decision))
        elif not scripted(machine, decision).legal:
            value = question.at_end(machine, "illegal", decision)
        else:
            return None
        for before, seen in reversed(passed):
            value = question.fold(value, marks, seen)
            marks = before
        return question.fold(value, marks, None)
    except (Need, Untold, Unworkable, Runaway, DataError, *FAULTS):
        return None


class _Other:
    """No value that any line answers."""
