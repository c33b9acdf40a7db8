"""A person's own account: creating it, changing it, and following an invitation."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from config.errors import UserError
from config.headers import address_is_secret
from config.languages import remember_language
from config.limits import Limit, address_of, count
from tournament import services
from tournament.forms.people import AccountForm, AlertsForm, MailForm, SignUpForm
from tournament.logins import device_known
from tournament.mail import mail_works
from tournament.models import Invitation, Staff
from tournament.selectors.alerts import access_alert_browser, alert_browsers, alert_mail_kinds
from tournament.selectors.entries import checkin_is_open
from tournament.selectors.invitations import access_invitation, invitations_to
from tournament.services.checks import one_of
from tournament.views.requests import PersonRequest, whole
from tournament.views.ways_in import mail_confirmation


def sign_up(request: HttpRequest) -> HttpResponse:
    """Open an account and go on where one came from."""
    form = SignUpForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            count(Limit(*settings.LIMITS["sign-up"]), "sign-up", address_of(request))
            person = services.account_create(**form.cleaned_data)
            login(request, person)
            messages.success(request, _("Welcome, %(name)s.") % {"name": person})
            response = redirect(_next(request))
            device_known(person, response)
            return response
    context = {"form": form, "next": _next(request), "open": settings.SIGN_UP}
    return render(request, "tournament/sign_up.html", context, status=form.status)


@login_required
def account(request: PersonRequest) -> HttpResponse:
    """What one tells about oneself, and one's password."""
    do = request.POST.get("do")
    person = request.user
    told = {field: getattr(person, field) for field in ("display_name", "pronouns", "language")}
    form = AccountForm(request.POST if do == "tell" else None, initial=told)
    secret: Any = PasswordChangeForm(person, request.POST if do == "password" else None)
    del secret.fields["old_password"].widget.attrs["autofocus"]  # it is not what the page begins with
    if do == "tell" and form.is_valid():
        with form.catching():
            services.account_change(person=person, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("account")
    if do == "password" and secret.is_valid():
        secret.save()
        update_session_auth_hash(request, person)
        messages.success(request, _("Your password has been changed."))
        return redirect("account")
    mail = MailForm(request.POST if do == "email" else None)
    if do == "email" and mail_works() and mail.is_valid():
        with mail.catching():
            mail_confirmation(request, mail.cleaned_data["email"])
            messages.success(request, _("We sent you a link. Your address counts once you have opened it."))
            return redirect("account")
    if do == "forget-email":
        services.email_forget(person=person)
        messages.success(request, _("Your address has been removed."))
        return redirect("account")
    alerts = AlertsForm(request.POST if do == "alerts" else None, initial={"kinds": alert_mail_kinds(person)})
    if do == "alerts" and alerts.is_valid():
        with alerts.catching():
            site = request.build_absolute_uri("/")[:300]
            services.alert_mail_choose(person=person, site=site, now=timezone.now(), **alerts.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("account")
    if do == "forget-browser":
        services.alert_browser_remove(
            address=access_alert_browser(person, whole(request, "browser")), by=person
        )
        messages.success(request, _("Saved."))
        return redirect("account")
    context = {
        "form": form,
        "alerts": alerts,
        "alert_browsers": alert_browsers(person),
        "secret": secret,
        "mail": mail,
        "mail_works": mail_works(),
        "opened": person.one_time_secrets.filter(purpose="code", used_at__isnull=False).first(),
    }
    status = 400 if secret.is_bound and secret.errors else max(form.status, mail.status, alerts.status)
    return render(request, "tournament/account.html", context, status=status)


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """The choice at the foot of every page: kept in this browser, and in the account of who has one."""
    chosen = request.POST.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        raise UserError("unknown", _("We have no pages in this language."), place="language")
    if request.user.is_authenticated:
        services.account_language(person=request.user, language=chosen)
    response = redirect(_next(request))
    remember_language(response, chosen)
    return response


def join(request: HttpRequest, secret: str) -> HttpResponse:
    """What an invitation offers, and taking it."""
    invite = services.invite_of(secret=secret, now=timezone.now())
    if request.method == "POST" and request.user.is_authenticated:
        staff = services.invite_accept(secret=secret, by=request.user, now=timezone.now())
        return _joined(request, staff)
    return address_is_secret(
        render(request, "tournament/join.html", {"invite": invite, "event": invite.event})
    )


@login_required
def invitations(request: PersonRequest) -> HttpResponse:
    """Which events ask for one's help, or whether a player is oneself; and answering."""
    person, problem = request.user, None
    if request.method == "POST":
        invitation = access_invitation(person, whole(request, "pk"))
        try:
            return _answer(request, invitation)
        except UserError as error:
            problem = error
    context = {"invitations": invitations_to(person), "problem": problem}
    status = problem.status if problem else 200
    return render(request, "tournament/invitations.html", context, status=status)


def _answer(request: PersonRequest, invitation: Invitation) -> HttpResponse:
    do, person, now = request.POST.get("do", ""), request.user, timezone.now()
    if one_of(do, "do", ("accept", "decline", "refuse")) == "accept":
        if invitation.entry_id is not None:
            entry = services.entry_accept(invitation=invitation, by=person, now=now)
            messages.success(request, _("You are now in this event as %(name)s.") % {"name": entry.name})
            return redirect("check-in" if checkin_is_open(entry.event) else "event", entry.event.slug)
        staff = services.invitation_accept(invitation=invitation, by=person, now=now)
        return _joined(request, staff)
    services.invitation_decline(invitation=invitation, for_good=do == "refuse", by=person, now=now)
    messages.success(
        request,
        _("You’ve declined. You aren’t registered in this event.")
        if invitation.entry_id is not None
        else _("You’ve declined. You have no role in this event."),
    )
    return redirect("home")


def _joined(request: HttpRequest, staff: Staff) -> HttpResponse:
    messages.success(request, _("You’ve joined the event staff. Thank you for helping."))
    spectator = staff.role == staff.Role.SPECTATOR
    return redirect("event" if spectator else "event-control", staff.event.slug)


def _next(request: HttpRequest) -> str:
    """Where to go on, within this site."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else "/"
