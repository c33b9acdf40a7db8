"""What looks wrong in another program's event although nothing contradicts it, as questions to a person.

A row lost, a name misspelt once, a result never entered: each leaves a trace in who is at a table when.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from rapidfuzz.distance import Indel

MOST_NAMED = 20
MOST_COMPARED = 500  # of those who are not in every round, each with each
ALIKE = 0.85  # of two names, the share of letters in both: one letter of eight is wrong


def doubts(document: Mapping[str, Any], *, points: bool = False) -> list[str]:
    """Sentences. document: the event's rows as `event_import` reads them. points: the file says the points of all
    players, so that a lost result shows in them."""
    swiss = {at for at, round in enumerate(document["rounds"], start=1) if round["stage"] is None}
    there: dict[int, set[int]] = {at: set() for at in range(1, len(document["players"]) + 1)}
    for seat in document["seats"]:
        if seat["round"] in swiss:
            there[seat["registration"]].add(seat["round"])
    names = [one["name"] for one in document["players"]]
    complete = points and all(document["rounds"][at - 1]["finished_at"] for at in swiss)
    return [
        *_gaps(names, there),
        *_no_names(names),
        *_unlike(names),
        *_alike(names, there, swiss),
        *_open(document, swiss),
        *_byes(document, swiss),
        *_byes_again(document, names, swiss),
        *_met_again(document, names, swiss),
        *_left_at_once(there, swiss),
        *(() if complete else _dropped(names, there, swiss)),
        *_nowhere(names, there, swiss),
    ]


def _gaps(names: list[str], there: Mapping[int, set[int]]) -> Iterator[str]:
    """Who plays a round after one in which the file does not name them."""
    gone = [at for at, rounds in there.items() if len(rounds) < max(rounds, default=0)]
    told = [f"{names[at - 1]} ({_missed(there[at])})" for at in gone[:MOST_NAMED]]
    if told:
        yield _("Missing from an earlier round, but playing in a later one: %(who)s.") % {
            "who": listed(told, len(gone))
        }


_NO_NAMES = frozenset(
    {
        "nan",
        "null",
        "none",
        "undefined",
        "na",
        "n/a",
        "#n/a",
        "#ref!",
        "#name?",
        "true",
        "false",
        "bye",
        "tbd",
    }
)


def _no_names(names: list[str]) -> Iterator[str]:
    if told := list(filter(_is_no_name, names)):
        yield _("May be no player’s name: %(who)s.") % {"who": listed(told)}


def _is_no_name(name: str) -> bool:
    return not any(map(str.isalpha, name)) or name.strip().casefold() in _NO_NAMES


FEWEST_NAMES = 4  # of which one can be unlike the others
_AS_TWO = re.compile(r" \(\w*\d\w*\)$")  # as files of two players with one name write them
_ODD: tuple[Callable[[str], object], ...] = (
    re.compile(r"\d").search,
    re.compile(r"[^\w\s.,'’‘`´()&\"“”-]|_").search,
    lambda name: name[:1].islower(),
    lambda name: name.split()[-1][:1].islower(),
    lambda name: name.isupper() and sum(map(str.isalpha, name)) > 1,
    lambda name: sum(map(str.isalpha, name)) == 1 and name[:1] < "\u2e80",  # there a letter is a word
    lambda name: " " not in name,
)


def _scripts(name: str) -> Iterator[str]:
    """The alphabets of the letters that look like others."""
    for letter in name:
        if letter.isalpha() and (alphabet := _LOOKALIKES.match(unicodedata.name(letter, ""))):
            yield alphabet[0]


def _mixed(name: str) -> bool:
    """Whether a word has letters of two alphabets, such as a Russian A in front of “nn”."""
    return not name.isascii() and any(len(set(_scripts(word))) > 1 for word in name.split())


_LOOKALIKES = re.compile("LATIN|CYRILLIC|GREEK")


def _unlike(names: list[str]) -> Iterator[str]:
    """Written as none or hardly any of the others: with a digit, in capitals, a first name alone. So looks what a
    letter lost, a sign too many or a cell of another column leaves."""
    plain = {one: _AS_TWO.sub("", one) for one in names if not _is_no_name(one)}
    few = max(1, len(plain) // 20)
    unlike: set[str] = set()
    for odd in _ODD if len(plain) >= FEWEST_NAMES else ():
        found = [one for one, name in plain.items() if odd(name)]
        unlike.update(found if len(found) <= few else ())
    unlike.update(filter(_mixed, names))
    if told := [one for one in names if one in unlike]:
        yield _("Written unlike the other names, so check them: %(who)s.") % {"who": listed(told)}


def _missed(rounds: set[int]) -> str:
    return ", ".join(str(round) for round in range(1, max(rounds)) if round not in rounds)


def _alike(names: list[str], there: Mapping[int, set[int]], swiss: set[int]) -> Iterator[str]:
    """Two names of one player are never in the same round."""
    partly = [at for at, rounds in there.items() if rounds != swiss][:MOST_COMPARED]
    folded = {at: names[at - 1].casefold() for at in partly}
    pairs = [
        (one, two)
        for index, one in enumerate(partly)
        for two in partly[index + 1 :]
        if Indel.normalized_similarity(folded[one], folded[two]) > ALIKE and not there[one] & there[two]
    ]
    for one, two in pairs[:MOST_NAMED]:
        yield _("“%(one)s” and “%(two)s” may be one player.") % {"one": names[one - 1], "two": names[two - 1]}
    if (more := len(pairs) - MOST_NAMED) > 0:
        yield _("More pairs of names that may be one player: %(n)s.") % {"n": more}


def _open(document: Mapping[str, Any], swiss: set[int]) -> Iterator[str]:
    """Tables without a result in a round that another one followed."""
    reported = {report["match"] for report in document["reports"]}
    seats: dict[int, int] = {}
    for seat in document["seats"]:
        seats[seat["match"]] = seats.get(seat["match"], 0) + 1
    counts = Counter(
        match["round"]
        for at, match in enumerate(document["matches"], start=1)
        if at not in reported and seats.get(at) == 2
    )
    for round in sorted(swiss & counts.keys() - {max(swiss, default=0)}):
        yield _("Tables without a result in round %(round)s: %(n)s.") % {"round": round, "n": counts[round]}


def _byes(document: Mapping[str, Any], swiss: set[int]) -> Iterator[str]:
    """One bye is for an odd number of players; two of a round could have been a table."""
    reported = {report["match"] for report in document["reports"]}
    alone: dict[int, list[str]] = {}
    for seat in document["seats"]:
        alone.setdefault(seat["match"], []).append(document["players"][seat["registration"] - 1]["name"])
    byes: dict[int, list[str]] = {}
    for at, match in enumerate(document["matches"], start=1):
        if at not in reported and len(alone.get(at, ())) == 1:
            byes.setdefault(match["round"], []).append(alone[at][0])
    for round in sorted(swiss & byes.keys()):
        if len(names := byes[round]) > 1:
            yield _("Round %(round)s has %(n)s byes: %(who)s.") % {
                "round": round,
                "n": len(names),
                "who": listed(names),
            }


def _byes_again(document: Mapping[str, Any], names: list[str], swiss: set[int]) -> Iterator[str]:
    """Swiss rounds give nobody a second bye."""
    seated = Counter(seat["match"] for seat in document["seats"])
    lost = {report["match"] for report in document["reports"]}
    byes: dict[int, list[int]] = {}
    for seat in document["seats"]:
        if seated[seat["match"]] == 1 and seat["match"] not in lost and seat["round"] in swiss:
            byes.setdefault(seat["registration"], []).append(seat["round"])
    again = [f"{names[at - 1]} ({', '.join(map(str, on))})" for at, on in byes.items() if len(on) > 1]
    if again:
        yield _("They have more than one bye: %(who)s.") % {"who": listed(again)}


def _met_again(document: Mapping[str, Any], names: list[str], swiss: set[int]) -> Iterator[str]:
    """Swiss rounds pair nobody twice; where most meet twice it is a league of two legs, and no mistake."""
    tables: dict[int, list[int]] = {}
    for seat in document["seats"]:
        if seat["round"] in swiss:
            tables.setdefault(seat["match"], []).append(seat["registration"])
    met: dict[tuple[int, ...], int] = {}
    for seated in tables.values():
        if len(seated) == 2:
            pair = tuple(sorted(seated))
            met[pair] = met.get(pair, 0) + 1
    again = [" – ".join(names[at - 1] for at in pair) for pair, times in met.items() if times > 1]
    if again and 2 * len(again) <= len(met):
        yield _("They meet more than once: %(who)s.") % {"who": listed(again)}


def _left_at_once(there: Mapping[int, set[int]], swiss: set[int]) -> Iterator[str]:
    """A round in which most players of the round before are missing: the file may have been cut off."""
    before = Counter(round + 1 for rounds in there.values() for round in rounds)
    stayed = Counter(round for rounds in there.values() for round in rounds if round - 1 in rounds)
    for round in sorted(swiss):
        if 2 * stayed[round] < before[round]:
            yield _("Round %(round)s has %(n)s of the previous round’s %(all)s players.") % {
                "round": round,
                "n": stayed[round],
                "all": before[round],
            }


def _dropped(names: list[str], there: Mapping[int, set[int]], swiss: set[int]) -> Iterator[str]:
    """Who left, as far as the file shows: it would look the same if the rest of it were lost."""
    told = [
        f"{names[at - 1]} ({max(rounds)})"
        for at, rounds in there.items()
        if rounds and max(rounds) < max(swiss)
    ]
    if told:
        yield _("In no later round, so read as dropped after the round in brackets: %(who)s.") % {
            "who": listed(told)
        }


def _nowhere(names: list[str], there: Mapping[int, set[int]], swiss: set[int]) -> Iterator[str]:
    """Who is in the list of players alone."""
    told = [names[at - 1] for at, rounds in there.items() if swiss and not rounds]
    if told:
        yield _("In no round, so read as dropped: %(who)s.") % {"who": listed(told)}


def listed(told: list[str], count: int | None = None) -> str:
    """The first of them. count: of all, where `told` has only the first."""
    more = (len(told) if count is None else count) - MOST_NAMED
    return ", ".join(told[:MOST_NAMED]) + (_(" and %(n)s more") % {"n": more} if more > 0 else "")
