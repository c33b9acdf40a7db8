"""Logging in without the password: by a mailed link or a code from staff; and choosing a new one."""

import time

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.headers import address_is_secret
from config.limits import Limit, address_of, count
from tournament import services
from tournament.forms.people import CodeLoginForm, MailForm, NewPasswordForm
from tournament.logins import Attempt, device_known
from tournament.mail import mail_works, send_confirmation, send_links
from tournament.models import User
from tournament.views.requests import PersonRequest

CAME_IN = "came_in_at"  # in the session: when somebody logged in another way than by password
CHOOSES_FOR = 30 * 60  # seconds after that in which a new password may be chosen without the old one


def login_help(request: HttpRequest) -> HttpResponse:
    """For who forgot their password: a link by mail, or a code from the staff."""
    do = request.POST.get("do")
    mail = MailForm(request.POST if do == "mail" else None)
    code = CodeLoginForm(request.POST if do == "code" else None)
    if do == "mail" and mail_works() and mail.is_valid():
        with mail.catching():
            _mail_links(request, mail.cleaned_data["email"])
            messages.success(
                request, _("If an account has this address, a link is on its way. It works for 20 minutes.")
            )
            return redirect("login-help")
    if do == "code" and code.is_valid():
        with code.catching():
            return _by_code(request, **code.cleaned_data)
    context = {"mail": mail, "code": code, "mail_works": mail_works()}
    return render(request, "tournament/login_help.html", context, status=max(mail.status, code.status))


def _mail_links(request: HttpRequest, address: str) -> None:
    count(Limit(*settings.LIMITS["mail"]), "mail", address.casefold())
    count(Limit(*settings.LIMITS["mail-address"]), "mail-address", address_of(request))
    links = [
        (person, request.build_absolute_uri(reverse("login-link", args=[secret])))
        for person, secret in services.links_make(address=address, now=timezone.now())
    ]
    if links:
        send_links(address, links)


def _by_code(request: HttpRequest, username: str, code: str) -> HttpResponse:
    attempt = Attempt.of(request, username)
    attempt.count()
    person = services.code_use(username=username, code=code, now=timezone.now())
    response = _came_in(request, person)
    attempt.right(person, response)
    return response


def _came_in(request: HttpRequest, person: User) -> HttpResponse:
    login(request, person)
    request.session[CAME_IN] = time.time()
    response = redirect("password-new")
    device_known(person, response)
    return response


def login_link(request: HttpRequest, secret: str) -> HttpResponse:
    """Whose account a mailed link leads into, and one button: programs that look at mail open links, too."""
    now = timezone.now()
    if request.method == "POST":
        return _came_in(request, services.link_use(secret=secret, now=now))
    person = services.link_of(secret=secret, now=now)
    return address_is_secret(render(request, "tournament/login_link.html", {"person": person}))


@login_required
def password_new(request: PersonRequest) -> HttpResponse:
    """A new password, for who came in another way a moment ago; everybody else says the old one."""
    if time.time() - request.session.get(CAME_IN, 0) > CHOOSES_FOR:
        return redirect("account")
    form = NewPasswordForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with form.catching():
            person = services.password_choose(person=request.user, password=form.cleaned_data["password"])
            update_session_auth_hash(request, person)
            del request.session[CAME_IN]
            messages.success(request, _("Your password has been changed."))
            return redirect("home")
    return render(request, "tournament/password_new.html", {"form": form}, status=form.status)


@login_required
def email_confirm(request: PersonRequest, secret: str) -> HttpResponse:
    """Which address a mailed link confirms, and one button."""
    now = timezone.now()
    if request.method == "POST":
        services.email_confirm(secret=secret, person=request.user, now=now)
        messages.success(request, _("Your address is confirmed."))
        return redirect("account")
    address = services.email_of(secret=secret, person=request.user, now=now)
    return address_is_secret(render(request, "tournament/email_confirm.html", {"address": address}))


def mail_confirmation(request: PersonRequest, address: str) -> None:
    """Send the link that confirms an address. Raises UserError."""
    count(Limit(*settings.LIMITS["mail"]), "mail", address.casefold())
    count(Limit(*settings.LIMITS["mail-address"]), "mail-address", address_of(request))
    secret = services.email_tell(person=request.user, address=address, now=timezone.now())
    send_confirmation(address, request.build_absolute_uri(reverse("email-confirm", args=[secret])))
