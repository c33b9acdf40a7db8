"""API routes of `rules`, under /api/v1/."""

from django.urls import path

from rules.api import rulings, views

urlpatterns = [
    path("systems", views.Systems.as_view()),
    path("scenario-schema", views.ScenarioSchema.as_view()),
    path("adjudicate", views.Adjudicate.as_view()),
    path("card-text", views.CardText.as_view()),
    path("play", views.Play.as_view()),
    path("disputes", views.Disputes.as_view()),
    path("disputes/<int:pk>", views.OneDispute.as_view()),
    path("disputes/<int:pk>/adjudications", views.DisputeAdjudications.as_view()),
    path("disputes/<int:pk>/precedents", rulings.DisputePrecedents.as_view()),
    path("precedents", rulings.Precedents.as_view()),
    path("precedents/<int:pk>", rulings.OnePrecedent.as_view()),
    path("precedents/<int:pk>/case", rulings.CandidateCase.as_view()),
    path("card-groups", rulings.CardGroups.as_view()),
    path("card-groups/<int:pk>", rulings.OneCardGroup.as_view()),
    path("rulings/review", rulings.RulingsReview.as_view()),
    path("law-runs", rulings.LawRuns.as_view()),
    path("law-runs/<int:pk>", rulings.OneLawRun.as_view()),
    path("disputes/<int:pk>/rulings", views.DisputeRulings.as_view()),
    path("adjudications/<int:pk>", views.OneAdjudication.as_view()),
    path("adjudications/<int:pk>/cancel", views.AdjudicationCancel.as_view()),
]
