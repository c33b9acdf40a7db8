"""What a new installation starts with is what `up` says it is."""

from collections.abc import Callable
from datetime import datetime

import pytest

from decks.services import catalog_load_shipped
from rules import tasks
from rules.models import Adjudication
from tournament.demo import PASSWORD, decklist, event
from tournament.demo.story import Story
from tournament.management.commands.demo import Told
from tournament.models import Event, Match, Staff, User
from tournament.selectors import current_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(now: datetime) -> Event:
    catalog_load_shipped(now=now)
    assert not event.anything_there()
    event.load(now=now)
    return Event.objects.get(slug="demo-open")


def test_the_people_named_by_the_guide_can_log_in(demo: Event) -> None:
    guide = "\n".join(event.guide())
    assert PASSWORD in guide
    for username in event.PEOPLE:
        assert username in guide
        assert User.objects.get(username=username).check_password(PASSWORD)


def test_ann_and_bo_sit_at_one_table_of_round_1(demo: Event) -> None:
    ann, bo = (User.objects.get(username=username) for username in ("ann", "bo"))
    match = current_match(ann, demo)
    assert match is not None
    assert match == current_match(bo, demo)
    assert Match.objects.filter(round__event=demo).count() == 3


def test_the_judge_has_a_dispute_to_rule_on(demo: Event) -> None:
    assert Staff.objects.filter(event=demo, user__username="judge", role="head-judge").exists()
    job = Adjudication.objects.get()
    tasks.adjudicate(job.pk)
    job.refresh_from_db()
    assert job.answer is not None
    assert job.answer["sentence"] == "Next to act: Bo."


def test_another_event_is_open_for_registration(demo: Event) -> None:
    assert Event.objects.get(slug="next-week").state == Event.State.REGISTRATION


def test_an_installation_in_use_is_left_alone(demo: Event) -> None:
    assert event.anything_there()


@pytest.mark.parametrize("name", ["ann", "bo", "illegal"])
def test_the_lists_of_the_demo_are_there(name: str) -> None:
    assert decklist(name)


def test_the_story_in_words(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    """With a real worker it is played in tests/system/test_demo.py; here the words are read."""

    def work(condition: Callable[[], bool]) -> None:
        for job in Adjudication.objects.filter(state="queued"):
            tasks.adjudicate(job.pk)
        assert condition()

    told = Told()
    for chapter in Story(work).chapters():
        told.chapter(chapter)
    words = capsys.readouterr().out
    assert "Museum Curator and Itinerant" in words
    assert "the next to act is Bo under one set of rules and Ann under the other" in words
    assert "\x1b[" not in words  # no colours where nobody looks
