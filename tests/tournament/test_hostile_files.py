"""Files of events that somebody made to do harm: each is refused, or read, in time and memory that its size bounds."""

import resource
import time
from collections.abc import Callable
from typing import Any

import pytest

from config.errors import UserError
from tests.tournament.factories import NOW
from tournament.files.claims import number
from tournament.files.encoding import text_of
from tournament.files.shape import MOST_PLAYERS, MOST_ROUNDS
from tournament.services.outside import imports
from tournament.services.outside.imports import file_read, names_read

SIZE = 200_000  # characters; what takes the square of it would take minutes
MOST_SECONDS = 10.0
LONG = "9" * 5_000  # digits: Python reads no more than 4,300
HEAD = "round,player,opponent,result\n"
TOM = "<tournament><data><name>x</name></data><players>%s</players><pods>%s</pods></tournament>"
PLAYER = '<player userid="%d"><firstname>a</firstname><lastname>b</lastname></player>'


def trf(number: int, games: str = "") -> str:
    return f"001 {number:>4}      {'Name ' + str(number):<33}{'':<43}{games}\n"


HOSTILE: dict[str, Callable[[], str]] = {
    "JSON nested": lambda: '{"kind":' + "[" * SIZE,
    "JSON of empty objects": lambda: '{"kind":"x","a":[' + "{}," * (SIZE // 3) + "{}]}",
    "JSON of a long number": lambda: '{"players":[{"id":' + "9" * SIZE + '}],"rounds":[]}',
    "JSON of spaces": lambda: "{" + " " * SIZE,
    "XML nested": lambda: "<tournament>" * (SIZE // 12),
    "XML of entities": lambda: '<!DOCTYPE t [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><tournament>&c;</tournament>',
    "XML, all of one name": lambda: TOM % ("".join(PLAYER % n for n in range(SIZE // 80)), ""),
    "XML, a long round": lambda: (
        TOM % (PLAYER % 1, f'<pod><rounds><round number="{LONG}"><matches><match/></matches></round></rounds></pod>')
    ),
    "a table, one line": lambda: HEAD + "x" * SIZE,
    "a table, a quote left open": lambda: HEAD + '1,"' + "a\n" * (SIZE // 2),
    "a table of columns": lambda: ",".join(f"c{n}" for n in range(SIZE // 8)) + "\n" + "," * (SIZE // 8),
    "a table of rounds": lambda: HEAD + "".join(f"{n % 999 + 1},A{n},B{n},1-0\n" for n in range(SIZE // 20)),
    "a table of players": lambda: HEAD + "".join(f"1,A{n},B{n},1-0\n" for n in range(9_000)),
    "a table of names alike": lambda: (
        HEAD + "".join(f"{n},{'ab' * 38}{n},Bo,1-0\n{n},{'ba' * 38}{n},Cy,1-0\n" for n in range(1, 400))
    ),
    "tabs": lambda: "\t" * SIZE,
    "quotes": lambda: '"' * SIZE,
    "garbled": lambda: "Ã¤" * (SIZE // 2),
    "accents": lambda: "e" + "\u0301" * SIZE,
    "a report file of players": lambda: "012 x\n" + "".join(trf(n) for n in range(1, 2_000)),
    "a report file of rounds": lambda: "012 x\n" + trf(1, "     2 w 1" * (SIZE // 10)),
    "a report file of byes": lambda: "012 x\n" + "".join(trf(n, "  0000 - U" * 900) for n in range(1, 60)),
    "a report file that announces much": lambda: "012 x\nXXR " + LONG + "\n062 " + LONG + "\n" + trf(1),
    "a cross table of a long number": lambda: "no,name,1,2\n" + LONG + ",A,,\n",
    "NRTM of players": lambda: (
        '{"players":[' + ",".join(f'{{"id":{n},"name":"N{n}"}}' for n in range(15_000)) + '],"rounds":[]}'
    ),
    "NRTM of rounds": lambda: '{"players":[{"id":1,"name":"A"}],"rounds":[' + "[]," * (SIZE // 3) + "[]]}",
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("read", ["event", "names"])
@pytest.mark.parametrize("what", HOSTILE)
def test_no_file_takes_more_than_its_size_is_worth(what: str, read: str) -> None:
    source = HOSTILE[what]()
    began, memory = time.process_time(), _most_memory()
    text_of(source.encode())
    try:
        file_read(source, policy_key="", now=NOW) if read == "event" else names_read(source)
    except UserError as refused:
        assert refused.code in ("bad-file", "bad-trf", "too-large", "too-long", "no-names"), refused
        assert len(refused.message) < 1_000
    assert time.process_time() - began < MOST_SECONDS
    assert _most_memory() - memory < 500  # MB


def _most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def test_a_file_of_very_many_parts_is_not_taken_apart(monkeypatch: Any) -> None:
    """A value takes some hundred bytes of memory: a file of the largest size could hold millions."""
    monkeypatch.setattr(imports, "MOST_PARTS", 1_000)
    with pytest.raises(UserError) as refused:
        file_read('{"kind":[' + "[]," * 1_000 + "[]]}", policy_key="", now=NOW)
    assert (refused.value.code, refused.value.status) == ("too-large", 413)


@pytest.mark.django_db
def test_an_event_has_so_many_players_and_rounds() -> None:
    players = HEAD + "".join(f"1,A{n},B{n},1-0\n" for n in range(MOST_PLAYERS // 2 + 1))
    rounds = "012 x\n" + trf(1, "  0000 - U" * (MOST_ROUNDS + 1))
    for source, code in ((players, "too-large"), (rounds, "bad-trf")):
        with pytest.raises(UserError) as refused:
            file_read(source, policy_key="", now=NOW)
        assert refused.value.code == code


@pytest.mark.parametrize("said", ["1e-999999999", "1e-31", "0." + "0" * 40 + "1", "1e999", "nan"])
def test_a_number_that_would_have_to_be_computed_is_none(said: str) -> None:
    """Numbers of standings are compared as exact fractions; this one has a billion digits."""
    assert number(said) is None
    assert number("66.666666666666671") is not None


@pytest.mark.django_db
def test_a_name_twice_in_one_object_is_refused() -> None:
    """Python keeps the last, and the first would be lost in silence."""
    source = '{"players":[{"id":1,"name":"A"}],"players":[],"rounds":[]}'
    with pytest.raises(UserError) as refused:
        file_read(source, policy_key="", now=NOW)
    assert (refused.value.code, refused.value.place) == ("bad-file", "players")
