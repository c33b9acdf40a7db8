"""Pages of `decks`."""

from django.urls import URLPattern, path

from decks.views import cards, formats, lists

urlpatterns: list[URLPattern] = [
    path("", lists.deck_list, name="deck-list"),
    path("new", lists.deck_new, name="deck-new"),
    path("check", lists.deck_check, name="deck-check"),
    path("<int:pk>/", lists.deck_page, name="deck"),
    path("<int:pk>/edit", lists.deck_edit, name="deck-edit"),
    path("<int:pk>/sheet", lists.deck_sheet, name="deck-sheet"),
    path("<int:pk>/export/<slug:kind>", lists.deck_export, name="deck-export"),
    path("notices/<int:pk>/dismiss", lists.notice_dismiss, name="notice-dismiss"),
    path("findings/", formats.finding_list, name="finding-list"),
    path("findings/<slug:code>", formats.finding_page, name="finding"),
    path("formats/", formats.format_list, name="format-list"),
    path("formats/new", formats.format_edit, name="format-new"),
    path("formats/form", formats.format_form, name="format-form-new"),
    path("formats/<slug:key>/form", formats.format_form, name="format-form"),
    path("formats/<slug:key>/", formats.format_page, name="format"),
    path("formats/<slug:key>/edit", formats.format_edit, name="format-edit"),
    path("rechecks/<int:pk>", formats.recheck_page, name="recheck"),
    path("cards/", formats.catalog_page, name="catalog-list"),
    path("cards/<slug:game>/<path:name>", cards.card_page, name="card"),
]
