"""What a name may be: of a player, of a card, of a fact. One word of letters and digits, hyphens between them.

A letter is one of any script: the ranges of names in XML 1.0 without signs and punctuation, written out because
`\\w` knows no vowel signs (Hindi, Thai), and because the JSON Schema has the same for other programs.
"""

LETTERS = (
    "A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u167f\u1681-\u180d\u180f-\u1fff\u2c00-\u2dff"
    "\u3005\u3041-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
LETTERS_AND_DIGITS = f"{LETTERS}0-9\u0300-\u036f"
PART = f"[{LETTERS}][{LETTERS_AND_DIGITS}]*"
NAME = f"{PART}(?:-[{LETTERS_AND_DIGITS}]+)*"
