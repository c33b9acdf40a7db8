"""Policies: reading them, and writing one from a copy."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from config.errors import NotFound, UserError
from config.schema_forms import shown
from tournament import services
from tournament.forms.policies import PolicyForm
from tournament.policy import policy_files
from tournament.policy.kinds import CODE_WORDS
from tournament.policy.model import ABOUT, POLICY, Policy
from tournament.selectors import access_event, held_roles, policy_of
from tournament.selectors.policies import policies, policy_current, policy_versions
from tournament.views.requests import PersonRequest


def policy_list(request: HttpRequest) -> HttpResponse:
    return render(request, "tournament/policies.html", {"policies": policies().values()})


def policy_page(request: HttpRequest, key: str) -> HttpResponse:
    """Every number of a policy, how sure it is, and who wrote which version."""
    policy = _policy(key)
    context = {
        **policy_words(policy),
        "versions": policy_versions(key),
        "mine": services.may_publish(request.user, key),
    }
    return render(request, "tournament/policy.html", context)


def event_policy(request: HttpRequest, slug: str) -> HttpResponse:
    """What an event is run by, announced to its players; pinned with round 1."""
    event = access_event(request.user, slug)
    context = {"event": event, "roles": held_roles(request.user, event), **policy_words(policy_of(event))}
    return render(request, "tournament/event_policy.html", context)


def policy_words(policy: Policy) -> dict[str, Any]:
    """A policy as its page shows it."""
    guide = policy.penalties
    titles = {level.key: _(level.title) for level in guide.levels} if guide else {}
    parts = shown(POLICY, policy)
    parts.pop(ABOUT)  # the page begins with it
    return {
        "policy": policy,
        "points": [(CODE_WORDS[code], points) for code, points in policy.points.items()],
        "rows": [(row.players, row.rounds, policy_files.cut_words(row.rule)) for row in policy.rounds],
        "parts": parts,
        "offenses": [
            (
                title,
                [
                    (one, [titles[level] for level in one.path])
                    for one in guide.infractions
                    if one.category == key
                ],
            )
            for key, title in guide.categories.items()
        ]
        if guide
        else [],
    }


def policy_file(request: HttpRequest, key: str) -> HttpResponse:
    """The policy as the file it could be."""
    text = policy_files.exported(_policy(key).document)
    response = HttpResponse(text, content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{key}.yaml"'
    return response


@login_required
def policy_edit(request: PersonRequest, key: str) -> HttpResponse:
    """Change one's own policy, or make one from a copy; field by field, or as a file."""
    base = _policy(key)
    as_file = request.POST.get("do") == "file"
    form = PolicyForm(None if as_file else request.POST or None, base=base)
    mine = services.may_publish(request.user, key)
    if not mine:
        form.initial.update(key="", title="", version="1")
    problem = None
    text = request.POST.get("text", "") if as_file else policy_files.exported(base.document)
    if as_file or (request.method == "POST" and form.is_valid()):
        try:
            version = services.policy_publish(
                source=text if as_file else form.document(),
                note=request.POST.get("note", ""),
                by=request.user,
                now=timezone.now(),
            )
            messages.success(request, _("%(title)s is in effect.") % {"title": version.title})
            return redirect("policy", version.key)
        except UserError as error:
            problem = form.located(error)
            if not as_file and problem.place in form.fields:
                form.add_error(problem.place, f"{problem.message} {problem.remedy}".strip())
    context = {"form": form, "base": base, "mine": mine, "problem": problem, "text": text, "as_file": as_file}
    status = problem.status if problem else form.status
    return render(request, "tournament/policy_edit.html", context, status=status)


def _policy(key: str) -> Policy:
    try:
        return policy_current(key)
    except UserError as error:
        raise NotFound(_("policy")) from error
