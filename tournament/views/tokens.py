"""A person's own tokens, with which their programs log in."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament import services
from tournament.forms.people import SCOPES, TokenForm
from tournament.selectors.tokens import access_token, working_tokens
from tournament.views.requests import PersonRequest, whole


@login_required
def tokens(request: PersonRequest) -> HttpResponse:
    """The tokens that work, and making another; its secret is shown once."""
    do, person, now = request.POST.get("do"), request.user, timezone.now()
    if do == "revoke":
        services.token_revoke(token=access_token(person, whole(request, "pk")), by=person, now=now)
        messages.success(request, _("The token has been revoked."))
        return redirect("tokens")
    form, told = TokenForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        with form.catching():
            token, secret = services.token_make(person=person, now=now, **form.cleaned_data)
            # Shown in this very answer: to show it after a redirect it would have to be stored.
            told, form = {"name": token.name, "secret": secret}, TokenForm()
    context = {
        "form": form,
        "told": told,
        "tokens": [
            (token, [SCOPES[scope] for scope in SCOPES if scope in token.scopes])
            for token in working_tokens(person, now)
        ],
    }
    response = render(request, "tournament/tokens.html", context, status=form.status)
    response["Cache-Control"] = "no-store"
    return response
