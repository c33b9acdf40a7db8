"""The API reference as a page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tournament.api_reference import document, reference, written


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Every request of the API, made from its document: no script, nothing from elsewhere."""
    asked = request.GET.get("q", "").strip()
    sections = [
        (
            section,
            [one for one in section.operations if asked.casefold() in f"{one.path} {one.words}".casefold()],
        )
        for section in reference()
    ]
    context = {"sections": [(section, found) for section, found in sections if found], "q": asked}
    return render(request, "tournament/api_docs.html", context)


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """The document itself: YAML, or JSON with ?format=json."""
    if request.GET.get("format") == "json":
        return JsonResponse(document())
    return HttpResponse(written(), content_type="application/vnd.oai.openapi; charset=utf-8")
