"""Dates in Korean: year, month, day. A format is translated as a text is: templates write the English one, which
is the key here (Django asks this module for whatever `|date:"..."` says)."""

FORMATS = {
    "D j M Y": "Y. n. j. (D)",
    "l j F Y": "Y년 n월 j일 l",
    "j F": "n월 j일",
    "j F Y": "Y년 n월 j일",
    "j F Y, H:i": "Y년 n월 j일 H:i",
    "j F, H:i": "n월 j일 H:i",
    "j F, H:i T": "n월 j일 H:i T",
    "j M Y": "Y. n. j.",
    "j M Y, H:i": "Y. n. j. H:i",
    "j M Y, H:i T": "Y. n. j. H:i T",
    "j M, H:i": "n. j. H:i",
    "j M, H:i T": "n. j. H:i T",
    "j M, H:i:s": "n. j. H:i:s",
}
globals().update(FORMATS)
