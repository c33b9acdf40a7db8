"""Alerts people who aren't looking at the page: by mail, and in their browsers (Web Push).

What there is to tell is read off the audit log, in the transaction of the change (`alerts_heard`). Each alert is a job
(docs/jobs.md); its words are made when it is sent, so that nothing is told that is not so any more.
"""

import http.client
import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config import jobs, web_push
from config.errors import UserError
from config.languages import shown_language
from rules.models import Ruling
from tournament.bracket_words import round_words
from tournament.mail import mail_works, send_alert
from tournament.models import (
    Alert,
    AlertAddress,
    AuditRow,
    Event,
    Extension,
    GivenRuling,
    Invitation,
    JudgeCall,
    Match,
    Registration,
    Round,
)
from tournament.selectors import MATCHES, clock_of, extension_of, match_state, shown_clock
from tournament.selectors.calls import may_read
from tournament.selectors.clock import extensions
from tournament.selectors.invitations import invitations_to

BEFORE_THE_END = timedelta(minutes=5)
NEAR = timedelta(minutes=1)  # an alert of five minutes may come when four or six are left
LANES = {AlertAddress.Way.MAIL.value: jobs.Lane.MAIL, AlertAddress.Way.PUSH.value: jobs.Lane.PUSH}
NEWS_FOR = {
    AlertAddress.Kind.PAIRED: timedelta(minutes=30),
    AlertAddress.Kind.FIVE: timedelta(minutes=2),
    AlertAddress.Kind.INVITE: timedelta(days=1),
}  # others: NEWS_LONGEST
NEWS_LONGEST = timedelta(hours=2)
MOST_WORDS = 300  # of a long ruling, in a browser's message
KEPT = timedelta(days=2)
GONE = (404, 410)  # the browser takes no messages any more (RFC 8030)

OUTLAST = (AlertAddress.Kind.RULING, AlertAddress.Kind.APPEAL)  # news though the round has ended
DECIDED = (Ruling.Change.UPHELD, Ruling.Change.OVERTURNED)
AT_ONCE = 8  # bells that are rung; a worker that answers one goes on with what waits

log = logging.getLogger(__name__)


# --- what is told, and to whom -----------------------------------------------------------------------------


def alerts_heard(row: AuditRow) -> None:
    """Queue what this row of the audit log means to people who chose to hear of it."""
    heard = _HEARD.get((row.verb, row.target_type))
    if heard is not None:
        heard(row, timezone.now())


def _round_shown(row: AuditRow, now: datetime) -> None:
    seats = Q(seats__round=int(row.target_id), seats__round__published_at__isnull=False)
    if _addresses(seats):
        _queue(AlertAddress.Kind.PAIRED, seats, now)
        _warn(Round.objects.get(pk=row.target_id), now)


def _clock_turned(row: AuditRow, now: datetime) -> None:
    _warn(Round.objects.get(pk=row.target_id), now)


def _time_given(row: AuditRow, now: datetime) -> None:
    given = Extension.objects.filter(match_id=int(row.target_id)).select_related("match__round").last()
    if given is not None:
        if given.minutes > 0:
            _queue(AlertAddress.Kind.TIME, Q(seats__match=given.match), now, about=given.pk)
        _warn(given.match.round, now)


def _judge_comes(row: AuditRow, now: datetime) -> None:
    call = JudgeCall.objects.select_related("registration").get(pk=row.target_id)
    if call.registration is not None:
        own = AlertAddress.objects.filter(user=call.registration.user, user__is_active=True)
        kind = AlertAddress.Kind.JUDGE
        wanted = (one for one in own if kind in one.kinds)
        _add([_new(one, kind, now, due=now, event=row.event, about=call.pk) for one in wanted])
    if call.match is not None:
        _queue(AlertAddress.Kind.JUDGE, Q(seats__match=call.match), now, about=call.pk, only=lambda: call)


def _ruling_given(row: AuditRow, now: datetime) -> None:
    ruling = Ruling.objects.get(pk=row.data["ruling"])
    if ruling.event_side != Ruling.EventSide.NONE:
        kind = AlertAddress.Kind.APPEAL if ruling.change in DECIDED else AlertAddress.Kind.RULING
        _queue(kind, Q(seats__match=row.target_id), now, about=ruling.pk)


def _invited(row: AuditRow, now: datetime) -> None:
    """Once per event and address while alerts are kept, however often somebody is asked."""
    about = {"entry": row.target_id} if row.verb == "player_invite" else {"pk": row.target_id}
    asked = Invitation.objects.filter(**about, state=Invitation.State.OPEN, user__is_active=True)
    addresses = AlertAddress.objects.filter(user__in=asked.values("user"))
    kind = AlertAddress.Kind.INVITE
    _add([_new(one, kind, now, due=now, event=row.event) for one in addresses if kind in one.kinds])


_HEARD: dict[tuple[str, str], Callable[[AuditRow, datetime], None]] = {
    ("round_pair", "tournament.round"): _round_shown,
    ("round_publish", "tournament.round"): _round_shown,
    ("round_repair", "tournament.round"): _round_shown,
    ("stage_round", "tournament.round"): _round_shown,
    ("clock_start", "tournament.round"): _clock_turned,
    ("clock_pause", "tournament.round"): _clock_turned,
    ("clock_add", "tournament.round"): _clock_turned,
    ("time_extend", "tournament.match"): _time_given,
    ("call_claim", "tournament.judgecall"): _judge_comes,
    ("ruling_give", "tournament.match"): _ruling_given,
    ("staff_invite", "tournament.invitation"): _invited,
    ("player_invite", "tournament.registration"): _invited,
}


def _addresses(seats: Q) -> list[tuple[AlertAddress, int]]:
    """(address, match) of those in these seats who chose any alert."""
    entries = Registration.objects.filter(seats, user__alert_addresses__isnull=False, user__is_active=True)
    rows = dict(entries.values_list("user", "seats__match"))
    addresses = AlertAddress.objects.filter(user__in=rows).select_related("user")
    return [(one, rows[one.user_id]) for one in addresses]


def _wanting(kind: str, seats: Q) -> list[tuple[AlertAddress, int]]:
    """Of these, those who chose this kind."""
    return [(one, match) for one, match in _addresses(seats) if kind in one.kinds]


def _queue(
    kind: str, seats: Q, now: datetime, *, about: int = 0, only: Callable[[], JudgeCall] | None = None
) -> None:
    """Alert those in these seats who want it; with `only`, of those who may read that judge call."""
    found = _wanting(kind, seats)
    if only is not None:
        found = [(one, match) for one, match in found if may_read(one.user, only())]
    _add([_new(one, kind, now, match=match, due=now, about=about) for one, match in found])


def _warn(round: Round, now: datetime) -> None:
    """Set, or set anew, when the round's players hear that five minutes are left: as its clock runs now."""
    Alert.objects.filter(match__round=round, kind=AlertAddress.Kind.FIVE, state=Alert.State.QUEUED).delete()
    clock = shown_clock(round)
    if clock is None or not clock.running:
        return
    more, made = extensions(round), []
    for one, match in _wanting(
        AlertAddress.Kind.FIVE, Q(seats__round=round, seats__match__table__isnull=False)
    ):
        ends = clock.ends_at(more.get(match, 0))
        if ends is not None and ends - BEFORE_THE_END > now:
            made.append(_new(one, AlertAddress.Kind.FIVE, now, match=match, due=ends - BEFORE_THE_END))
    _add(made)


def _new(
    address: AlertAddress,
    kind: str,
    now: datetime,
    *,
    due: datetime,
    match: int | None = None,
    event: Event | None = None,
    about: int = 0,
) -> Alert:
    return Alert(
        address=address,
        kind=kind,
        match_id=match,
        event=event,
        about=about,
        lane=LANES[address.way],
        made_at=now,
        queued_at=due,
        due_at=due,
        sent_at=now,
    )


def _add(alerts: list[Alert]) -> None:
    """Store what was not told before, and ring for some of it."""
    Alert.objects.bulk_create(alerts, ignore_conflicts=True)
    for lane in {one.lane for one in alerts if one.due_at == one.made_at}:
        first = alerts[0]
        waiting = Alert.objects.filter(lane=lane, state=Alert.State.QUEUED, due_at=first.made_at)
        for pk in waiting.values_list("pk", flat=True)[:AT_ONCE]:
            jobs.ring(ALERT, pk)


# --- telling it --------------------------------------------------------------------------------------------


def alert_words(alert: Alert, now: datetime) -> str:
    """What the alert says now; empty where it is no news any more."""
    if alert.kind != AlertAddress.Kind.FIVE and now - alert.made_at > _news_for(alert):
        return ""
    if alert.match_id is None:
        return _asked(alert) if alert.kind == AlertAddress.Kind.INVITE else _comes(alert)
    match = MATCHES.select_related("round__event").get(pk=alert.match_id)
    over = match.round.finished_at is not None and alert.kind not in OUTLAST
    if over or match.round.published_at is None:
        return ""
    return _WORDS[AlertAddress.Kind(alert.kind)](alert, match, now)


def _asked(alert: Alert) -> str:
    asked = invitations_to(alert.address.user).filter(event=alert.event_id).first()
    if asked is None:
        return ""
    if asked.entry is not None:
        told = {"name": asked.made_by, "entry": asked.entry}
        return _("%(name)s has registered %(entry)s. Is that you?") % told
    return _("%(name)s invites you to join the event staff.") % {"name": asked.made_by}


def _paired(alert: Alert, match: Match, now: datetime) -> str:
    if match_state(match).settled and match.table is not None:
        return ""
    others = [
        seat.registration.name
        for seat in match.seats.all()
        if seat.registration.user_id != alert.address.user_id
    ]
    if not others or match.table is None:
        return _("You have a bye.")
    told = {"round": round_words(match.round), "table": match.table, "name": others[0]}
    return _("%(round)s: table %(table)s, against %(name)s.") % told


def _five(alert: Alert, match: Match, now: datetime) -> str:
    left = clock_of(match.round).left(now, extension_of(match))
    near = abs(left - BEFORE_THE_END) <= NEAR and not match_state(match).settled
    return _("The round ends in five minutes.") if near else ""


def _time(alert: Alert, match: Match, now: datetime) -> str:
    given = Extension.objects.get(pk=alert.about).minutes
    words = ngettext("%(n)s more minute for your table", "%(n)s more minutes for your table", given)
    return words % {"n": given}


def _judge(alert: Alert, match: Match, now: datetime) -> str:
    return _comes(alert)


def _comes(alert: Alert) -> str:
    call = JudgeCall.objects.select_related("judge").get(pk=alert.about)
    if call.closed_at is not None or call.judge is None:
        return ""
    return _("A judge is on the way: %(name)s") % {"name": call.judge}


def _ruling(alert: Alert, match: Match, now: datetime) -> str:
    given = GivenRuling.objects.filter(match=match, ruling=alert.about).select_related("ruling").first()
    if given is None:
        return ""
    told = {"verdict": given.ruling.verdict}
    if given.ruling.change in DECIDED:
        return _("The appeal was heard: %(verdict)s") % told
    return _("Ruling: %(verdict)s") % told


_WORDS: dict[AlertAddress.Kind, Callable[[Alert, Match, datetime], str]] = {
    AlertAddress.Kind.PAIRED: _paired,
    AlertAddress.Kind.FIVE: _five,
    AlertAddress.Kind.TIME: _time,
    AlertAddress.Kind.JUDGE: _judge,
    AlertAddress.Kind.RULING: _ruling,
    AlertAddress.Kind.APPEAL: _ruling,
}


def _work(alert: Alert) -> None:
    """Try once: sent, no news any more, to be tried again soon, or given up."""
    now, address = timezone.now(), alert.address
    person = address.user
    with translation.override(shown_language(person.language) or address.language or settings.LANGUAGE_CODE):
        words = alert_words(alert, now)
        if not words or not person.is_active:
            jobs.finish(ALERT, alert, now, failure="")
            return
        status, failure = None, ""
        try:
            status = (
                _by_mail(alert, words)
                if address.way == AlertAddress.Way.MAIL
                else _by_push(alert, words, now)
            )
        except UserError as refused:
            failure = refused.message
        except (OSError, http.client.HTTPException, SMTPException, ValueError) as error:
            failure = f"{type(error).__name__}: {error}"
    _note(alert, status, failure, timezone.now())
    log.info("alert %s to address %s: %s", alert.pk, address.pk, status or failure)


def _by_mail(alert: Alert, words: str) -> int:
    person, event = alert.address.user, _event(alert)
    if not mail_works() or person.email_confirmed_at is None or not person.email:
        return GONE[0]
    site = alert.address.site.rstrip("/")
    send_alert(
        person.email,
        event.name,
        words,
        page=site + _page(alert),
        account=site + reverse("account") + "#alerts",
    )
    return 250


def _event(alert: Alert) -> Event:
    return alert.match.round.event if alert.match is not None else Event.objects.get(alerts=alert)


def _page(alert: Alert) -> str:
    """Where it is to be read: on My match, which shows another round by then, or the ruling on its own page; or where
    invitations are answered."""
    if alert.kind == AlertAddress.Kind.INVITE:
        return reverse("invitations")
    if alert.match is None:
        return reverse("my-match", args=[_event(alert).slug])
    if alert.match.round.finished_at is not None and alert.kind in OUTLAST:
        return reverse("ruling", args=[alert.about])
    return reverse("my-match", args=[alert.match.round.event.slug])


def _by_push(alert: Alert, words: str, now: datetime) -> int:
    if not web_push.push_works():
        return GONE[0]
    address, event = alert.address, _event(alert)
    browser = web_push.Browser(address.endpoint, address.public_key, address.shared_secret)
    told = {
        "title": event.name,
        "body": words[:MOST_WORDS],
        "page": _page(alert),
        "tag": f"{alert.kind} {alert.match_id or alert.event_id} {alert.about}",
    }
    message = json.dumps(told, ensure_ascii=False).encode()
    return web_push.send(browser, message, keep=_news_for(alert), now=now)


def _news_for(alert: Alert) -> timedelta:
    return NEWS_FOR.get(AlertAddress.Kind(alert.kind), NEWS_LONGEST)


def _note(alert: Alert, status: int | None, failure: str, now: datetime) -> None:
    if status is not None and 200 <= status < 300:
        jobs.finish(ALERT, alert, now, failure="")
    elif status in GONE:
        with transaction.atomic():
            jobs.finish(ALERT, alert, now, failure="")
            AlertAddress.objects.filter(pk=alert.address_id).delete()
    elif alert.runs > len(settings.ALERT_WAITS):
        jobs.fail(ALERT, alert, UserError("not-delivered", failure or f"HTTP {status}"), now)
    else:
        due = now + timedelta(seconds=settings.ALERT_WAITS[alert.runs - 1])
        told = (failure or f"HTTP {status}")[:300]
        with transaction.atomic():
            jobs.put_back(ALERT, alert, now, due_at=due, queued_at=due, failure=told)
            if status is None:
                _all_wait(alert, now, due)


def _all_wait(alert: Alert, now: datetime, due: datetime) -> None:
    """A service that does not answer is asked with one alert, not with each that waits for it: every try takes
    seconds that alerts through other services wait. It counts as a try of theirs, too."""
    waiting = Alert.objects.filter(
        address__service=alert.address.service, lane=alert.lane, state=Alert.State.QUEUED, due_at__lte=now
    )
    waiting.update(due_at=due, queued_at=due, runs=Greatest(F("runs"), alert.runs))


ALERT = jobs.Kind(
    name="tournament.alert",
    word="alert",
    model=Alert,
    owner="address",
    work=_work,
    lease="ALERT_LEASE_SECONDS",
    related=("address__user", "match__round__event"),
    most_runs=len(settings.ALERT_WAITS) + 1,
    told=lambda error: {"failure": error.message[:300]},
)


def alerts_sweep(*, now: datetime) -> int:
    """As `jobs.sweep`; what is old is forgotten."""
    Alert.objects.filter(finished_at__lt=now - KEPT).delete()
    return jobs.sweep(ALERT, now)
