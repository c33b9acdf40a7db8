"""What we store about a person: for that person to download, or to have erased."""

import json

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import UserError
from config.limits import Limit, count
from tournament import services
from tournament.selectors.personal import personal_data
from tournament.views.requests import PersonRequest


@login_required
def my_data(request: PersonRequest) -> HttpResponse:
    """A file with everything that is kept about the asker."""
    text = json.dumps(personal_data(request.user), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
    headers = {
        "Content-Disposition": 'attachment; filename="headjudge-my-data.json"',
        "Cache-Control": "no-store",
    }
    return HttpResponse(text, content_type="application/json; charset=utf-8", headers=headers)


@login_required
def erase(request: PersonRequest) -> HttpResponse:
    """Erase the account, once the password is given again."""
    problem = None
    if request.method == "POST":
        try:
            count(Limit(*settings.LIMITS["login"]), "erase", request.user.pk)
            if not request.user.check_password(request.POST.get("password", "")):
                raise UserError("wrong-password", _("That isn’t your password."), place="password")
            services.account_erase(person=request.user, by=request.user, now=timezone.now())
            logout(request)
            messages.success(request, _("Your account has been erased."))
            return redirect("home")
        except UserError as error:
            problem = error
    status = problem.status if problem else 200
    return render(request, "tournament/erase.html", {"problem": problem}, status=status)
