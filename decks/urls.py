"""Pages of `decks`."""

from django.urls import URLPattern, path

from decks import views

urlpatterns: list[URLPattern] = [
    path("", views.deck_list, name="deck-list"),
    path("new", views.deck_new, name="deck-new"),
    path("check", views.deck_check, name="deck-check"),
    path("<int:pk>/", views.deck_page, name="deck"),
    path("<int:pk>/edit", views.deck_edit, name="deck-edit"),
]
