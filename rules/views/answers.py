"""Shows an answer of the engine, wherever one appears: disputes, worked examples, boards."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from rules.engine.answers.compare import difference
from rules.law.system_files import edition, keys, system
from rules.models import Adjudication, Dispute
from rules.reference import charts
from rules.spoken import answer_spoken, like, spoken
from rules.table import table_words
from rules.timeline import Row, Timeline, brief, timeline

LONGEST_HEADLINE = 160  # characters; beyond, the first answer stands for all, which follow one by one
UNDER_WAY = {Adjudication.State.QUEUED, Adjudication.State.RUNNING}


@dataclass
class Shown:
    """An answer with what was asked. `every`: every step of the charts, else what was decided, begun and happened."""

    prefix: str
    scenario: Mapping[str, Any]
    answer: dict[str, Any] | None
    every: bool = False
    stored: dict[str, Any] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.stored = self.answer  # in English, as the files of the systems are
        self.answer = answer_spoken(self.answer)

    @property
    def headline(self) -> str:
        """The answer in as few words as possible: what is determined; what hangs on something is said below."""
        if self.answer is None:
            return ""
        sentence = self.answer["sentence"]
        said = [one["sentence"] for one in self.answer["questions"]]
        if sentence != " ".join(said):
            return sentence  # a move that was not legal in the first place
        settled = [
            one["sentence"] for one in self.answer["questions"] if one["status"] == "determined"
        ] or said[:1]
        whole = like(settled[0], " ".join(settled))
        return whole if len(whole) <= LONGEST_HEADLINE else settled[0]

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The questions, each with its answer's sentence without the question repeated in it."""
        return [
            {**one, "sentence": _without(one["text"], one["sentence"])}
            for one in (self.answer or {}).get("questions", ())
        ]

    @property
    def open_questions(self) -> int:
        """How many of several questions the headline leaves out, as they hang on something."""
        asked = [one["status"] for one in self.questions]
        return sum(status != "determined" for status in asked) if "determined" in asked else 0

    @property
    def says_more(self) -> bool:
        """Whether the questions hold anything that the headline does not."""
        questions = self.questions
        return len(questions) > 1 or any(one["depends"] or one["why_not"] for one in questions)

    @property
    def next_up(self) -> dict[str, Any] | None:
        """Where the line stops: who acts next and what is on offer."""
        trace = (self.answer or {}).get("trace") or []
        last = None
        while trace:
            last = trace[-1]
            trace = last["children"]
        return last if last is not None and last["kind"] == "end" and last["options"] else None

    @cached_property
    def assumed(self) -> dict[str, list[dict[str, Any]]]:
        """Readings of the rules apart from facts that were filled in; those the answer hangs on first."""
        found = [_assumption(one) for one in (self.answer or {}).get("assumptions", ())]
        found.sort(key=lambda one: (not one["doubtful"], not one["material"]))
        return {
            "readings": [one for one in found if one["kind"] == "reading"],
            "facts": [one for one in found if one["kind"] != "reading"],
        }

    @cached_property
    def timeline(self) -> Timeline | None:
        if self.answer is None or not self.answer.get("trace"):
            return None
        trace = self.answer["trace"]
        return timeline(
            trace if self.every else brief(trace), [str(one) for one in self.scenario.get("players", ())]
        )

    @cached_property
    def printed(self) -> set[str]:
        """The rules that the timeline as shown cites: those whose sentences belong on a printed slip."""
        found: set[str] = set()

        def collect(rows: list[Row]) -> None:
            for row in rows:
                found.update(row.step.get("cites", ()))
                collect(row.children)

        collect(self.timeline.rows if self.timeline else [])
        return found

    @cached_property
    def charts(self) -> list[charts.Chart]:
        """The system's charts in which the line stops, with the step marked."""
        if self.stored is None or self.scenario["system"] not in keys():
            return []
        return charts.standing(self.scenario["system"], self.stored.get("trace") or [])[:2]

    @property
    def law(self) -> str:
        """The version of the law in words."""
        key = str(self.scenario["system"])
        return edition(key) if key in keys() else key


@dataclass
class Run(Shown):
    """One run of the engine on a dispute."""

    job: Adjudication | None = None
    label: str = ""

    @property
    def under_way(self) -> bool:
        return self.job is not None and self.job.state in UNDER_WAY

    @property
    def from_store(self) -> bool:
        """Was it answered without a run, because the same was asked before?"""
        return self.job is not None and self.job.state == Adjudication.State.DONE and self.job.runs == 0

    @property
    def title(self) -> str:
        assert self.job is not None
        return self.label or (self.answer["system"]["title"] if self.answer else title_of(self.job.system))


def run_of(dispute: Dispute, job: Adjudication, *, every: bool = False) -> Run:
    return Run(f"run-{job.pk}-", job.scenario, job.answer, every, job=job, label=what_if(dispute, job))


def what_if(dispute: Dispute, job: Adjudication) -> str:
    """What is otherwise in this run than in the dispute itself; empty when nothing is but perhaps the system."""
    own, asked = dispute.scenario, job.scenario
    said = []
    if asked["system"] == own["system"] and asked["system"] in keys():
        readings = system(asked["system"]).readings
        for key, option in asked.get("pinned", {}).items():
            if own.get("pinned", {}).get(key) != option and key in readings:
                said.append(
                    f"{spoken(readings[key].ask)} {spoken(readings[key].options.get(option, option))}"
                )
    for card, facts in asked.get("cards", {}).items():
        for word, value in facts.items():
            if own.get("cards", {}).get(card, {}).get(word) != value:
                said.append(f"{_card(own, card)}: {word} {_plain(value)}")
    return _("What if: %(said)s") % {"said": "; ".join(said)} if said else ""


def compared(answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Question by question what the one answers and what the other; and the first step at which their lines part."""
    first, second = answers
    rows = [
        {
            "text": one["text"],
            "first": _brief(one),
            "second": _brief(other),
            "differs": _brief(one) != _brief(other),
        }
        for one, other in zip(first["questions"], second["questions"], strict=False)
    ]
    return {"rows": rows, "parting": difference(first, second)["parting"]}


def facts_of(dispute: Dispute) -> dict[str, Any]:
    """What the dispute states, in words: cards by side, and the facts that are open, each with its possible values."""
    laid = dispute.scenario
    if laid["system"] not in keys():
        return {}
    law = system(laid["system"])
    opened = []
    for key, card in laid["cards"].items():
        for word, value in card.items():
            prop = law.properties.get(word)
            if prop is None or not (value == "?" or (isinstance(value, Mapping) and "disputed" in value)):
                continue
            options = value["disputed"] if isinstance(value, Mapping) else prop.unknown().options
            opened.append(
                {
                    "place": f"cards.{key}.{word}",
                    "name": f"{_card(laid, key)}: {table_words.label_of(prop)}",
                    "unknown": value == "?",
                    "options": [_plain(option) for option in options][:6],
                }
            )
    found = [
        {"place": place.replace("cards.", "").replace(".", ": "), "why": why}
        for place, why in dispute.found.items()
    ]
    return {"sides": table_words.sides(laid, dispute.found), "open": opened, "found": found, "at": laid["at"],
            "active": laid["active"]}  # fmt: skip


def title_of(key: str) -> str:
    return str(system(key).title) if key in keys() else key


def _card(laid: Mapping[str, Any], key: str) -> str:
    return table_words.name_of(laid, key) if key in laid.get("cards", {}) else key


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _brief(question: dict[str, Any]) -> list[tuple[str, str]]:
    """An answer as (under which choice, what): one pair without a choice when it is determined."""
    if question["answer"] is not None or not question["depends"]:
        return [("", question["answer"] or "")]
    return [(branch["option"], branch["answer"]) for branch in question["depends"][0]["branches"]]


def _assumption(one: dict[str, Any]) -> dict[str, Any]:
    """An assumption with its value in words, what else it could be, and what that would change."""
    words = {option["id"]: option["text"] for option in one["options"]}
    changes = {other["option"]: other["brief"] for other in one.get("otherwise", ())}
    others = [
        {"id": id, "text": text, "changes": changes.get(id, "")}
        for id, text in words.items()
        if id != one["value"]
    ]
    doubtful = bool(one["material"]) and one["status"] != "official"
    return {**one, "chosen": words.get(one["value"], one["value"]), "others": others, "doubtful": doubtful}


def _without(question: str, sentence: str) -> str:
    rest = sentence.removeprefix(question).strip()
    return like(sentence, rest[:1].upper() + rest[1:])
