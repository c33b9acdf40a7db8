"""The state of the installation: a page for the people who run it, and `/metrics` for machines."""

import hmac
from collections.abc import Iterator
from ipaddress import ip_address

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound
from config.live import render_live
from decks.selectors import catalogs
from tournament import services
from tournament.forms.people import BanForm
from tournament.selectors import operations
from tournament.selectors.accounts import access_person, closed_accounts, find_person
from tournament.views.requests import PersonRequest, whole


@login_required
def operations_page(request: PersonRequest) -> HttpResponse:
    """Workers, queues, what waits longest, the last faults. For superusers."""
    if not request.user.is_superuser:
        raise NotFound(_("page"))
    now = timezone.now()
    found = {
        "processes": operations.processes(now),
        "queues": operations.queues(now),
        "answering": operations.answering(),
        "faults": operations.faults(),
        "catalogs": catalogs(),
        "database": connection.vendor,
        "embedded": settings.EMBEDDED_BROKER,
        "now": now,
    }
    return render_live(
        request,
        page="tournament/operations.html",
        part="tournament/_operations_live.html",
        version=now.timestamp(),
        context=lambda: found,
    )


@login_required
def accounts_page(request: PersonRequest) -> HttpResponse:
    """Close an account on the whole site, open it again. For superusers."""
    if not request.user.is_superuser:
        raise NotFound(_("page"))
    now = timezone.now()
    if request.POST.get("do") == "reopen":
        services.account_reopen(person=access_person(whole(request, "pk")), by=request.user, now=now)
        messages.success(request, _("The account has been reopened."))
        return redirect("accounts")
    form = BanForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            person = find_person(form.cleaned_data["who"])
            services.account_close(
                person=person, reason=form.cleaned_data["reason"], by=request.user, now=now
            )
            messages.success(request, _("The account of %(name)s has been closed.") % {"name": person})
            return redirect("accounts")
    context = {"form": form, "closed": closed_accounts()}
    return render(request, "tournament/accounts.html", context, status=form.status)


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus's text format, counted from the database: the same from whichever process answers."""
    if not _may_read(request):
        raise NotFound(_("page"))
    return HttpResponse("\n".join([*_lines(), ""]), content_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read(request: HttpRequest) -> bool:
    """Who has the token; without one, this machine itself, not through a proxy."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    try:
        near = ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
    return (
        near and "HTTP_X_FORWARDED_FOR" not in request.META and "HTTP_X_FORWARDED_PROTO" not in request.META
    )


def _lines() -> Iterator[str]:
    now = timezone.now()
    queues = operations.queues(now)
    yield from _family("queue_waiting", "gauge", "Jobs that wait for a worker.")
    yield from (_line("queue_waiting", one.waiting, queue=one.name) for one in queues)
    yield from _family("queue_running", "gauge", "Jobs in a worker's hands.")
    yield from (_line("queue_running", one.running, queue=one.name) for one in queues)
    yield from _family("queue_oldest_seconds", "gauge", "How long the job has waited that waits longest.")
    yield from (_line("queue_oldest_seconds", one.oldest_seconds, queue=one.name) for one in queues)
    told = operations.answering()
    yield from _family("adjudications_total", "counter", "Runs of the engine that have ended.")
    yield from (
        _line("adjudications_total", count, state=state) for state, count in sorted(told.ended.items())
    )
    yield from _family("adjudication_seconds", "histogram", "From a question to its answer.")
    for limit, count in told.within.items():
        yield _line("adjudication_seconds_bucket", count, le=f"{limit:g}")
    yield _line("adjudication_seconds_bucket", told.count, le="+Inf")
    yield _line("adjudication_seconds_sum", told.seconds)
    yield _line("adjudication_seconds_count", told.count)
    yield from _family("faults_total", "counter", "Errors of ours: answers 500 and jobs given up.")
    yield _line("faults_total", operations.faults_counted())
    yield from _family("processes", "gauge", "Workers and clocks seen lately.")
    kinds = [one.kind for one in operations.processes(now)]
    yield from (_line("processes", kinds.count(kind), kind=kind) for kind in ("worker", "clock"))


def _family(name: str, kind: str, told: str) -> list[str]:
    return [f"# HELP headjudge_{name} {told}", f"# TYPE headjudge_{name} {kind}"]


def _line(name: str, value: float, **labels: str) -> str:
    told = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return f"headjudge_{name}{{{told}}} {value:g}" if told else f"headjudge_{name} {value:g}"
