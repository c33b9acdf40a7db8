"""API routes of `decks`, under /api/v1/."""

from django.urls import URLPattern, path

from decks.api import history, laws, views

urlpatterns: list[URLPattern] = [
    path("validate", views.ValidateView.as_view(), name="api-validate"),
    path("decks", views.DecksView.as_view(), name="api-decks"),
    path("decks/<int:pk>", views.DeckView.as_view(), name="api-deck"),
    path("decks/<int:pk>/revisions", views.RevisionsView.as_view(), name="api-revisions"),
    path("decks/<int:pk>/revisions/<int:number>", views.RevisionView.as_view(), name="api-revision"),
    path("validate/over-time", history.ValidateOverTimeView.as_view()),
    path("decks/<int:pk>/revisions/<int:number>/changes", history.RevisionChangesView.as_view()),
    path("decks/<int:pk>/revisions/<int:number>/over-time", history.RevisionOverTimeView.as_view()),
    path("decks/<int:pk>/revisions/<int:number>/export/<slug:kind>", history.RevisionExportView.as_view()),
    path("formats/check", laws.FormatCheckView.as_view()),
    path("formats/compose", laws.FormatComposeView.as_view()),
    path("formats/what-if", laws.WhatIfView.as_view()),
    path("formats/publish", laws.FormatPublishView.as_view()),
    path("formats", views.FormatsView.as_view(), name="api-formats"),
    path("formats/<slug:key>", views.FormatView.as_view(), name="api-format"),
    path("formats/<slug:key>/text", laws.FormatTextView.as_view()),
    path("findings", laws.FindingCodesView.as_view()),
    path("findings/<slug:code>", laws.FindingCodeView.as_view()),
    path("rechecks/<int:pk>", laws.RecheckView.as_view()),
    path("rechecks/<int:pk>/changes", laws.RecheckChangesView.as_view()),
    path("rechecks/<int:pk>/resume", laws.RecheckResumeView.as_view()),
    path("notices", laws.NoticesView.as_view()),
    path("notices/<int:pk>", laws.NoticeView.as_view()),
    path("catalogs", laws.CatalogsView.as_view()),
    path("catalogs/import", laws.ImportView.as_view()),
]
