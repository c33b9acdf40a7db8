"""Card data as other programs keep it, read into our facts.

    cards = read({"core.json": data, ...})       # or one file, a folder's files, the files of a zip archive

One module per source, each with `recognises(name, data)` and `read(files)`; `restrictions` of a source that has dated lists.
"""

from decks.catalog_sources.files import gathered, read

__all__ = ["gathered", "read"]
