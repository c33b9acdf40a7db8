"""The page of a ruling outside of an event: its precedent status, and the groups of cards that list it.

What is ruled at a table has its page in the event (docs/judging.md).
"""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from rules import services
from rules.forms import LawForm
from rules.models import CardGroup, Ruling
from rules.selectors.disputes import access_free_ruling


@login_required
def ruling_law(request: HttpRequest, pk: int) -> HttpResponse:
    """For who asked the question, and the site's own staff."""
    ruling = access_free_ruling(request.user, pk)
    form = LawForm(request.POST if request.POST.get("do") == "law" else None)
    problem = None
    if request.method == "POST":
        try:
            if _act(request, ruling, form):
                return redirect("ruling-law", pk)
        except NotFound:
            raise
        except UserError as error:
            problem = error
    context = {"ruling": ruling, "law_form": form, "groups": CardGroup.objects.all(), "problem": problem}
    return render(request, "rules/ruling.html", context, status=problem.status if problem else form.status)


def _act(request: HttpRequest, ruling: Ruling, form: LawForm) -> bool:
    """Do what was asked for; False when the form has to be filled in again."""
    do = request.POST.get("do")
    if do == "law" and form.is_valid():
        with form.catching():
            told = form.told()
            say = services.ruling_right if "verdict" in told else services.ruling_mark
            say(ruling=ruling, by=request.user, now=timezone.now(), **told)
            return True
    elif do == "group":
        chosen = request.POST.get("group", "")
        group = (
            CardGroup.objects.filter(pk=int(chosen)).first()
            if chosen.isdecimal() and len(chosen) < 19
            else None
        )
        if group is None:
            raise NotFound(_("group of cards"))
        services.ruling_group(
            ruling=ruling, group=group, attached="detach" not in request.POST, by=request.user
        )
        return True
    return False
