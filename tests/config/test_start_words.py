"""Without a checkout there is no make: what to type is said in the words of the program that is installed."""

import socket
from typing import Any

import pytest

from config.embedded import EVERYWHERE, CannotStart, free_address, start_words


@pytest.mark.parametrize(
    ("program", "said"), [("manage.py", "make run PORT={}"), ("headjudge", "headjudge up --port {}")]
)
def test_a_busy_port_names_the_command_that_is_there(settings: Any, program: str, said: str) -> None:
    settings.PROGRAM = program
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with pytest.raises(CannotStart, match=said.format(port + 1)):
            free_address("127.0.0.1", port)


def test_a_host_for_the_hall(settings: Any) -> None:
    settings.PROGRAM = "manage.py"
    assert start_words(host=EVERYWHERE) == "make run HOST=0.0.0.0"
    settings.PROGRAM = "headjudge"
    assert start_words(host=EVERYWHERE) == "headjudge up --host 0.0.0.0"
