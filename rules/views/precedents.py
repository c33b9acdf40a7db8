"""Precedents: search, a ruling's permanent page, groups of cards, and cases in which the judge disagreed with the
engine."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.errors import Forbidden, NotFound, UserError
from rules import services
from rules.law.system_files import systems
from rules.models import CardGroup
from rules.selectors import Asked, access_precedent, closest_cards, may_review, must_review, search

STATUSES = [
    ("", gettext_lazy("any")),
    ("verified", gettext_lazy("verified")),
    ("unverified", gettext_lazy("unverified")),
    ("reversed", gettext_lazy("reversed")),
    ("superseded", gettext_lazy("superseded")),
    ("final", gettext_lazy("final for its event")),
    ("floor", gettext_lazy("floor rulings")),
    ("appealed", gettext_lazy("appealed")),
]
PAGE = 50


def precedent_search(request: HttpRequest) -> HttpResponse:
    """Rulings by card, two cards, rule, words, system, status and scope."""
    asked, problem = _asked_for(request.GET), None
    hits: list[Any] = []
    try:
        hits = search(request.user, asked)
    except UserError as error:
        problem = error
    context = {
        "asked": asked,
        "given": {word: request.GET.get(word, "") for word in ("card", "with", "rule", "q")},
        "hits": hits[:PAGE],
        "more": len(hits) > PAGE,
        "near": {card: names for card, names in closest_cards(asked).items() if names} if not hits else {},
        "systems": systems(),
        "statuses": STATUSES,
        "problem": problem,
        "reviewing": may_review(request.user),
    }
    part = request.headers.get("HX-Target") == "hits"
    page = "rules/_hits.html" if part else "rules/precedents.html"
    return render(request, page, context, status=problem.status if problem else 200)


def _asked_for(given: QueryDict) -> Asked:
    """The search in the page's address: card (repeated, or `with`), rule, q, system, status, scope."""
    cards = [*given.getlist("card"), given.get("with", "")]
    return Asked(
        cards=tuple(card.strip()[:120] for card in cards if card.strip())[:5],
        rule=given.get("rule", "").strip()[:60],
        words=given.get("q", "").strip()[:200],
        system=given.get("system", ""),
        status=given.get("status", ""),
        scope=given.get("scope", ""),
    )


def precedent_page(request: HttpRequest, pk: int) -> HttpResponse:
    """One ruling at the address that can be passed on."""
    hit = access_precedent(request.user, pk)
    return render(request, "rules/precedent.html", {"hit": hit, "address": request.build_absolute_uri()})


@login_required
def candidate(request: HttpRequest, pk: int) -> HttpResponse:
    """The case as it was when the judge ruled otherwise than the engine, as a file ready to be tried."""
    hit = access_precedent(request.user, pk)
    if not hit.judged or not hit.ruling.candidate:
        raise NotFound(_("proposed test case"))
    response = HttpResponse(hit.ruling.candidate, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="candidate-{pk}.yaml"'
    return response


def group_list(request: HttpRequest) -> HttpResponse:
    """The groups of cards that rulings treat alike; who reviews makes new ones."""
    problem = None
    if request.method == "POST":
        try:
            group = _saved(request, None)
            return redirect("card-group", group.pk)
        except Forbidden:
            raise
        except UserError as error:
            problem = error
    context = {
        "groups": CardGroup.objects.all(),
        "reviewing": may_review(request.user),
        "problem": problem,
        "typed": {word: request.POST.get(word, "") for word in ("name", "cards")},
    }
    return render(request, "rules/groups.html", context, status=problem.status if problem else 200)


def group_page(request: HttpRequest, pk: int) -> HttpResponse:
    """A group: its cards, and the rulings found under each of them."""
    group = CardGroup.objects.filter(pk=pk).first()
    if group is None:
        raise NotFound(_("group of cards"))
    problem = None
    if request.method == "POST":
        try:
            _saved(request, group)
            return redirect("card-group", pk)
        except Forbidden:
            raise
        except UserError as error:
            problem = error
            group.refresh_from_db()
    attached = set(group.rulings.values_list("pk", flat=True))
    context = {
        "group": group,
        "lines": "\n".join(group.cards),
        "hits": [
            hit for hit in search(request.user, Asked(cards=(group.cards[0],))) if hit.ruling.pk in attached
        ],
        "reviewing": may_review(request.user),
        "problem": problem,
    }
    return render(request, "rules/group.html", context, status=problem.status if problem else 200)


def _saved(request: HttpRequest, group: CardGroup | None) -> CardGroup:
    must_review(request.user)
    return services.card_group_save(
        group=group,
        name=request.POST.get("name", ""),
        cards=request.POST.get("cards", "").splitlines(),
        by=request.user,
        now=timezone.now(),
    )
