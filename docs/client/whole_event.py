"""A whole event through the API: made, entered, played, asked about, taken away as files, and read in again.

    HEADJUDGE=https://judge.example.org HEADJUDGE_TOKEN=hj_... python whole_event.py

The token needs the scopes `staff`, `play` and `decks`. Everybody here is a guest; players with accounts enter with
tokens of their own and report their results themselves (`site.report`).
"""

import json
import os
import time
from datetime import date

from headjudge import Headjudge

LIST = """
3x Local Sheriff
3x Shotgun Blast
"""
SITUATION = """
system: coc-lcg
cards:
  shotgun: {is: Shotgun Blast, of: Ann, zone: hand}
  sheriff: {is: Local Sheriff, of: Bo, zone: play}
did: [Ann plays shotgun on sheriff]
"""


def main(site: Headjudge, slug: str = "arkham-open") -> None:
    today = date.today().isoformat()
    event = site.change("POST", "/events", {
        "name": "Arkham Open", "slug": slug, "starts_on": today, "timezone": "Europe/Vienna",
        "format": "coc-lcg", "format_on": "2013-10-18", "policy_key": "coc-lcg", "planned_rounds": 3,
    })  # fmt: skip
    print("made", event["slug"])

    for name in ("Ann", "Bo", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal"):
        entry = site.change("POST", f"/events/{slug}/registrations", {"name": name, "guest": True})
        deck = site.change("POST", "/decks", {"format": "coc-lcg", "text": LIST, "name": f"{name}’s list"})
        verdict = deck["verdict"]
        site.change("PUT", f"/events/{slug}/registrations/{entry['id']}/deck", {
            "revision": deck["revision"],
            "override": "" if verdict == "legal" else "An example is no 50-card deck",
        })  # fmt: skip
        print("entered", name, verdict)

    for number in (1, 2, 3):
        site.change("POST", f"/events/{slug}/rounds", {"number": number})
        for match in site.matches(slug, number):
            slip = {"table": match["table"], "outcome": "win"}
            site.change("POST", f"/events/{slug}/rounds/{number}/results", slip)
        if number == 3:
            ask(site, match["id"])
        site.change("POST", f"/events/{slug}/rounds/{number}/finish")
    for row in site.standings(slug):
        print(row["rank"], row["name"], row["points"])

    whole = site.file(slug, "event.json")
    print(site.file(slug, "event.trf").splitlines()[0])
    again = site.change("POST", f"/event-files?slug={slug}-again", json.loads(whole))
    while (again := site.read(f"/imports/{again['id']}"))["state"] not in ("done", "failed"):
        time.sleep(0.2)
    print("read in again:", again["event"] or again["failure"])
    assert [row["name"] for row in site.standings(again["event"])] == [
        row["name"] for row in site.standings(slug)
    ]


def ask(site: Headjudge, match: int) -> None:
    """What the rules say: asked as a judge of the match, answered by a worker."""
    filed = site.change(
        "POST", f"/matches/{match}/disputes", {"title": "May Bo respond?", "source": SITUATION}
    )
    run = site.read(f"/disputes/{filed['id']}")["adjudications"][0]["id"]
    while (told := site.read(f"/adjudications/{run}"))["state"] not in ("done", "failed", "cancelled"):
        time.sleep(0.2)
    print("answered:", told["answer"]["sentence"] if told["answer"] else told["failure"])


if __name__ == "__main__":
    main(Headjudge(os.environ["HEADJUDGE"], token=os.environ["HEADJUDGE_TOKEN"]))
