"""Plays on a board: choose what happened, go back and forth, branch, compare two lines, ask why not."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from rules import services
from rules.engine.answers.assumed import cited
from rules.engine.base.messages import Message
from rules.law.system_files import system
from rules.models import Table
from rules.selectors import access_table
from rules.spoken import answer_spoken, like, spoken
from rules.table import playing, table_words
from rules.table.stepping import Session
from rules.timeline import Timeline, brief, timeline
from rules.views.table_parts import counted, frame, standing_at, taken_so_far

MANY_OPTIONS = 40  # of one decision; more are looked for by their words


@dataclass(frozen=True)
class Choice:
    number: int
    words: str
    said: str
    passes: bool
    usual: bool  # it is what the line at hand chose here


@dataclass
class Play:
    """One moment of one line, as the page shows it."""

    session: Session
    line: int
    step: int
    steps: list[list[Any]]
    every: bool = False  # every step of the charts, too
    find: str = ""  # words of the option looked for, where there are many

    @property
    def about(self) -> dict[str, Any]:
        return self.session.about()

    @property
    def choices(self) -> list[Choice]:
        chosen = self.steps[self.step] if self.step < len(self.steps) else [-1, ""]
        return [
            Choice(number, str.__str__(words), _said(words), words == "pass", [number, words] == list(chosen))
            for number, words in enumerate(self.session.options())
        ]

    @property
    def many(self) -> bool:
        return len(self.session.options()) > MANY_OPTIONS

    @property
    def shown(self) -> list[Choice]:
        """The options on the screen: of very many those with the words looked for, and not more than fit."""
        words = self.find.casefold().split()
        found = [one for one in self.choices if all(word in one.words.casefold() for word in words)]
        usual = [one for one in found if one.usual or one.passes]
        rest = [one for one in found if one not in usual]
        return found if len(found) <= MANY_OPTIONS else [*usual, *rest[: MANY_OPTIONS - len(usual)]]

    @property
    def left_out(self) -> int:
        return len(self.choices) - len(self.shown)

    @property
    def heading(self) -> str:
        """The question that the screen asks."""
        about, session = self.about, self.session
        if session.decision is None:
            return _over(session.machine.ended or "")
        if about["decider"] == "rules":
            return str(spoken(about["decision"]))
        if about["decider"] == "facts":
            return _("How is it? %(fact)s") % {"fact": spoken(about["decision"])}
        if about["decider"] == "chance":
            return _("What does chance bring?")
        who = {"who": about["who"], "what": spoken(session.decision.subject)}
        return {
            "use": _("What does %(who)s do?") % who,
            "order": _("What comes next?"),
            "may": _("Does %(who)s %(what)s?") % who,
            "one-of": _("Which does %(who)s choose?") % who,
        }.get(session.kind, _("Whom or what does %(who)s choose?") % who)

    @property
    def within(self) -> list[str]:
        """What is going on: the innermost steps that have begun and are not over."""
        return [spoken(step["text"]) for step in self.session.tracer.open[1:] if step["text"]][-2:]

    @property
    def back(self) -> int:
        return self.step - 1

    @property
    def forward(self) -> int:
        """The next step of the line, 0 when it is at its end."""
        return self.step + 1 if self.step < len(self.steps) else 0

    @property
    def timeline(self) -> Timeline:
        steps = spoken(self.session.tracer.steps())
        return timeline(steps if self.every else brief(steps, refused=False), self.session.canonical["seats"])


def _said(words: str) -> str:
    known = {"pass": _("Pass"), "yes": _("Yes"), "no": _("No")}
    if words in known:
        return known[words]
    shown = spoken(words)
    return like(shown, shown[:1].upper() + shown[1:])


def _over(why: str) -> str:
    """Why a line is over, in words."""
    if isinstance(why, Message):  # not modelled: what cannot be worked out
        return str(spoken(Message("{^said}.", said=dict(why.arguments)["reason"])))
    return {
        "game": _("The game is over."),
        "runaway": _("This loops forever: mandatory effects keep triggering each other."),
    }.get(why, _("There is nothing left to decide in this part of the game."))


@login_required
def table_play(request: HttpRequest, pk: int) -> HttpResponse:
    """What happened? Choose it; go back and forth; branch."""
    table = access_table(request.user, pk)
    line, step = standing_at(request, table)
    problem = None
    if request.method == "POST":
        try:
            line, step = _step(request, table, line, step)
            return redirect(f"{reverse('table-play', args=[pk])}?{urlencode({'line': line, 'step': step})}")
        except UserError as error:
            problem = error
    try:
        steps = playing.steps_of(table.lines, line)
        session, broken = playing.play(table.scenario, steps[:step])
    except UserError as error:
        context = {**frame(table), "problem": error}
        return render(request, "rules/table_play.html", context, status=error.status)
    shown = Play(
        session,
        line,
        len(session.choices),
        steps,
        every="every" in request.GET,
        find=request.GET.get("find", ""),
    )
    context = {
        **frame(table),
        "play": shown,
        "broken": broken,
        "refused": spoken([list(one) for one in session.told()]),
        "changes": _changes(session),
        "lines": _lines(table, line),
        "moves": taken_so_far(session),
        "open_law": cited(
            session.scene.system,
            [
                session.tracer.steps(),
                {"cites": shown.about.get("cites", ())},
                *({"cites": told[2]} for told in session.told()),
            ],
        ),
        "system": session.scene.system,
        "card_names": [(key, table_words.name_of(table.scenario, key)) for key in table.scenario["cards"]],
        "problem": problem,
    }
    return render(request, "rules/table_play.html", context, status=problem.status if problem else 200)


def _step(request: HttpRequest, table: Table, line: int, step: int) -> tuple[int, int]:
    now = timezone.now()
    if request.POST.get("do") == "forget":
        services.table_drop_line(table=table, line=line, now=now)
        return 0, len(playing.steps_of(table.lines, 0))
    number, _colon, words = request.POST.get("choose", "").partition(":")
    return services.table_choose(
        table=table, line=line, step=step, number=counted(number, -1), words=words, now=now
    )


def _changes(session: Session) -> list[dict[str, Any]]:
    """What is different from the start, card by card."""
    found: dict[str, list[str]] = {}
    for obj, fact, old, new in session.changes():
        prop = session.scene.system.properties[fact]
        label = spoken(session.scene.system.word(table_words.label_of(prop)))
        if prop.type == "yes-no":
            words = label if new else _("no longer %(fact)s") % {"fact": label}
        elif fact == "zone":
            words = f"{spoken(old)} → {spoken(new)}"
        else:
            words = f"{label} {_plain(old)} → {_plain(new)}"
        found.setdefault(_("the game") if obj.kind == "game" else obj.label, []).append(words)
    return [{"name": name, "words": words} for name, words in found.items()]


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(_plain(one) for one in value) or "–"
    return "–" if value is None else str(getattr(value, "label", value))


def _lines(table: Table, at: int) -> list[dict[str, Any]]:
    """The lines of play, each with where it parts from the one at hand."""
    found = []
    for number, one in enumerate(table.lines):
        common = playing.parting(table.lines, at, number)
        steps = one["steps"]
        found.append(
            {
                "number": number,
                "name": one["name"],
                "steps": len(steps),
                "here": number == at,
                "shown": number + 1,
                "parts_shown": common + 1,
                "words": steps[common][1] if number != at and common < len(steps) else "",
            }
        )
    return found


@login_required
def table_compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Two lines of play: what they share, where they part, and what is different in the end."""
    table = access_table(request.user, pk)
    one = counted(request.GET.get("line"), 0)
    other = counted(request.GET.get("with"), 1)
    if max(one, other) >= len(table.lines):
        raise NotFound(_("line of play"))
    common = playing.parting(table.lines, one, other)
    shown = []
    for number in (one, other):
        steps = playing.steps_of(table.lines, number)
        session, broken = playing.play(table.scenario, steps)
        shown.append(
            {
                "number": number,
                "moves": taken_so_far(session)[common:],
                "changes": _changes(session),
                "question": spoken(session.question()),
                "broken": broken,
                "steps": len(session.choices),
            }
        )
    shared = taken_so_far(playing.play(table.scenario, playing.steps_of(table.lines, one, common))[0])
    return render(
        request,
        "rules/table_compare.html",
        {**frame(table), "shown": shown, "shared": shared, "common": common},
    )


@login_required
def table_why(request: HttpRequest, pk: int) -> HttpResponse:
    """Why may somebody not use a card at this moment? Answered at once."""
    table = access_table(request.user, pk)
    line, step = standing_at(request, table)
    who, card = request.GET.get("who", ""), request.GET.get("card", "")
    problem, answer = None, None
    if who not in table.scenario["players"] or card not in table.scenario["cards"]:
        raise NotFound(_("card on this board"))
    try:
        answer = answer_spoken(services.table_why(table=table, line=line, step=step, who=who, card=card))
    except UserError as error:
        problem = error
    context = {
        **frame(table),
        "question": answer["questions"][0] if answer else None,
        "law": answer["rules"] if answer else {},
        "system": system(table.scenario["system"]),
        "problem": problem,
        "line": line,
        "step": step,
    }
    part = request.headers.get("HX-Target") == "why"
    return render(request, "rules/_table_why.html" if part else "rules/table_why.html", context)
