"""API routes of `decks`, under /api/v1/."""

from django.urls import URLPattern, path

from decks.api import views

urlpatterns: list[URLPattern] = [
    path("validate", views.ValidateView.as_view(), name="api-validate"),
    path("decks", views.DecksView.as_view(), name="api-decks"),
    path("decks/<int:pk>", views.DeckView.as_view(), name="api-deck"),
    path("decks/<int:pk>/revisions", views.RevisionsView.as_view(), name="api-revisions"),
    path("decks/<int:pk>/revisions/<int:number>", views.RevisionView.as_view(), name="api-revision"),
    path("formats", views.FormatsView.as_view(), name="api-formats"),
    path("formats/<slug:key>", views.FormatView.as_view(), name="api-format"),
]
