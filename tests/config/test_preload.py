"""The web server reads the data of the project before anybody asks for a page."""

import os
import subprocess
import sys

LATER = """
import sys
import config.wsgi
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
from decks.law.format_files import formats
from rules.law.system_files import library, systems
from tournament.policy.policy_files import policies
found = len(formats()), len(policies()), sum(len(library(one.key)) for one in systems())
print(min(found) > 0, [one for one in opened if one.endswith((".yaml", ".jsonl", ".py"))])
"""


def test_nothing_is_left_to_be_read_after_the_web_server_has_started() -> None:
    told = subprocess.run(
        [sys.executable, "-c", LATER],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "True []\n"
