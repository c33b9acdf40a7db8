"""The markup of a page without the white space of its layout, for tests that look for a tag and what is in it."""

import re


def tight(html: str) -> str:
    """The page with one space where there was a line break, and none beside a tag."""
    return re.sub(r" ?(<[^<>]*?) ?(/?>) ?", r"\1\2", re.sub(r"\s+", " ", html))
