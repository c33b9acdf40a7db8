"""API routes of `rules`, under /api/v1/."""

from django.urls import path

from rules.api import views

urlpatterns = [
    path("systems", views.Systems.as_view()),
    path("scenario-schema", views.ScenarioSchema.as_view()),
    path("adjudicate", views.Adjudicate.as_view()),
    path("disputes", views.Disputes.as_view()),
    path("disputes/<int:pk>", views.OneDispute.as_view()),
    path("disputes/<int:pk>/adjudications", views.DisputeAdjudications.as_view()),
    path("disputes/<int:pk>/rulings", views.DisputeRulings.as_view()),
    path("adjudications/<int:pk>", views.OneAdjudication.as_view()),
    path("adjudications/<int:pk>/cancel", views.AdjudicationCancel.as_view()),
]
