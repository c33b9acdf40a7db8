"""API routes of `tournament`, under /api/v1/."""

from django.urls import path

from tournament.api import views

urlpatterns = [
    path("policies", views.Policies.as_view()),
    path("events", views.Events.as_view()),
    path("events/<slug:slug>", views.OneEvent.as_view()),
    path("events/<slug:slug>/policy", views.EventPolicy.as_view()),
    path("events/<slug:slug>/staff", views.EventStaff.as_view()),
    path("events/<slug:slug>/registrations", views.Registrations.as_view()),
    path("events/<slug:slug>/registrations/<int:pk>", views.OneRegistration.as_view()),
    path("events/<slug:slug>/registrations/<int:pk>/deck", views.RegistrationDeck.as_view()),
    path("events/<slug:slug>/registrations/<int:pk>/drop", views.RegistrationDrop.as_view()),
    path("events/<slug:slug>/rounds", views.Rounds.as_view()),
    path("events/<slug:slug>/rounds/<int:number>", views.OneRound.as_view()),
    path("events/<slug:slug>/rounds/<int:number>/matches", views.RoundMatches.as_view()),
    path("events/<slug:slug>/rounds/<int:number>/finish", views.RoundFinish.as_view()),
    path("events/<slug:slug>/standings", views.Standings.as_view()),
    path("events/<slug:slug>/disputes", views.EventDisputes.as_view()),
    path("matches/<int:pk>", views.OneMatch.as_view()),
    path("matches/<int:pk>/reports", views.MatchReports.as_view()),
    path("matches/<int:pk>/decision", views.MatchDecision.as_view()),
    path("matches/<int:pk>/disputes", views.MatchDisputes.as_view()),
]
