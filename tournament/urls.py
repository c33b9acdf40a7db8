"""Pages of `tournament`."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from tournament.views import decklists, events, home, organize, play, style

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("login", home.Login.as_view(), name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("style", style.style, name="style"),
    path("events/", events.event_list, name="event-list"),
    path("events/new", events.event_new, name="event-new"),
    path("events/<slug:slug>/", events.event_page, name="event"),
    path("events/<slug:slug>/register", events.register, name="register"),
    path("events/<slug:slug>/match", play.my_match, name="my-match"),
    path("events/<slug:slug>/pairings", play.pairings, name="pairings"),
    path("events/<slug:slug>/pairings/<int:number>", play.pairings, name="round-pairings"),
    path("events/<slug:slug>/standings", play.standings_page, name="standings"),
    path("events/<slug:slug>/standings/<int:pk>", play.standing_page, name="standing"),
    path("events/<slug:slug>/players", play.players, name="event-players"),
    path("events/<slug:slug>/players/new", organize.player_new, name="player-new"),
    path("events/<slug:slug>/players/<int:pk>", organize.player, name="player"),
    path("events/<slug:slug>/decks", decklists.deck_table, name="event-decks"),
    path("events/<slug:slug>/decks/arrange", decklists.deck_arrange, name="event-decks-arrange"),
    path("events/<slug:slug>/decks/<int:pk>", decklists.player_list, name="player-list"),
    path("events/<slug:slug>/decks/<int:pk>/sheet", decklists.player_sheet, name="player-sheet"),
    path("events/<slug:slug>/deck-checks/<int:pk>", decklists.deck_check, name="deck-check-page"),
    path("events/<slug:slug>/control", organize.control, name="event-control"),
    path("matches/<int:pk>", organize.match_page, name="match"),
    path("matches/<int:pk>/dispute", organize.dispute_new, name="dispute-new"),
]
