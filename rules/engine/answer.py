"""From the graph of all lines to an answer with its reasons (field names: docs/answers.md).

The answer's status is never a guess: determined, depends, insufficient, not-modelled, loop, undecided.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rules.engine import loops
from rules.engine.errors import BudgetExceeded, Unworkable
from rules.engine.explore import LOOP, Explorer, Graph, Loop, Node, never_came, scripted
from rules.engine.machine import Machine, Runaway
from rules.engine.model import Ability
from rules.engine.questions import Force, Legal, Order, Question, questions_of
from rules.engine.records import Candidate, Decision, Obj, Reason
from rules.engine.scene import Scene
from rules.engine.trace import Tracer, option_text

Json = dict[str, Any]
MAX_MATERIAL = 6
MAX_LINE = 2_000
MAX_LOOPS = 5

STATUS_ORDER = ("not-modelled", "undecided", "loop", "insufficient", "depends", "determined")


def answer(
    scene: Scene,
    *,
    budget: int,
    progress: Callable[[int], None] | None = None,
    fault: Callable[[Unworkable], None] | None = None,
) -> Json:
    """Explore every legal line and answer the scenario's questions. Pure; deterministic to the byte.

    fault: told of what could not be worked out, with its cause: it may be the engine's mistake.
    """
    questions = questions_of(scene)
    graph: Graph | None = None
    positions, stopped = None, ("", "")
    explorer = Explorer(scene, questions, budget=budget, progress=progress)
    try:
        graph = explorer.explore()
        positions = graph.positions
    except BudgetExceeded:
        positions = budget
        stopped = ("undecided", "Not decided within the budget of positions.")
    except Unworkable as found:
        stopped = ("not-modelled", f"Not answered, because {found}.")
        if fault is not None:
            fault(found)
    replay = Replay(scene, questions, unfit=graph is not None and graph.root.end == "illegal")
    answers = [
        _answer_question(i, question, graph, replay) if graph else _unanswered(question, *stopped)
        for i, question in enumerate(questions)
    ]
    illegal = replay.illegal_sentence()
    circles = [describe_loop(scene, loop) for loop in (graph.loops if graph else [])[:MAX_LOOPS]]
    status = min((a["status"] for a in answers), key=STATUS_ORDER.index, default="determined")
    result = {
        "status": status,
        "sentence": illegal or " ".join([*(a["sentence"] for a in answers), *_loop_sentence(circles)]),
        "questions": answers,
        "loops": circles,
        "assumptions": _assumptions(scene, graph, questions),
        "counts": {
            "lines": graph.lines if graph else None,
            "positions": positions,
            "ends": graph.ends if graph else None,
        },
        "system": {
            "key": scene.system.key,
            "version": scene.system.version,
            "title": scene.system.title,
            "hash": scene.system.hash,
        },
        "trace": replay.steps,
    }
    result["rules"] = _cited(scene, result)
    return result


# --- one question -------------------------------------------------------------------------------------


def _unanswered(question: Question, status: str, why: str) -> Json:
    return {
        "kind": question.kind,
        "text": question.text,
        "status": status,
        "answer": None,
        "sentence": f"{question.text} {why}",
        "depends": [],
        "why_not": [],
    }


def _answer_question(i: int, question: Question, graph: Graph, replay: "Replay") -> Json:
    found: Json = {
        "kind": question.kind,
        "text": question.text,
        "status": "determined",
        "depends": [],
        "why_not": [],
    }
    if isinstance(question, Force):
        value = "yes" if forced(graph.root, i, question.who) else "no"
        found |= {"answer": value, "sentence": question.sentence(value)}
        return found
    values = sorted({say(question, outcome[i]) for outcome in graph.outcomes})
    endless = {LOOP, "runaway"} & set(values)
    values = [value for value in values if value not in endless]
    if not values:
        found |= {"status": "loop", "answer": None}
        found["sentence"] = f"{question.text} The line of play goes round for ever."
        return found
    if len(values) == 1:
        found |= {"answer": values[0], "sentence": question.sentence(values[0])}
        if values[0] == "illegal":
            found["sentence"] = f"{question.text} Not answered: a move that was told is not legal."
    else:
        found["answer"] = None
        found["depends"] = material(i, question, graph.root)
        found["status"] = _status_of(found["depends"])
        found["sentence"] = _depends_sentence(question, values, found["depends"])
    if isinstance(question, Legal) and values != ["yes"]:
        reason = replay.why_not(question)
        found["why_not"] = [reason]
        if values == ["no"]:
            found["sentence"] = f"{question.sentence('no')[:-1]}: {reason['reason']}."
    return found


def say(question: Question, value: Any) -> str:
    if isinstance(question, Order):
        return ", then ".join(question.label(card) for card in value) or "none of them happens"
    return str(value)


def _status_of(decisions: list[Json]) -> str:
    return "insufficient" if any(d["decider"] == "facts" and d["unknown"] for d in decisions) else "depends"


def _depends_sentence(question: Question, values: list[str], decisions: list[Json]) -> str:
    options = " or ".join(values)
    if not decisions:
        return f"{question.text} {options}, depending on the line of play."
    first = decisions[0]
    branches = "; ".join(f"{b['option']}: {b['answer']}" for b in first["branches"])
    whose = {"player": f"{first['who']}'s choice", "chance": "chance", "rules": "how the rules are read"}.get(
        first["decider"], "a fact that is not settled"
    )
    return f"{question.text} It depends on {whose} ({first['decision']}): {branches}."


def nodes(root: Node) -> Iterator[Node]:
    """Every node with a decision below `root`, each once, nearest first."""
    seen = {id(root)}
    queue = [root]
    while queue:
        node = queue.pop(0)
        if node.decision is not None and not node.end:
            yield node
        for _, child, _ in node.edges:
            if id(child) not in seen:
                seen.add(id(child))
                queue.append(child)


def marks_before(root: Node) -> dict[int, tuple[str, ...]]:
    """What was used on the shortest way to each node."""
    found: dict[int, tuple[str, ...]] = {id(root): ()}
    for node in nodes(root):
        for _, child, marks in node.edges:
            found.setdefault(id(child), (*found[id(node)], *marks))
    return found


def material(i: int, question: Question, root: Node) -> list[Json]:
    """The decisions that matter: those below whose options the answers differ."""
    found: list[Json] = []
    described = set()
    earlier = marks_before(root) if isinstance(question, Order) else {}
    for node in nodes(root):
        if len(node.edges) < 2 or node.decision is None:
            continue
        branches = []
        for index, child, marks in node.edges:
            told = (*earlier.get(id(node), ()), *marks)
            below = sorted({say(question, question.fold(o[i], told, node.seen[i])) for o in child.outcomes})
            branches.append((node.decision.options[index], below))
        if len({tuple(below) for _, below in branches}) < 2:
            continue
        decision = describe(question.scene, node.decision)
        key = (decision["who"], decision["decision"])
        if key in described:
            continue
        described.add(key)
        decision["branches"] = [
            {"option": option_words(question.scene, node.decision, option), "answer": " or ".join(below)}
            for option, below in branches
        ]
        found.append(decision)
        if len(found) >= MAX_MATERIAL:
            break
    return found


def with_article(words: str) -> str:
    return f"{'an' if words[:1].lower() in 'aeiou' else 'a'} {words}"


def describe(scene: Scene, decision: Decision) -> Json:
    """Whose decision it is and what it is about, in words."""
    if isinstance(decision.who, Obj):
        kinds = decision.subject if isinstance(decision.subject, tuple) else ()
        offered = [o.ability.kind.title for o in decision.options if isinstance(o, Candidate)]
        titles = " or ".join(dict.fromkeys(offered or [scene.system.ability_kinds[k].title for k in kinds]))
        what = {
            "use": f"to use {with_article(titles)} or pass",
            "order": f"which {titles} comes next" if titles else "which comes next",
            "target": f"the choice of “{decision.subject}”",
            "choose": f"the choice of “{decision.subject}”",
            "may": f"whether to {decision.subject}",
            "one-of": "which of the options",
        }[decision.kind]
        return {
            "who": decision.who.label,
            "decider": "player",
            "decision": what,
            "cites": list(decision.cites),
            "unknown": False,
        }
    if decision.who == "rules":
        key = _reading_key(scene, decision)
        reading = scene.system.readings[key]
        return {
            "who": "the rules",
            "decider": "rules",
            "decision": reading.ask,
            "cites": list(reading.cites),
            "unknown": False,
        }
    if decision.who == "facts":
        obj, prop = _fact(scene, decision.subject)
        unknown = getattr(scene.facts[decision.subject], "why", "") == "unknown"
        return {
            "who": "the facts",
            "decider": "facts",
            "decision": f"{obj.label}: {prop}",
            "cites": [],
            "unknown": unknown,
        }
    return {
        "who": "chance",
        "decider": "chance",
        "decision": str(decision.subject),
        "cites": list(decision.cites),
        "unknown": False,
    }


def option_words(scene: Scene, decision: Decision, option: Any) -> str:
    """An option as people call it; of a reading, what it says."""
    if decision.who == "rules":
        return scene.system.readings[_reading_key(scene, decision)].options[option]
    return option_text(option)


def _reading_key(scene: Scene, decision: Decision) -> str:
    return next(key for key, slot in scene.reading_slots.items() if slot == decision.subject)


def _fact(scene: Scene, slot: int) -> tuple[Obj, str]:
    width = scene.system.width
    obj = next(o for o in scene.objects.values() if o.base <= slot < o.base + width)
    return obj, next(p.name for p in scene.system.properties.values() if p.slot == slot - obj.base)


def describe_loop(scene: Scene, loop: Loop) -> Json:
    """One whole cycle, and its net change (COC-F-1.16)."""
    cycle = []
    for node, index in loop.path:
        assert node.decision is not None
        about = describe(scene, node.decision)
        cycle.append(
            {"who": about["who"], "text": option_words(scene, node.decision, node.decision.options[index])}
        )
    return {
        "cycle": cycle,
        "change": _changes(scene, loop.change),
        "holders": sorted({step["who"] for step in cycle}),
        "ending": loop.ending,
        "cites": list(loop.cites),
    }


def _changes(scene: Scene, change: tuple[tuple[int, int], ...], times: int = 1) -> list[Json]:
    """What so many cycles add to which numbers; that a card left and came back stands in the cycle itself."""
    facts = [(*_fact(scene, slot), amount * times) for slot, amount in change if times]
    return [{"text": f"{o.label}: {name} {amount:+,}"} for o, name, amount in facts if name != "incarnation"]


def _loop_sentence(circles: list[Json]) -> list[str]:
    if not circles:
        return []
    first = circles[0]
    change = "; ".join(step["text"] for step in first["change"]) or "nothing changes"
    ending = f": {first['ending']}" if first["ending"] else ""
    return [f"There is a loop ({' and '.join(first['holders'])}; each cycle: {change}){ending}."]


def forced(root: Node, i: int, who: str) -> bool:
    """Can `who` make sure that question `i` ends with yes, whatever everybody else decides?

    An and/or search: the asker's decisions need one good option, everybody else's (opponents, chance, open
    readings and facts) must all be good. A line that goes round for ever is not a yes.
    """
    found = list(nodes(root))
    won: set[int] = set()
    if root.end:
        return all(outcome[i] == "yes" for outcome in root.outcomes)

    def good(child: Node) -> bool:
        target = child.back or child
        if target.end:
            return all(outcome[i] == "yes" for outcome in target.outcomes)
        return id(target) in won

    changed = True
    while changed:  # from the ends upwards: what is never reached so, because play goes round, is not won
        changed = False
        for node in reversed(found):
            if id(node) in won or node.decision is None:
                continue
            below = [good(child) for _, child, _ in node.edges]
            mine = isinstance(node.decision.who, Obj) and node.decision.who.id == who
            if any(below) if mine else all(below):
                won.add(id(node))
                changed = True
    return id(root) in won


# --- assumptions and citations ------------------------------------------------------------------------


def _assumptions(scene: Scene, graph: Graph | None, questions: list[Question]) -> list[Json]:
    """Readings that some line consulted, then facts that nobody stated."""
    asked: dict[str, bool] = {}
    if graph is not None:
        for node in nodes(graph.root):
            if node.decision is not None and node.decision.who == "rules" and len(node.edges) > 1:
                key = _reading_key(scene, node.decision)
                below = {frozenset(child.outcomes) for _, child, _ in node.edges}
                asked[key] = asked.get(key, False) or len(below) > 1
    found = []
    pinned = scene.scenario.get("pinned", {})
    for key, reading in scene.system.readings.items():
        if key not in scene.touched and key not in pinned:
            continue
        value = pinned.get(key, reading.default)
        found.append(
            {
                "id": key,
                "kind": "reading",
                "text": reading.ask,
                "value": value,
                "explored": key in asked,
                "options": [{"id": k, "text": v} for k, v in reading.options.items()],
                "status": "pinned" if key in pinned else reading.status,
                "cites": list(reading.cites),
                "note": reading.note,
                "material": asked.get(key, False),
            }
        )
    for card in scene.cards:
        if "zone" not in scene.scenario["cards"][card.id]:
            found.append(
                {
                    "id": f"{card.id}.zone",
                    "kind": "default",
                    "text": f"Where is {card.label}?",
                    "value": "play",
                    "explored": False,
                    "options": [{"id": zone, "text": zone} for zone in scene.system.zones],
                    "status": "default",
                    "cites": [],
                    "note": "The scenario does not say.",
                    "material": False,
                }
            )
    return found


def _cited(scene: Scene, data: Any) -> Json:
    """The sentence behind every rule id in the answer."""
    ids: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            ids.update(value.get("cites", ()))
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(data)
    law = scene.system.law
    return {
        key: {"text": law[key].says, "document": law[key].document, "section": law[key].section}
        for key in sorted(ids)
        if key in law
    }


# --- replaying a line ---------------------------------------------------------------------------------


class Replay:
    """One line, replayed with its trace: scripted moves, then what is asked about or wanted, else passing.

    unfit: is there no line on which all the moves come up? Then the first that does not is told.
    """

    def __init__(self, scene: Scene, questions: list[Question], *, unfit: bool = False) -> None:
        self.scene = scene
        self.unfit = unfit
        self.preferred = [(q.who, q.use, q.ability) for q in questions if isinstance(q, Legal)]
        self.preferred += [(who, card, "") for who, cards in scene.wants.items() for card in cards]
        self.tracer = Tracer({(who, card) for who, card, _ in self.preferred})
        self.illegal: dict[str, Any] | None = None
        self.offered: set[tuple[str, str]] = set()  # (player, card) that could be used at some moment
        self.taken: list[loops.Taken] = []  # as long as a repetition may come
        self.unrepeated: Reason | None = None
        self.machine = Machine(scene, self.tracer)
        self.machine.opened = self._open_start()
        self.machine.enter(scene.start, scene.arguments)
        try:
            self._run()
        except Unworkable as fault:
            self.tracer.note(f"not modelled: {fault}", kind="end")
        self.steps = self.tracer.steps()

    def _open_start(self) -> int:
        unit = self.scene.start
        return self.tracer.enter("step", None, unit.says or unit.name, unit.cites)

    def _run(self) -> None:
        m, script = self.machine, self.scene.did
        for _ in range(MAX_LINE):
            try:
                decision = m.run()
                while decision is not None and self._repeats(decision):
                    decision = m.run()
            except Runaway:
                self.tracer.note(
                    "this goes on for ever: obligatory effects keep triggering one another", kind="end"
                )
                return
            if decision is None:
                if self.unfit and (missing := never_came(m)) is not None:
                    reason, cites = self._reason(missing, Decision("", "use", [], []))
                    self.illegal = {"move": missing, "reason": reason}
                    self.tracer.note(self.illegal_sentence(), kind="end", cites=cites)
                    return
                self.tracer.note(self._end_text(), kind="end")
                return
            if decision.stop and m.script >= len(script):
                self._show_open(decision)
                return
            self.offered |= {(o.you.id, o.obj.id) for o in decision.options if isinstance(o, Candidate)}
            index, scripted = self._pick(decision)
            if index is None:
                move = script[m.script]
                reason, cites = self._reason(move, decision)
                self.illegal = {"move": move, "reason": reason}
                self.tracer.note(self.illegal_sentence(), kind="end", cites=cites)
                return
            self.tracer.decided(self._readable(decision), index, scripted=scripted)
            if m.script < self.scene.last_repeat:
                self.taken.append((m.save(), decision, index))
            if scripted:
                m.script += 1
            try:
                m.take(decision, index)
            except Runaway:
                self.tracer.note("this goes on for ever: one ability is used within another", kind="end")
                return

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
            f"{decision.who.label} goes on with what was shown: {found.ending}",
            kind="decision",
            who=decision.who,
            cites=found.cites,
        )
        step["scripted"] = True
        step["changes"] = [] if found.opposed else _changes(self.scene, found.cycle.told(), found.times)
        loops.go_on(m, found, lambda shown, index: self.tracer.decided(shown, index, scripted=True))
        return True

    def _pick(self, decision: Decision) -> tuple[int | None, bool]:
        index, is_move, legal = scripted(self.machine, decision)
        if not legal:
            return None, False
        if index is not None:
            return index, is_move
        if decision.kind == "use":
            for index, option in enumerate(decision.options):
                if option is not None and self._is_preferred(option):
                    return index, False
            return len(decision.options) - 1, False
        return 0, False

    def _is_preferred(self, option: Candidate) -> bool:
        return any(
            (option.you.id, option.obj.id) == (who, card) and option.meant(ability)
            for who, card, ability in self.preferred
        )

    def _readable(self, decision: Decision) -> Decision:
        """Readings and facts with their options in words."""
        if decision.who == "rules":
            reading = self.scene.system.readings[_reading_key(self.scene, decision)]
            options = [f"{reading.ask} {reading.options[option]}" for option in decision.options]
            return Decision("the rules", "reading", options, [], cites=reading.cites)
        if decision.who == "facts":
            obj, prop = _fact(self.scene, decision.subject)
            options = [f"{obj.label}: {prop} {option_text(option)}" for option in decision.options]
            return Decision("the facts", "fact", options, [])
        return decision

    def _show_open(self, decision: Decision) -> None:
        who = decision.who if isinstance(decision.who, Obj) else None
        step = self.tracer.note(
            f"{who.label if who else decision.who} acts next", kind="end", who=who, cites=decision.cites
        )
        step["options"] = [{"text": option_text(option), "chosen": False} for option in decision.options]
        self.tracer._refuse(step, decision.refused)

    def _end_text(self) -> str:
        return "The game is over" if self.machine.ended == "game" else "The procedure is complete"

    def _reason(self, move: Mapping[str, Any], decision: Decision) -> tuple[str, tuple[str, ...]]:
        """Why the scripted move is not possible here, and the rules: the most telling refusal of what it uses."""
        found = [
            reason
            for candidate, reason in decision.refused
            if isinstance(candidate, Candidate)
            and (candidate.you.id, candidate.obj.id) == (move["who"], move.get("use"))
            and move.get("ability", candidate.ability.name) == candidate.ability.name
            and (reason.depth or not self._has_text(candidate.obj))
        ]
        if "repeat" in move and self.unrepeated:
            return self.unrepeated.text, self.unrepeated.cites
        if found:
            best = max(found, key=lambda reason: reason.depth)
            return best.text, best.cites
        if "use" in move:
            why = self.why_not_use(move["who"], move["use"])
            return str(why["reason"]), tuple(why["cites"])
        wanted = self.scene.objects.get(str(move.get("choose")))
        for label, reason in decision.refused:  # a card that may not be a target
            if wanted is not None and label == wanted.label:
                return reason.text, reason.cites
        if decision.kind not in ("target", "choose"):
            return "it is not among the options", decision.cites
        names = list(dict.fromkeys(option_text(option) for option in decision.options))
        return f"the choice is among {'; '.join(names[:8])}{' ...' if len(names) > 8 else ''}", decision.cites

    def _has_text(self, obj: Obj) -> bool:
        """Has the card an ability of its own, beside what the rules let every card do?"""
        return any(not one.of_rules for owner, one in self.scene.abilities if owner is obj)

    def illegal_sentence(self) -> str:
        if self.illegal is None:
            return ""
        move = self.illegal["move"]
        if "repeat" in move:
            return f"{move['who']} could not repeat what was shown: {self.illegal['reason']}."
        what = move.get("use") or move.get("choose") or "pass"
        objects = self.scene.objects
        many = what if isinstance(what, list) else [what]
        label = " and ".join(objects[one].label if one in objects else str(one) for one in many)
        verb = "choose" if "choose" in move else "use"
        return f"{move['who']} could not {verb} {label}: {self.illegal['reason']}."

    def why_not(self, question: Legal) -> Json:
        if question.barred is not None:
            label, barred = self.scene.objects[question.use].label, question.barred
            return {"move": label, "reason": barred.text, "cites": list(barred.cites)}
        return self.why_not_use(question.who, question.use, question.ability)

    def _occasions(self, ability: Ability) -> set[str]:
        """The kinds of occurrence that came up where the ability listens: about to happen, or happened."""
        later = ability.point in self.scene.system.later
        return self.tracer.happened if later else self.tracer.proposed

    def why_not_use(self, who: str, card: str, ability: str = "") -> Json:
        """The most telling reason why `who` could not use the card on this line, with its rule."""
        refusals = self.scene.system.refusals
        obj = self.scene.objects[card]
        found = self.tracer.furthest.get((who, card, ability))
        own = self._has_text(obj)
        if found is not None and (
            found.depth or not own
        ):  # that it cannot be played again says nothing of its text
            return {"move": obj.label, "reason": found.text, "cites": list(found.cites)}
        unasked = self.tracer.unasked.get((who, card, ability))
        others = (
            [key[0] for key in self.tracer.furthest if key[1:] == (card, ability)] if found is None else []
        )
        if found is None and (who, card) not in self.offered:
            others += [other for other, one in self.offered if one == card]
        abilities = [
            one
            for owner, one in self.scene.abilities
            if owner is obj and (one.called(ability) if ability else not (own and one.of_rules))
        ]
        if others and unasked is not None and unasked.depth:
            reason, cites = unasked.text, unasked.cites
        elif others:
            reason, cites = f"it is {others[0]}'s to use", refusals.get("user", ())
        elif not abilities:
            reason, cites = f"{obj.label} has no ability that could be used", ()
        elif (who, card) in self.offered and not any(one.of for one in abilities):
            reason = f"{who} could use it before, but it is not {who}'s to act now"
            cites = abilities[0].kind.cites or refusals.get("window", ())
        elif (who, card) in self.offered:
            reason, cites = "the occasion on which it could be used is over", refusals.get("window", ())
        elif all(one.of and not self._occasions(one).intersection(one.of) for one in abilities):
            reason, cites = "nothing happened that it answers", refusals.get("trigger", ())
        elif unasked is not None and unasked.depth:
            reason, cites = unasked.text, unasked.cites
        else:
            title = abilities[0].kind.title
            reason = f"no window in which {who} may use {with_article(title)} came up"
            cites = refusals.get("window", ())
        return {"move": obj.label, "reason": reason, "cites": list(cites)}
