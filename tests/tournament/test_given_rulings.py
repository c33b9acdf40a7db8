"""From a raised hand to a final ruling: the step, the appeal, confidential words, and what the law may not do."""

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from config.errors import UserError
from config.jobs.turns import waiting
from rules import services as rules_services
from rules import tasks
from rules.models import Adjudication, Ruling
from rules.selectors import Asked, search
from tests.rules.scenarios import SHOTGUN, different
from tests.tournament.factories import NOW, enter, make_event, make_staff, player_of
from tournament import services
from tournament.models import AuditRow, Event, GivenRuling, JudgeCall, Match, MatchDispute, Round, User
from tournament.selectors import extension_of, match_state, round_matches
from tournament.selectors.calls import open_call
from tournament.selectors.remarks import asks_advice, remarks_for, statements_for
from tournament.selectors.rulings import open_appeals, pinned

pytestmark = pytest.mark.django_db

Make = Callable[..., Any]


def after(minutes: float) -> Any:
    return NOW + timedelta(minutes=minutes)


@pytest.fixture
def head(make_user: Make) -> User:
    user: User = make_user("head", display_name="Head Judge")
    return user


@pytest.fixture
def event(organizer: Any, judge: Any, head: User) -> Event:
    event = make_event(organizer)
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    make_staff(event=event, user=head, role="head-judge", by=organizer, now=NOW)
    enter(event, 4)
    round = services.round_pair(event=event, by=organizer, seed=1, now=NOW)
    services.clock_start(round=round, by=organizer, now=NOW)
    return event


@pytest.fixture
def match(event: Event) -> Match:
    return round_matches(event.rounds.get())[0]


@pytest.fixture
def other_match(event: Event) -> Match:
    return round_matches(event.rounds.get())[1]


def test_a_dispute_of_a_round_that_is_played_goes_before_a_strangers(
    match: Match, judge: User, make_user: Make
) -> None:
    """In a lane of its own, and first where both wait in one; when the round is over, no longer."""
    sources = [different(SHOTGUN, number) for number in range(3)]
    stranger = rules_services.dispute_file(
        by=make_user("stranger"), title="A table at home", source=sources[0], now=NOW
    )
    ask = partial(services.dispute_file, by=judge, title="May Bo respond?")
    urgent = ask(match=match, source=sources[1], now=after(1)).dispute
    Round.objects.update(finished_at=after(2))
    later = ask(match=Match.objects.get(pk=match.pk), source=sources[2], now=after(3)).dispute
    home, ours, over = (one.adjudications.get() for one in (stranger, urgent, later))
    assert [one.lane for one in (home, ours, over)] == ["disputes", "matches", "disputes"]
    Adjudication.objects.update(lane="long")
    assert waiting(rules_services.ADJUDICATION, "long", after(4)) == [ours.pk, home.pk, over.pk]


@pytest.fixture
def one(match: Match) -> User:
    return player_of(match, 1)


@pytest.fixture
def two(match: Match) -> User:
    return player_of(match, 2)


@pytest.fixture
def call(match: Match, one: User) -> JudgeCall:
    return services.call_open(match=match, subject="rules", by=one, now=after(10))


@pytest.fixture
def filed(match: Match, judge: Any) -> MatchDispute:
    filed = services.dispute_file(match=match, by=judge, title="May Bo?", source=SHOTGUN, now=after(11))
    tasks.adjudicate(filed.dispute.adjudications.get().pk)
    return filed


@pytest.fixture
def floor(match: Match, judge: Any) -> GivenRuling:
    return services.ruling_give(match=match, verdict="It stands.", by=judge, now=after(12))


def refused(code: str, act: Callable[..., Any], **given: Any) -> UserError:
    """That the act, with what is given to it, is refused with this code."""
    with pytest.raises(UserError) as error:
        act(**given)
    assert error.value.code == code
    return error.value


# --- statements and remarks ----------------------------------------------------------------------------


def test_statements_are_sealed_from_the_other_player(
    match: Match, call: JudgeCall, one: User, two: User, judge: Any, head: User, visitor: Any, event: Event
) -> None:
    services.statement_make(match=match, text="I played first.", by=one, now=after(11))
    services.statement_make(match=match, text="He did not.", by=two, now=after(11))
    read = lambda user: [said.text for said in statements_for(user, match)]  # noqa: E731
    assert read(one) == ["I played first."]
    assert read(two) == ["He did not."]
    assert read(judge) == read(head) == read(event.created_by) == ["I played first.", "He did not."]
    assert read(visitor) == read(None) == []


def test_a_player_on_the_staff_reads_no_statement_of_the_opponent(
    event: Event, match: Match, one: User, two: User, organizer: Any
) -> None:
    make_staff(event=event, user=one, role="head-judge", by=organizer, now=NOW)
    services.statement_make(match=match, text="He cheats.", by=two, now=NOW)
    assert not statements_for(one, match)
    refused("not-the-judge", services.remark_make, about=match, kind="note", text="x", by=one, now=NOW)
    refused("own-match", services.ruling_give, match=match, verdict="I win.", by=one, now=NOW)


def test_a_judge_takes_down_what_a_player_says_and_nobody_speaks_for_another(
    match: Match, one: User, two: User, judge: Any, visitor: Any, other_match: Match
) -> None:
    entry = match.seats.get(side=2).registration
    said = services.statement_make(match=match, registration=entry, text="No.\n  Never.", by=judge, now=NOW)
    assert (said.registration, said.by, said.text) == (entry, judge, "No.\n  Never.")
    refused("not-yours", services.statement_make, match=match, registration=entry, text="x", by=one, now=NOW)
    refused("not-your-match", services.statement_make, match=match, text="x", by=visitor, now=NOW)
    stranger = other_match.seats.get(side=1).registration
    refused(
        "not-of-this-match",
        services.statement_make,
        match=match,
        registration=stranger,
        text="x",
        by=judge,
        now=NOW,
    )
    refused("missing", services.statement_make, match=match, text="  ", by=two, now=NOW)
    with pytest.raises(RuntimeError):
        said.save()


def test_a_note_is_for_its_author_and_the_head_judge_a_consultation_for_all_judges(
    event: Event, match: Match, judge: Any, head: User, one: User, make_user: Make, organizer: Any
) -> None:
    kim = make_user("kim")
    make_staff(event=event, user=kim, role="judge", by=organizer, now=NOW)
    for kind in ("note", "consult"):
        services.remark_make(about=match, kind=kind, text=kind, by=judge, now=NOW)
    reads = {
        user.username: [kind for kind in ("note", "consult") if remarks_for(user, match, kind)]
        for user in (judge, head, kim, one)
    }
    assert reads == {"judge": ["note", "consult"], "head": ["note", "consult"], "kim": ["consult"],
                     one.username: []}  # fmt: skip


def test_a_judge_asks_for_advice_until_somebody_answers(call: JudgeCall, judge: Any, head: User) -> None:
    services.call_claim(call=call, by=judge, now=after(11))
    fresh = lambda: JudgeCall.objects.get(pk=call.pk)  # noqa: E731
    assert not asks_advice(fresh())
    services.remark_make(about=call, kind="consult", text="Blank?", by=judge, now=after(12))
    assert asks_advice(fresh())
    services.remark_make(about=call, kind="consult", text="No.", by=head, now=after(13))
    assert not asks_advice(fresh())


def test_the_engines_answer_is_attached_by_link_and_only_of_this_table(
    match: Match, other_match: Match, filed: MatchDispute, judge: Any
) -> None:
    job = filed.dispute.adjudications.get()
    said = services.remark_make(about=match, kind="consult", adjudication=job, by=judge, now=NOW)
    assert (said.adjudication, said.text) == (job, "")
    refused(
        "not-of-this-match",
        services.remark_make,
        about=other_match,
        kind="consult",
        adjudication=job,
        by=judge,
        now=NOW,
    )


# --- the step -------------------------------------------------------------------------------------------


def test_one_step_rules_penalises_gives_time_and_ends_the_call(
    match: Match, call: JudgeCall, judge: Any
) -> None:
    services.call_claim(call=call, by=judge, now=after(11))
    entry = match.seats.get(side=1).registration
    given = services.ruling_give(
        match=match,
        verdict="The card goes back.",
        explanation="It was never paid.",
        facts=[{"text": "Nobody paid.", "status": "agreed"}],
        cards=["Shotgun Blast", "shotgun blast"],
        system="coc-lcg",
        citations=["COC-T-31"],
        remedy="Back to hand.",
        penalty=services.PenaltyGiven(entry, "slow-play"),
        minutes=5,
        by=judge,
        now=after(15),
    )
    assert given.penalty is not None and given.penalty.registration == entry
    assert given.extension is not None and extension_of(match) == 5
    call.refresh_from_db()
    assert (call.state, call.outcome, given.call) == ("ruled", "The card goes back.", call)
    assert [card.name for card in given.ruling.cards.all()] == ["shotgun blast"]
    assert given.ruling.question == "A question about the rules"


def test_the_step_is_whole_or_not_at_all(match: Match, call: JudgeCall, judge: Any) -> None:
    entry = match.seats.get(side=1).registration
    for wrong in ({"minutes": 9_999}, {"penalty": services.PenaltyGiven(entry, "no-such-thing")}):
        with pytest.raises(UserError):
            services.ruling_give(match=match, verdict="x", by=judge, now=after(12), **wrong)
    assert not Ruling.objects.exists() and not match.extensions.exists() and open_call(match) == call


def test_a_judge_rules_without_waiting_for_the_engine(match: Match, judge: Any) -> None:
    filed = services.dispute_file(match=match, by=judge, title="May Bo?", source=SHOTGUN, now=NOW)
    given = services.ruling_give(match=match, dispute=filed.dispute, verdict="No.", by=judge, now=NOW)
    assert (given.ruling.adjudication, given.ruling.agrees) == (None, None)
    assert filed.dispute.adjudications.get().state == "queued"


def test_a_ruling_on_a_private_call_would_tell_the_opponent(match: Match, one: User, judge: Any) -> None:
    services.call_open(match=match, subject="private", by=one, now=NOW)
    refused("private-call", services.ruling_give, match=match, verdict="x", by=judge, now=NOW)


def test_who_rules_where(
    match: Match, filed: MatchDispute, judge: Any, head: User, visitor: Any, one: User
) -> None:
    """By the service of the event and by the one of the law alike."""
    for somebody, code in ((visitor, "not-the-judge"), (one, "own-match")):
        refused(code, services.ruling_give, match=match, verdict="x", by=somebody, now=NOW)
        refused(code, rules_services.ruling_file, dispute=filed.dispute, by=somebody, verdict="x", now=NOW)
    refused("needs-head-judge", services.ruling_give, match=match, verdict="x", final=True, by=judge, now=NOW)
    assert (
        services.ruling_give(match=match, verdict="x", final=True, by=head, now=NOW).ruling.event_side
        == "final"
    )


def test_without_a_head_judge_the_owners_word_is_final(make_user: Make, organizer: Any, judge: Any) -> None:
    event = make_event(organizer, "small")
    make_staff(event=event, user=judge, role="judge", by=organizer, now=NOW)
    enter(event, 2, "small")
    [match] = round_matches(services.round_pair(event=event, by=organizer, seed=1, now=NOW))
    refused("needs-head-judge", services.ruling_give, match=match, verdict="x", final=True, by=judge, now=NOW)
    services.ruling_give(match=match, verdict="x", final=True, by=organizer, now=NOW)


# --- the appeal -----------------------------------------------------------------------------------------


def test_either_player_appeals_after_the_ruling_and_the_head_judge_decides(
    event: Event, match: Match, call: JudgeCall, two: User, judge: Any, head: User
) -> None:
    given = services.ruling_give(match=match, verdict="No.", by=judge, now=after(12))
    services.appeal_make(ruling=given.ruling, words="The card says so.", by=two, now=after(13))
    call.refresh_from_db()
    assert (call.state, [one.pk for one in open_appeals(event)]) == ("appealed", [given.pk])
    refused(
        "needs-head-judge",
        services.appeal_decide,
        ruling=given.ruling,
        upheld=True,
        explanation="x",
        by=judge,
        now=after(14),
    )
    decided = services.appeal_decide(
        ruling=given.ruling,
        upheld=False,
        verdict="Yes.",
        explanation="The text decides.",
        minutes=3,
        by=head,
        now=after(15),
    )
    assert (decided.ruling.event_status, decided.ruling.change) == ("final", "overturned")
    assert (decided.ruling.supersedes, decided.ruling.verdict) == (given.ruling, "Yes.")
    fresh = JudgeCall.objects.get(pk=call.pk)
    assert (fresh.state, list(open_appeals(event)), extension_of(match)) == ("final", [], 3)


def test_an_appeal_needs_a_ruling_a_player_of_the_match_and_a_round_under_way(
    event: Event, match: Match, floor: GivenRuling, other_match: Match, judge: Any, organizer: Any, one: User
) -> None:
    early = services.appeal_early(match)
    assert (early.code, early.status) == ("no-ruling-yet", 409)
    for stranger in (player_of(other_match, 1), judge):
        refused("not-your-match", services.appeal_make, ruling=floor.ruling, by=stranger, now=after(13))
    for each in (match, other_match):
        services.result_decide(match=each, outcome="win", reason="slip", by=organizer, now=after(14))
    services.round_finish(round=event.rounds.get(), by=organizer, now=after(15))
    refused("round-over", services.appeal_make, ruling=floor.ruling, by=one, now=after(16))


def test_upholding_keeps_the_verdict_and_both_need_reasons(floor: GivenRuling, one: User, head: User) -> None:
    refused(
        "not-appealed",
        services.appeal_decide,
        ruling=floor.ruling,
        upheld=True,
        explanation="x",
        by=head,
        now=after(13),
    )
    services.appeal_make(ruling=floor.ruling, by=one, now=after(13))
    for given, code in (
        ({"upheld": True, "explanation": " "}, "missing"),
        ({"upheld": False, "explanation": "x"}, "verdict-missing"),
    ):
        refused(code, services.appeal_decide, ruling=floor.ruling, by=head, now=after(14), **given)
    upheld = services.appeal_decide(
        ruling=floor.ruling, upheld=True, explanation="Right.", by=head, now=after(14)
    )
    assert (upheld.ruling.verdict, upheld.ruling.change) == ("It stands.", "upheld")
    refused(
        "superseded",
        services.appeal_decide,
        ruling=floor.ruling,
        upheld=True,
        explanation="x",
        by=head,
        now=after(15),
    )
    refused("final-ruling", services.appeal_make, ruling=upheld.ruling, by=one, now=after(15))


@pytest.mark.django_db(transaction=True)
def test_both_players_appeal_at_the_same_moment(floor: GivenRuling, one: User, two: User) -> None:
    codes: list[str] = []

    def appeal(user: User) -> None:
        try:
            services.appeal_make(ruling=floor.ruling, by=user, now=after(13))
            codes.append("made")
        except UserError as error:
            codes.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=appeal, args=(user,)) for user in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["already-appealed", "made"]


# --- the law side ---------------------------------------------------------------------------------------


def test_a_final_ruling_reversed_in_law_changes_no_result_and_the_search_shows_the_reversal_first(
    match: Match, filed: MatchDispute, head: User, judge: Any, organizer: Any
) -> None:
    job = filed.dispute.adjudications.get()
    given = services.ruling_give(
        match=match, dispute=filed.dispute, adjudication=job, agrees=True, verdict="Bo may.", final=True,
        citations=["COC-T-31"], by=head, now=after(12),
    )  # fmt: skip
    services.result_decide(match=match, outcome="win", reason="ruled", by=organizer, now=after(13))
    reports = match_state(Match.objects.get(pk=match.pk)).reports
    before = [(one.outcome, one.by_id, one.reported_at) for one in reports]
    righted = services.ruling_reverse(
        ruling=given.ruling, side="reversed", reason="A new document", verdict="Bo may not.", by=head,
        now=after(60 * 24 * 30),
    )  # fmt: skip
    fresh = Match.objects.get(pk=match.pk)
    assert [(one.outcome, one.by_id, one.reported_at) for one in match_state(fresh).reports] == before
    ruling = Ruling.objects.get(pk=given.ruling.pk)
    assert (ruling.event_status, ruling.precedent_status) == ("final", "reversed")
    assert (ruling.verdict, righted.verdict, righted.event_side) == ("Bo may.", "Bo may not.", "none")
    hits = search(judge, Asked(cards=("Field Researcher",)))
    assert [hit.ruling for hit in hits] == [righted, ruling]
    assert hits[1].righted is not None and hits[1].righted.verdict == "Bo may not."
    refused(
        "superseded",
        services.ruling_reverse,
        ruling=ruling,
        side="reversed",
        reason="x",
        verdict="y",
        by=head,
        now=after(60),
    )


def test_only_who_leads_the_judging_speaks_of_the_law(
    floor: GivenRuling, judge: Any, head: User, one: User
) -> None:
    for somebody in (judge, one):
        refused(
            "needs-head-judge",
            services.ruling_judge,
            ruling=floor.ruling,
            side="verified",
            reason="x",
            by=somebody,
            now=NOW,
        )
    services.ruling_judge(ruling=floor.ruling, side="verified", reason="The book.", by=head, now=NOW)
    assert Ruling.objects.get(pk=floor.ruling.pk).precedent_status == "verified"
    refused(
        "bad-side", services.ruling_judge, ruling=floor.ruling, side="reversed", reason="x", by=head, now=NOW
    )


def test_a_published_precedent_names_nobody(match: Match, floor: GivenRuling, head: User, one: User) -> None:
    name = match.seats.get(side=1).registration.name
    error = refused(
        "names-somebody",
        services.ruling_publish,
        ruling=floor.ruling,
        question="Who?",
        explanation=f"{name} was late.",
        by=head,
        now=NOW,
    )
    assert error.place == "explanation"
    services.ruling_publish(ruling=floor.ruling, question="May one?", by=head, now=NOW)
    [hit] = search(None_user(), Asked())
    assert (hit.scope, hit.verdict) == ("global", "It stands.")


def None_user() -> Any:
    from django.contrib.auth.models import AnonymousUser

    return AnonymousUser()


# --- readings -------------------------------------------------------------------------------------------


def test_the_head_judge_settles_a_reading_and_disputes_are_asked_with_it(
    event: Event, match: Match, judge: Any, head: User
) -> None:
    pin: dict[str, Any] = {"event": event, "system": "coc-lcg", "reading": "first-response", "now": NOW}
    refused("forbidden", services.reading_pin, option="active", by=judge, **pin)
    refused("unknown", services.reading_pin, option="nobody", by=head, **pin)
    services.reading_pin(option="active", reason="As always here", by=head, **pin)
    filed = services.dispute_file(match=match, by=judge, title="x", source=SHOTGUN, now=NOW)
    assert filed.dispute.scenario["pinned"] == {"first-response": "active"}
    own = SHOTGUN + "pinned: {first-response: left-of-initiator}\n"
    kept = services.dispute_file(match=match, by=judge, title="x", source=own, now=NOW)
    assert kept.dispute.scenario["pinned"] == {"first-response": "left-of-initiator"}
    services.reading_pin(option="", by=head, **pin)
    assert pinned(event) == {}


def test_the_log_says_what_was_done_and_no_word_of_what_was_said(match: Match, judge: Any, one: User) -> None:
    services.statement_make(match=match, text="secret words", by=one, now=NOW)
    services.remark_make(about=match, kind="note", text="secret words", by=judge, now=NOW)
    rows = AuditRow.objects.filter(verb__in=["statement_make", "remark_note"])
    assert rows.count() == 2
    assert "secret" not in " ".join(f"{row.reason} {row.data}" for row in rows)
