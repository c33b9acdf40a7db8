"""People acting in the same instant, in processes of their own, on SQLite and on PostgreSQL.

Each race is run with rows locked, as the services do, and on PostgreSQL with the locks taken away too: then the
constraints of the database alone must keep the event right, refusing whoever came second. (SQLite has no row locks.)
"""

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import new_postgres_database

ROOT = Path(__file__).resolve().parents[2]
TRIES = 8


class Racers:
    """Two processes that begin at the same time."""

    def __init__(self, database_url: str, folder: Path) -> None:
        environment = {**os.environ, "DATABASE_URL": database_url, "HEADJUDGE_VAR": str(folder)}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
        self.processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.tournament.racer"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        for index in range(2):
            self._tell(index, {"do": "prepare", "slug": f"warm-up-{index}", "players": 2, "paired": True})
            self._hear(index)

    def one(self, do: str, **arguments: Any) -> Any:
        """Let one of them do something, alone."""
        self._tell(0, {"do": do, **arguments})
        return self._hear(0)["done"]

    def race(self, locks: bool, *commands: dict[str, Any]) -> list[dict[str, Any]]:
        """Both act at the same moment; their answers."""
        at = time.time() + 0.02
        for index, command in enumerate(commands):
            self._tell(index, {**command, "at": at, "locks": locks})
        return [self._hear(index) for index in range(len(commands))]

    def stop(self) -> None:
        for process in self.processes:
            process.communicate(timeout=20)

    def _tell(self, index: int, command: dict[str, Any]) -> None:
        pipe = self.processes[index].stdin
        assert pipe is not None
        pipe.write(json.dumps(command) + "\n")
        pipe.flush()

    def _hear(self, index: int) -> dict[str, Any]:
        pipe = self.processes[index].stdout
        assert pipe is not None
        line = pipe.readline()
        assert line, "the racer died; its error stands above"
        answer: dict[str, Any] = json.loads(line)
        assert "broke" not in answer, answer["broke"]
        return answer


SQLITE = pytest.param("sqlite", True, id="sqlite")
POSTGRES = [
    pytest.param("postgres", locks, id=f"postgres-{word}", marks=pytest.mark.postgres)
    for locks, word in ((True, "locked"), (False, "constraints-alone"))
]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "locks" in metafunc.fixturenames:
        ways = [SQLITE, *POSTGRES]
        metafunc.parametrize(("racers", "locks"), ways, indirect=["racers"], scope="module")
    else:
        ways = [pytest.param("sqlite"), pytest.param("postgres", marks=pytest.mark.postgres)]
        metafunc.parametrize("racers", ways, indirect=True, scope="module")


@pytest.fixture(scope="module")
def racers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Racers]:
    folder = tmp_path_factory.mktemp(request.param)
    with_url = new_postgres_database() if request.param == "postgres" else iter([f"sqlite:///{folder}/db"])
    for url in with_url:
        found = Racers(url, folder)
        yield found
        found.stop()


@pytest.fixture
def slugs() -> Iterator[Iterator[str]]:
    yield (f"e{uuid.uuid4().hex[:10]}" for _ in range(TRIES))


def codes(answers: list[dict[str, Any]]) -> list[str]:
    return sorted(answer.get("refused", "done") for answer in answers)


def test_two_organizers_pressing_pair_make_one_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=9, paired=False)
        answers = racers.race(locks, *[{"do": "pair", "slug": slug}] * 2)
        assert codes(answers) in (["already-paired", "done"], ["done", "results-missing"])
        assert {answer["status"] for answer in answers if "refused" in answer} == {409}
        seen = racers.one("look_at_event", slug=slug)
        assert seen == {"rounds": 1, "matches": 5, "seats": 9, "registrations": 9, "pinned": True}


def test_one_player_posting_twice_never_confirms(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        post = {"do": "report", "match": ready["match"], "player": ready["players"][0], "outcome": "win"}
        answers = racers.race(locks, post, post)
        assert codes(answers) in (["done", "done"], ["done", "reported-meanwhile"])
        assert racers.one("look_at_match", match=ready["match"]) == {
            "state": "reported",
            "outcome": None,
            "reports": [1],
        }


@pytest.mark.parametrize(("second", "expected"), [("loss", "confirmed"), ("win", "conflict")])
def test_both_players_reporting_at_once_are_both_heard(
    racers: Racers, slugs: Iterator[str], second: str, expected: str
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        answers = racers.race(
            True,
            {"do": "report", "match": ready["match"], "player": ready["players"][0], "outcome": "win"},
            {"do": "report", "match": ready["match"], "player": ready["players"][1], "outcome": second},
        )
        assert codes(answers) == ["done", "done"]
        seen = racers.one("look_at_match", match=ready["match"])
        assert (seen["state"], seen["reports"]) == (expected, [1, 2])


def test_a_report_never_overtakes_the_staffs_decision(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        match, (one, two) = ready["match"], ready["players"]
        racers.one("report", match=match, player=one, outcome="win")
        answers = racers.race(
            locks,
            {"do": "decide", "match": match, "outcome": "draw"},
            {"do": "report", "match": match, "player": two, "outcome": "loss"},
        )
        decided, reported = answers
        if "refused" in decided:
            assert not locks and decided["refused"] == "reported-meanwhile"
            assert racers.one("look_at_match", match=match)["state"] == "confirmed"
            racers.one("decide", match=match, outcome="draw")
        assert reported.get("refused", "done") in ("done", "decided", "reported-meanwhile")
        seen = racers.one("look_at_match", match=match)
        assert (seen["state"], seen["outcome"]) == ("decided", "draw")
        assert seen["reports"] == list(range(1, len(seen["reports"]) + 1))


def test_two_of_the_staff_deciding_at_once_leave_one_result(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        decisions = [{"do": "decide", "match": ready["match"], "outcome": one} for one in ("win", "loss")]
        answers = racers.race(locks, *decisions)
        assert codes(answers) in (["done", "done"], ["done", "reported-meanwhile"])
        seen = racers.one("look_at_match", match=ready["match"])
        last = max((answer for answer in answers if "done" in answer), key=lambda answer: answer["done"])
        assert seen["outcome"] == decisions[answers.index(last)]["outcome"]
        assert seen["reports"] == list(range(1, codes(answers).count("done") + 1))


def test_a_player_entering_twice_at_once_is_entered_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        answers = racers.race(locks, *[{"do": "register", "slug": slug, "player": f"{slug}-twin"}] * 2)
        assert codes(answers) == ["done", "registered"]
        assert racers.one("look_at_event", slug=slug)["registrations"] == 3


# --- drafts, publications, finishing ---------------------------------------------------------------------


def test_two_publications_are_one(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=5, paired=False)
        ready = racers.one("draft", slug=slug)
        answers = racers.race(locks, *[{"do": "publish", "round": ready["round"]}] * 2)
        assert codes(answers) == ["done", "published"]
        seen = racers.one("look_at_round", round=ready["round"])
        assert (seen["state"], seen["matches"], seen["edition"]) == ("published", 3, ready["edition"] + 1)


def test_two_drafts_are_one(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=5, paired=False)
        answers = racers.race(locks, *[{"do": "draft", "slug": slug}] * 2)
        assert codes(answers) in (["done", "draft-waiting"], ["already-paired", "done"])
        seen = racers.one("look_at_event", slug=slug)
        assert (seen["rounds"], seen["matches"], seen["seats"], seen["pinned"]) == (1, 3, 5, False)


def test_a_swap_is_in_what_is_published_or_refused(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    """Both name the edition they looked at: one of them is heard, and nobody publishes what they did not see."""
    for slug in slugs:
        racers.one("prepare", slug=slug, players=4, paired=False)
        ready = racers.one("draft", slug=slug)
        looked_at = {"round": ready["round"], "edition": ready["edition"]}
        first, _, second, _ = ready["players"]
        answers = racers.race(
            locks,
            {"do": "publish", **looked_at},
            {"do": "swap", "first": first, "second": second, **looked_at},
        )
        assert codes(answers) in (["done", "published"], ["done", "draft-changed"])
        seen = racers.one("look_at_round", round=ready["round"])
        assert seen["players"] == sorted(ready["players"])
        assert seen["state"] == ("published" if "done" in answers[0] else "draft")


def test_two_changes_by_hand_at_once_are_both_made_or_one_refused(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=6, paired=False)
        ready = racers.one("draft", slug=slug)
        one, _, two, _, three, _ = ready["players"]
        answers = racers.race(
            locks,
            {"do": "swap", "round": ready["round"], "first": one, "second": two},
            {"do": "swap", "round": ready["round"], "first": one, "second": three},
        )
        assert codes(answers) == ["done", "done"]
        assert racers.one("look_at_round", round=ready["round"])["players"] == sorted(ready["players"])


def test_two_new_lots_at_once_are_both_counted(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=5, paired=False)
        ready = racers.one("draft", slug=slug)
        answers = racers.race(locks, *[{"do": "redraw", "round": ready["round"]}] * 2)
        assert codes(answers) == ["done", "done"]
        seen = racers.one("look_at_round", round=ready["round"])
        assert (seen["lots"], seen["matches"], len(seen["players"])) == (3, 3, 5)


def test_publishing_against_taking_back_leaves_one_whole_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=5, paired=True)
        racers.one("unpublish", round=ready["round"])
        answers = racers.race(
            locks, {"do": "publish", "round": ready["round"]}, {"do": "unpublish", "round": ready["round"]}
        )
        seen = racers.one("look_at_round", round=ready["round"])
        assert answers[0].get("done"), answers
        assert seen["state"] == ("draft" if "done" in answers[1] else "published")
        assert answers[1].get("refused", "not-published") == "not-published"
        assert (seen["matches"], len(seen["players"])) == (3, 5)


def test_a_report_on_its_way_to_a_round_taken_back_finds_no_match_or_keeps_the_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=4, paired=True)
        answers = racers.race(
            locks,
            {"do": "unpublish", "round": ready["round"]},
            {"do": "report", "match": ready["match"], "player": ready["players"][0], "outcome": "win"},
        )
        seen = racers.one("look_at_round", round=ready["round"])
        taken_back, reported = ("done" in answer for answer in answers)
        assert taken_back != reported, answers
        assert (seen["state"], seen["reports"]) == (("draft", 0) if taken_back else ("published", 1))
        refusals = {answer["refused"] for answer in answers if "refused" in answer}
        assert refusals <= {"results-in", "not-published", "reported-meanwhile", "not-found"}


def test_minutes_on_their_way_to_a_round_taken_back_are_not_lost_in_between(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=4, paired=True)
        answers = racers.race(
            locks, {"do": "unpublish", "round": ready["round"]}, {"do": "extend", "match": ready["match"]}
        )
        assert ("done" in answers[0]) != ("done" in answers[1]), answers


def test_the_clock_is_started_once(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        answers = racers.race(locks, *[{"do": "start_clock", "round": ready["round"]}] * 2)
        assert codes(answers) in (["clock-running", "done"], ["clock-changed", "done"])
        assert racers.one("look_at_round", round=ready["round"])["clock"] == 1


def test_a_correction_and_the_end_of_the_round_are_both_heard(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        racers.one("decide", match=ready["match"], outcome="win")
        answers = racers.race(
            locks,
            {"do": "decide", "match": ready["match"], "outcome": "loss"},
            {"do": "finish", "round": ready["round"]},
        )
        assert codes(answers) == ["done", "done"]
        assert racers.one("look_at_match", match=ready["match"])["outcome"] == "loss"
        assert racers.one("look_at_round", round=ready["round"])["state"] == "finished"


def test_the_round_does_not_end_on_a_report_that_makes_a_conflict(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        one, two = ready["players"]
        racers.one("report", match=ready["match"], player=one, outcome="win")
        answers = racers.race(
            locks,
            {"do": "report", "match": ready["match"], "player": two, "outcome": "win"},
            {"do": "finish", "round": ready["round"]},
        )
        assert codes(answers) == ["done", "results-missing"]
        assert racers.one("look_at_round", round=ready["round"])["state"] == "published"


def test_two_finishing_at_once_close_the_round_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        racers.one("decide", match=ready["match"], outcome="win")
        answers = racers.race(locks, *[{"do": "finish", "round": ready["round"]}] * 2)
        assert codes(answers) == ["done", "round-over"]


def test_two_players_do_not_both_get_the_last_place(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        racers.one("limit", slug=slug, capacity=3)
        posts = [{"do": "register", "slug": slug, "player": f"{slug}x{number}"} for number in (1, 2)]
        answers = racers.race(locks, *posts)
        assert codes(answers) in (["done", "done"], ["done", "registered-meanwhile"])
        assert racers.one("states", slug=slug).count("active") == 3


def test_a_player_who_leaves_twice_at_once_leaves_once_and_one_place_is_given_on(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        racers.one("limit", slug=slug, capacity=2)
        for number in (1, 2):
            racers.one("register", slug=slug, player=f"{slug}x{number}")
        [leaver, *_] = racers.one("active", slug=slug)
        answers = racers.race(locks, *[{"do": "drop", "slug": slug, "player": leaver}] * 2)
        assert codes(answers) == ["done", "dropped"]
        assert racers.one("states", slug=slug) == ["active", "active", "waiting", "withdrawn"]
        told = racers.one("verbs", slug=slug)
        assert (told["player_withdraw"], told["player_promote"]) == (1, 1)


def test_two_who_leave_at_once_give_two_places_on(racers: Racers, slugs: Iterator[str]) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        racers.one("limit", slug=slug, capacity=2)
        for number in (1, 2):
            racers.one("register", slug=slug, player=f"{slug}x{number}")
        both = [{"do": "drop", "slug": slug, "player": player} for player in racers.one("active", slug=slug)]
        assert codes(racers.race(True, *both)) == ["done", "done"]
        assert racers.one("states", slug=slug) == ["active", "active", "withdrawn", "withdrawn"]


def test_a_player_who_drops_twice_at_once_in_a_round_drops_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=4, paired=True)
        both = [{"do": "drop", "slug": slug, "player": ready["players"][0]}] * 2
        assert codes(racers.race(locks, *both)) == ["done", "dropped"]
        assert racers.one("verbs", slug=slug)["player_drop"] == 1


def test_two_people_do_not_both_use_a_link_for_one(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=2, paired=False)
        secret = racers.one("invite", slug=slug)
        answers = racers.race(
            locks, *[{"do": "join", "secret": secret, "player": f"{slug}{n}"} for n in (1, 2)]
        )
        assert codes(answers) == ["done", "invite-over"]


def test_an_invitation_is_either_accepted_or_withdrawn_or_declined(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for number, slug in enumerate(slugs):
        racers.one("prepare", slug=slug, players=1, paired=False)
        pk = racers.one("ask", slug=slug, player=f"{slug}1", role="judge")
        other = ("withdraw_invitation", "refuse")[number % 2]
        both = [{"do": do, "invitation": pk} for do in ("accept", other)]
        assert codes(racers.race(locks, *both)) == ["done", "invitation-over"]
        became = racers.one("asked", slug=slug)
        assert became["roles"] == (["judge"] if became["states"] == ["accepted"] else [])


def test_two_who_invite_one_person_leave_one_invitation_and_none_after_a_refusal(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=slug, players=1, paired=False)
        two = [{"do": "ask", "slug": slug, "player": f"{slug}1", "role": role} for role in ("judge", "owner")]
        assert codes(racers.race(locks, *two)) in (["done", "done"], ["done", "invited-meanwhile"])
        assert racers.one("asked", slug=slug)["states"].count("open") == 1
        pk = racers.one("ask", slug=slug, player=f"{slug}1", role="judge")
        again = {"do": "ask", "slug": slug, "player": f"{slug}1", "role": "scorekeeper"}
        codes(racers.race(locks, {"do": "refuse", "invitation": pk}, again))
        became = racers.one("asked", slug=slug)
        assert became["states"].count("open") + became["states"].count("refused") == 1
        assert became["roles"] == []


def test_two_people_do_not_both_claim_a_guests_entry(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("prepare", slug=f"{slug}-away", players=2, paired=False)  # who they are
        racers.one("prepare", slug=slug, players=0, paired=False)
        code = racers.one("guest", slug=slug)
        claims = [{"do": "claim", "slug": slug, "code": code, "player": f"{slug}-away{n}"} for n in (1, 2)]
        assert codes(racers.race(locks, *claims)) in (["claimed", "done"], ["done", "not-found"])


def test_a_guests_entry_becomes_one_accounts_whoever_takes_it_at_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    """Accepted by who was asked, while another claims it, it is withdrawn, or they enter by themselves."""
    for number, slug in enumerate(slugs):
        racers.one("prepare", slug=f"{slug}-away", players=2, paired=False)  # who they are
        racers.one("prepare", slug=slug, players=0, paired=False)
        code = racers.one("guest", slug=slug)
        pk = racers.one("ask_player", slug=slug, code=code, player=f"{slug}-away1")
        other = (
            {"do": "claim", "slug": slug, "code": code, "player": f"{slug}-away2"},
            {"do": "withdraw_invitation", "invitation": pk},
            {"do": "register", "slug": slug, "player": f"{slug}-away1"},
        )[number % 3]
        told = codes(racers.race(locks, {"do": "accept_entry", "invitation": pk}, other))
        assert told.count("done") == 1, told
        assert len(racers.one("active", slug=slug)) == 1


def test_two_organizers_making_the_cut_open_one_bracket_and_publish_one_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        racers.one("over", slug=slug)
        assert codes(racers.race(locks, *[{"do": "cut", "slug": slug}] * 2)) == ["done", "stage-open"]
        published = racers.race(locks, *[{"do": "wave", "slug": slug}] * 2)
        assert codes(published) in (["already-paired", "done"], ["done", "results-missing"])
        assert racers.one("look_at_stage", slug=slug) == {"stages": 1, "entries": 4, "rounds": 1, "seats": 4}


def test_two_players_calling_at_once_make_one_call(racers: Racers, locks: bool, slugs: Iterator[str]) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        both = [{"do": "call", "match": ready["match"], "player": player} for player in ready["players"]]
        assert codes(racers.race(locks, *both)) == ["already-called", "done"]
        assert racers.one("look_at_calls", match=ready["match"])["states"] == ["open"]


def test_two_judges_taking_a_call_at_once_do_not_both_have_it(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        racers.one("judges", slug=slug)
        call = racers.one("call", match=ready["match"], player=ready["players"][0])
        both = [{"do": "take", "call": call, "judge": f"{slug}-j{number}"} for number in (1, 2)]
        answers = racers.race(locks, *both)
        assert codes(answers) == ["claimed", "done"]
        [winner] = [answer["done"] for answer in answers if "done" in answer]
        assert racers.one("look_at_calls", match=ready["match"])["judges"] == [winner]


def test_a_judge_comes_or_the_call_is_taken_back_and_never_both(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        racers.one("judges", slug=slug)
        call = racers.one("call", match=ready["match"], player=ready["players"][0])
        take = {"do": "take", "call": call, "judge": f"{slug}-j1"}
        answers = racers.race(locks, take, {"do": "withdraw", "call": call, "player": ready["players"][0]})
        seen = racers.one("look_at_calls", match=ready["match"])
        assert (codes(answers), seen["states"]) in (
            (["claimed", "done"], ["claimed"]),
            (["call-over", "done"], ["withdrawn"]),
        )


def test_a_call_ended_twice_at_once_gives_its_minutes_once(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        racers.one("judges", slug=slug)
        call = racers.one("call", match=ready["match"], player=ready["players"][0])
        both = [{"do": "end", "call": call, "judge": f"{slug}-j{number}"} for number in (1, 2)]
        assert codes(racers.race(locks, *both)) == ["call-over", "done"]
        assert racers.one("look_at_calls", match=ready["match"])["minutes"] == 3


def test_a_call_on_its_way_to_a_round_taken_back_finds_no_match_or_keeps_the_round(
    racers: Racers, locks: bool, slugs: Iterator[str]
) -> None:
    for slug in slugs:
        ready = racers.one("prepare", slug=slug, players=2, paired=True)
        answers = racers.race(
            locks,
            {"do": "unpublish", "round": ready["round"]},
            {"do": "call", "match": ready["match"], "player": ready["players"][0]},
        )
        assert ("done" in answers[0]) != ("done" in answers[1]), answers
        # forbidden: nobody sits at that table any more
        assert {answer["refused"] for answer in answers if "refused" in answer} <= {
            "calls-open", "results-in", "not-published", "not-found", "forbidden"
        }  # fmt: skip
