"""Everything that writes decks, card data and formats.

May import selectors and everything below them. Start reading at `lists`.
"""

from decks.services.catalogs import (
    DeckChange,
    ImportSummary,
    Preview,
    cards_import,
    cards_import_files,
    cards_preview,
    cards_upload,
    catalog_load_missing,
    catalog_load_shipped,
)
from decks.services.formats import (
    format_publish,
    format_read,
    format_unknown,
    format_what_if,
    house_text,
    lists_import,
    may_publish,
)
from decks.services.lists import (
    deck_submit,
    list_check,
    list_export,
    list_judge,
    list_read,
    list_upgrade,
    lists_forget,
    report_make,
    stored_list,
)
from decks.services.rechecks import (
    RECHECK,
    notice_dismiss,
    recheck_resume,
    recheck_start,
)
from decks.services.texts import TEXTS, texts_read_again

__all__ = [
    "RECHECK",
    "TEXTS",
    "DeckChange",
    "ImportSummary",
    "Preview",
    "cards_import",
    "cards_import_files",
    "cards_preview",
    "cards_upload",
    "catalog_load_missing",
    "catalog_load_shipped",
    "deck_submit",
    "format_publish",
    "format_read",
    "format_unknown",
    "format_what_if",
    "house_text",
    "list_check",
    "list_export",
    "list_judge",
    "list_read",
    "list_upgrade",
    "lists_forget",
    "lists_import",
    "may_publish",
    "notice_dismiss",
    "recheck_resume",
    "recheck_start",
    "report_make",
    "stored_list",
    "texts_read_again",
]
