"""The instructions of gates, windows and uses, as code."""

import re
from collections.abc import Mapping
from typing import Any

from rules.engine import operations as ops
from rules.engine.base.errors import DataError, unknown
from rules.engine.compiler.blocks import Blocks
from rules.engine.compiler.data import yes
from rules.engine.compiler.shapes import instruction
from rules.engine.definitions.model import Unit
from rules.engine.language.expressions import compile_expression


class Windows(Blocks):
    """Who may use what, who must, and how a use goes."""

    def _kinds(self, data: Any, place: str) -> tuple[str, ...]:
        kinds = (data,) if isinstance(data, str) else tuple(data)
        for kind in kinds:
            if kind not in self.system.ability_kinds:
                raise unknown("ability kind", kind, self.system.ability_kinds, place=place)
        return kinds

    def _chart(self, name: Any, place: str) -> Unit:
        unit = self.system.charts.get(name)
        if unit is None:
            raise unknown("chart", name, self.system.charts, place=place)
        return unit

    @instruction(gate={"gate": {"of": "words!", "match": "word", "do": "block!"}})
    def i_gate(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["gate"]
        locked = entry.get("match", "live") == "locked"
        opening = self.emit(ops.OpenGate(self._kinds(entry["of"], f"{place}.gate.of"), locked))
        self.block(entry["do"], f"{place}.gate.do")
        self.emit(ops.CloseGate(opening))

    @instruction(
        must={
            "must": {
                "of": "words!",
                "order": "expression",
                "start": "expression",
                "batches": "word",
                "joins": "yes-no",
                "one": "yes-no",
                "nest": "word!",
                "says": "text",
            },
        }
    )
    def i_must(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["must"]
        order = entry.get("order", "active")
        batches = entry.get("batches", "")
        if batches not in ("", "fifo", "lifo"):
            raise unknown("order of batches", batches, ("fifo", "lifo"), place=place)
        joins = bool(yes(entry.get("joins")))
        if joins and not batches:
            raise DataError(
                "bad-instruction", "`joins` needs `batches`: it says which batch is joined", place=place
            )
        operation = ops.Must(
            self._kinds(entry["of"], f"{place}.must.of"),
            None if order == "each-own" else self.expression(order, f"{place}.must.order"),
            entry["nest"],
            self.hidden(),
            batches,
            joins,
            bool(yes(entry.get("one"))),
            self.expression(entry["start"], f"{place}.must.start") if "start" in entry else None,
            self._chart(entry["nest"], f"{place}.must.nest"),
            "trigger" in re.findall(r"[\w-]+", str(order)),
        )
        operation.says = entry.get("says", "")
        self.emit(operation)

    @instruction(
        window={
            "window": {
                "of": "words!",
                "start": "expression",
                "only": "expression",
                "clock": "word",
                "closes": "word",
                "moves": "word",
                "order": "expression",
                "nest": "word!",
                "stops": "yes-no",
                "quiet": "yes-no",
                "spoken": "expression",
                "anytime": "words",
                "says": "text",
            },
        }
    )
    def i_window(self, data: Mapping[str, Any], place: str) -> None:
        entry = data["window"]
        closes = entry.get("closes", "all-pass")
        if closes not in ("all-pass", "first-use", "each-done"):
            raise unknown("closing rule", closes, ("all-pass", "first-use", "each-done"), place=place)
        clock = None
        if "clock" in entry:
            clock = self.system.game.get(entry["clock"])
            if clock is None:
                raise unknown("game variable", entry["clock"], self.system.game, place=f"{place}.clock")
        operation = ops.Window(
            self._kinds(entry["of"], f"{place}.window.of"),
            self.expression(entry.get("only", entry.get("start", "active")), f"{place}.window.start"),
            clock,
            closes,
            entry.get("moves", "stays" if closes == "each-done" else "seat") == "stays",
            entry["nest"],
            self.hidden(),
            self.slot("used", "player"),
            bool(yes(entry.get("stops"))),
            bool(yes(entry.get("quiet"))),
            "only" in entry,
            self.expression(entry["order"], f"{place}.window.order") if "order" in entry else None,
            self._chart(entry["nest"], f"{place}.window.nest"),
            self.expression(entry["spoken"], f"{place}.window.spoken") if "spoken" in entry else None,
            self._kinds(entry["anytime"], f"{place}.window.anytime") if "anytime" in entry else (),
        )
        operation.says = entry.get("says", "")
        self.emit(operation)

    @instruction(batch={"batch": "words!"})
    def i_batch(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Batch(self._kinds(data["batch"], place)[0]))

    @instruction(hush={"hush": "expression!"})
    def i_hush(self, data: Mapping[str, Any], place: str) -> None:
        scope = self.scope().bind("it", "record")
        self.emit(ops.Hush(compile_expression(data["hush"], scope, place=f"{place}.hush")))

    @instruction(again={"again": "any"})
    def i_again(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Again())

    @instruction(defer={"defer": "words!"})
    def i_defer(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Defer(self._kinds(data["defer"], place)[0]))

    @instruction(lapse={"lapse": "words!"})
    def i_lapse(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Lapse(self._kinds(data["lapse"], place)[0]))

    @instruction(put={"put": "words!"})
    def i_put(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Put(self._kinds(data["put"], place)[0]))

    @instruction(take={"take": "words!", "nest": "word!", "order": "word", "all": "yes-no"})
    def i_take(self, data: Mapping[str, Any], place: str) -> None:
        order = data.get("order", "lifo")
        if order not in ("fifo", "lifo"):
            raise unknown("order", order, ("fifo", "lifo"), place=place)
        self.emit(
            ops.TakeWaiting(
                self._kinds(data["take"], place)[0],
                self._chart(data["nest"], f"{place}.nest"),
                order == "fifo",
                yes(data.get("all")),
            )
        )

    @instruction(
        use={"use": "expression!", "of": "words!", "nest": "word!", "by": "expression", "free": "yes-no"}
    )
    def i_use(self, data: Mapping[str, Any], place: str) -> None:
        card = self.expression(data["use"], f"{place}.use")
        self.emit(
            ops.UseAbility(
                card,
                self._kinds(data["of"], f"{place}.of"),
                self.expression(data.get("by", "you"), f"{place}.by"),
                yes(data.get("free")),
                self._chart(data["nest"], f"{place}.nest"),
            )
        )
        self.emit(ops.UseAbilityDone(card))

    @instruction(each_part={"each-part": "block!"})
    def i_each_part(self, data: Mapping[str, Any], place: str) -> None:
        part = self.slot("part", "number")
        start = self.here()
        step = self.emit(ops.NextPart(part))
        self.block(data["each-part"], f"{place}.each-part")
        self.emit(ops.Jump(start))
        step.to = self.here()

    @instruction(part={"part": "any"})
    def i_part(self, data: Mapping[str, Any], place: str) -> None:
        if "part" not in self.names:
            raise DataError("bad-instruction", "`part` is allowed only inside `each-part`", place=place)
        self.emit(ops.RunPart(self.names["part"]))

    @instruction(targets={"targets": "optional"})
    def i_targets(self, data: Mapping[str, Any], place: str) -> None:
        kind = None
        if data["targets"] is not None:
            kind = self.system.kinds.get(data["targets"])
            if kind is None or "card" not in kind.roles:
                raise unknown("occurrence kind with a card", data["targets"], self.system.kinds, place=place)
            if (
                kind is not self.system.targeting
            ):  # a card could say that it cannot be so, and nothing would ask
                text = f"what is chosen is announced as {kind.name}, and nothing asks whether that can be"
                remedy = f"Write targeting: {kind.name} in the system’s file."
                raise DataError("never-asked", text, place=place, remedy=remedy)
        self.emit(ops.Targets(self.hidden(), kind, self.system.charts.get(kind.via) if kind else None))

    @instruction(costs={"costs": "any", "counts": "yes-no"})
    def i_costs(self, data: Mapping[str, Any], place: str) -> None:
        counts = data.get("counts", "yes")
        self.emit(ops.Costs(yes(counts)))
        self.emit(ops.CostsDone())

    @instruction(count={"count": "any"})
    def i_count(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Count())

    @instruction(recheck={"recheck": "any"})
    def i_recheck(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Recheck())

    @instruction(execute={"execute": "any"})
    def i_execute(self, data: Mapping[str, Any], place: str) -> None:
        self.emit(ops.Execute(self.hidden()))
