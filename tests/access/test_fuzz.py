"""Every operation of the API, asked whatever its document allows and much that it does not (schemathesis, all checks).

An answer must be one that the document names, in the shape it says; what the document allows is not refused as
malformed, what it forbids is; and never is there a 5xx. Asked by the event's owner with a token, and by nobody; what a
request did is undone. The same cases come in every run; HEADJUDGE_FUZZ=100 asks for more of them (docs/api.md).
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
import yaml
from django.core import signals
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.openapi.checks import RejectedPositiveData

from config.wsgi import application
from tests.access import table
from tests.access.test_document import FILE
from tests.access.world import people, undone, world
from tournament import services

MORE = int(os.environ.get("HEADJUDGE_FUZZ", "0"))
SETTINGS = hypothesis_settings(
    max_examples=MORE or 2,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
# The systematic cases (each limit of each field) are some forty an operation: in the long run only.
MODES = [
    HypothesisTestMode.EXAMPLES,
    HypothesisTestMode.FUZZING,
    *([HypothesisTestMode.COVERAGE] if MORE else []),
]


@pytest.fixture
def kept_open() -> Iterator[None]:
    """A request of a real server may close its connection; here it holds the test's transaction."""
    for signal in (signals.request_started, signals.request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (signals.request_started, signals.request_finished):
        signal.connect(close_old_connections)


@pytest.mark.django_db
@pytest.mark.usefixtures("kept_open")
@pytest.mark.parametrize("who", ["owner", "nobody"])
def test_the_api_answers_as_its_document_says(who: str, settings: Any) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]
    document = schemathesis.openapi.from_dict(yaml.load(FILE.read_text(), yaml.CSafeLoader))
    document.app = application
    refusing = ["4XX", "5XX"]  # a tag or a key that does not fit is refused, too
    document.config.checks.negative_data_rejection.expected_statuses = refusing
    person = people()
    asker = Asker(world(person))
    if who == "owner":
        scopes = ["decks", "play", "staff"]
        _token, bearer = services.token_make(
            person=person["owner"], name="x", scopes=scopes, now=timezone.now()
        )
        asker.headers |= {"Authorization": f"Bearer {bearer}"}
    for result in document.get_all_operations():
        assert isinstance(result, Ok), result
        asker.ask_all(document, result.ok())
    print(f"{who}: {asker.answered.total()} answers {dict(sorted(asker.answered.items()))}")
    assert not asker.faults, asker.told()


class Asker:
    """Sends cases and collects what is wrong with the answers, each kind of fault once."""

    def __init__(self, words: dict[str, Any]) -> None:
        self.words = words
        self.headers = {"Accept-Encoding": "identity"}
        self.answered: Counter[int] = Counter()
        self.faults: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def ask_all(self, document: Any, operation: Any) -> None:
        standing = _parts(operation.method, operation.path, self.words)

        @SETTINGS
        def ask(case: Any) -> None:
            places = (case.meta.components if case.meta else {}).get(ParameterLocation.PATH)
            if case.path_parameters and not (places and places.mode.is_negative):
                case.path_parameters.update(standing)
            with undone():
                self.ask(case)

        config = HypothesisTestConfig(project=document.config, modes=MODES, settings=SETTINGS)
        create_test(operation=operation, test_func=ask, config=config)()

    def ask(self, case: Any) -> None:
        try:
            answer = case.call(headers=self.headers)
            self.answered[answer.status_code] += 1
            case.validate_response(answer, headers=self.headers, transport_kwargs={"headers": self.headers})
        except (Exception, FailureGroup) as failed:  # an answer that is wrong, or our own exception
            for one in getattr(failed, "exceptions", [failed]):
                if isinstance(one, RejectedPositiveData) and not _malformed(answer.json()):
                    continue
                what = f"{case.operation.label}: {getattr(one, 'title', '') or one!r}"
                self.faults[what] += 1
                self.first.setdefault(what, f"{one}\n{answer.text[:500]}\n{case.as_curl_command()}"[:2500])

    def told(self) -> str:
        return "\n\n".join(f"{count}x {what}\n{self.first[what]}" for what, count in self.faults.items())


def _malformed(problem: dict[str, Any]) -> bool:
    """Whether the answer blames the form of a field. That there is no such round, or that two fields do not go
    together, a document cannot say; nor that a text has something to read in it."""
    fields = problem["details"].get("fields", {})
    unsaid = ("may not be blank", "Null characters")
    return set(fields) > {"non_field_errors"} and not any(words in problem["message"] for words in unsaid)


def _parts(method: str, path: str, words: dict[str, Any]) -> dict[str, str]:
    """What stands for the {parts} of an operation's address in the first line of routes.txt that is about it."""
    pattern = re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/?]+)", re.escape(path)) + r"(\?|$)")
    found = [(row.method != method.upper(), at) for row in table.rows() if (at := pattern.match(row.address))]
    assert found, f"routes.txt has no line for {path}"
    chosen = min(found, key=lambda one: one[0])[1]
    return {name: value.format(**words) for name, value in chosen.groupdict().items()}
