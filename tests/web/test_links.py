"""The site walked by its own links, as everybody: nothing leads nowhere, nothing breaks."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from tests.access import table

LINK = re.compile(r"<(?:a|area|link|script|img|use)\b[^>]*?\b(?:href|src)=\"([^\"]*)\"")
ID = re.compile(r"\bid=\"([^\"]+)\"")
MANY = re.compile(
    r"^/rules/[a-z0-9-]+/(?:law|cases)/|^/rules/(?:table/\d+|precedents)/|^/policies/|^/login\?"
    r"|^/decks/(?:findings|cards/[a-z0-9-]+|formats/[^/]+)/"
)
"""Pages of one kind by the hundred: of each kind a few are opened."""
A_FEW = 2
THE_LAW = re.compile(r"^/rules/(?!disputes|table)[a-z0-9-]+/")
"""The same for everybody: walked once."""


@pytest.mark.django_db
@pytest.mark.parametrize("who", ["nobody", "visitor", "player", "judge", "organizer"])
def test_every_link_leads_somewhere(everything: Any, as_user: Callable[[Any], Client], who: str) -> None:
    """From every page this person may open, along every link to the end: no 4xx, no 5xx, no anchor that is not there.

    A link to what the asker may not see is as bad as one to nothing.
    """
    person, words = everything
    client = as_user(person.get(who))
    waiting = [row.address.format(**words) for row in table.pages(who)]
    if who != "nobody":
        waiting = [path for path in waiting if not THE_LAW.match(path)]
    seen, kinds, faults = set(waiting), dict[str, int](), list[str]()
    while waiting:
        at = waiting.pop()
        answer = client.get(at, follow=True)
        if answer.status_code >= 400:
            faults.append(f"{at}: {answer.status_code}")
            continue
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        page = answer.content.decode()
        here = answer.redirect_chain[-1][0] if answer.redirect_chain else at
        ids = set(ID.findall(page))
        for link in (unescape(found) for found in LINK.findall(page)):
            target = urlsplit(urljoin(here, link))
            if link.startswith("#"):
                if target.fragment not in ids:
                    faults.append(f"{at}: there is no {link} on the page")
                continue
            if target.scheme or target.path.startswith("/static/"):
                continue
            path = target.path + (f"?{target.query}" if target.query else "")
            kind = f"{here.split('?')[0]} {path.split('?')[0]}" if target.query else ""
            kind = found.group() if (found := MANY.match(path)) else kind
            kinds[kind] = kinds.get(kind, 0) + bool(kind)
            if who != "nobody" and THE_LAW.match(path):
                continue
            if path not in seen and kinds[kind] <= A_FEW:
                seen.add(path)
                waiting.append(path)
    assert not faults, "\n".join(sorted(faults))
