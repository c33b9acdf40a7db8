"""Pages of decks, used: over time, taken elsewhere, house formats written, changes seen, card data brought."""

import io
import itertools
import json
import stat
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from decks import services
from decks.cards.catalog_files import shipped_index
from decks.judging import explanations
from decks.judging.judgement import verdicts_over_time
from decks.law import format_files
from decks.lists import read
from decks.models import FormatVersion, Recheck
from decks.tasks import recheck as work
from decks.views.drawing import bars, timeline
from tournament.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def deck(ann: Any, now: datetime, fill: Callable[[str, int], str]) -> Any:
    source = fill("3x Museum Curator\n1x Itinerant Scholar", 50)
    return services.deck_submit(owner=ann, name="Curators", format="coc-lcg", source=source, now=now).deck


@pytest.fixture
def page(ann: Any) -> Client:
    client = Client()
    client.force_login(ann)
    return client


def test_a_deck_is_legal_until_the_list_and_illegal_since(fill: Callable[[str, int], str]) -> None:
    law = format_files.format_of("coc-lcg")
    deck = read(fill("3x Museum Curator\n1x Itinerant Scholar", 50))
    spans = verdicts_over_time(deck, law, shipped_index("coc-lcg"))
    assert [(span.since, span.verdict) for span in spans][:2] == [
        (date(2008, 1, 1), "legal"),
        (date(2011, 4, 6), "unverified"),
    ]
    assert (spans[-1].until, spans[-1].verdict, spans[-1].codes) == (None, "illegal", ("restricted",))
    for before, after in itertools.pairwise(spans):
        assert before.until is not None
        assert (after.since - before.until).days == 1
    drawing = timeline(spans)
    assert drawing is not None
    assert round(sum(bar["width"] for bar in drawing["bars"])) == drawing["width"]
    assert timeline(spans[:1]) is None


def test_the_page_of_a_deck_draws_its_time(page: Client, deck: Any) -> None:
    text = page.get(f"/decks/{deck.pk}/").content.decode()
    assert text.count("<rect") > 3
    assert "/decks/findings/restricted" in text


@pytest.mark.parametrize("kind", ["text", "o8d", "arkhamdb", "csv"])
def test_a_list_is_taken_elsewhere_and_read_back(page: Client, deck: Any, kind: str) -> None:
    response = page.get(f"/decks/{deck.pk}/export/{kind}")
    assert response.status_code == 200
    assert "attachment" in response["Content-Disposition"]
    if kind in ("text", "o8d"):
        assert read(response.content).count == 50
    assert page.get(f"/decks/{deck.pk}/export/pdf").status_code == 404


def test_codex_is_exported_and_printed_card_by_card(page: Client, ann: Any, now: datetime) -> None:
    services.catalog_load_shipped(now=now)
    deck = services.deck_submit(
        owner=ann, name="Mine", format="codex", source="[Fire/Growth/Finesse] + Red", now=now
    ).deck
    assert read(page.get(f"/decks/{deck.pk}/export/text").content).count == 82
    assert (
        page.get(f"/decks/{deck.pk}/export/specs").content.decode().strip()
        == "[Fire/Growth/Finesse] + Red Starter"
    )
    sheet = page.get(f"/decks/{deck.pk}/sheet").content.decode()
    assert "82 cards in total" in sheet
    assert deck.revisions.get().short_hash in sheet


HOUSE = """\
extends: coc-lcg
key: house
title: House rules
law:
  HOUSE-01: {text: No curators here., document: House}
lists:
  ours: {title: our list, document: House, banned: {rule: HOUSE-01, titles: [Museum Curator]}}
timeline:
  - {from: 2013-01-01, list: ours, basis: agreed}
"""


def test_a_house_format_is_written_checked_and_put_in_force(page: Client) -> None:
    assert (
        "House rules is a complete format"
        in page.post("/decks/formats/new", {"text": HOUSE, "do": "check"}).content.decode()
    )
    wrong = page.post("/decks/formats/new", {"text": HOUSE.replace("titles:", "titels:"), "do": "publish"})
    assert wrong.status_code == 400
    assert "lists.ours.banned.titels" in wrong.content.decode()
    assert "Line 7" in wrong.content.decode()
    file = SimpleUploadedFile("house.yaml", HOUSE.encode())
    assert page.post("/decks/formats/new", {"file": file, "do": "publish"}).status_code == 302
    assert FormatVersion.objects.get().key == "house"
    assert "Museum Curator" in page.get("/decks/formats/house/").content.decode()
    assert "house" in page.get("/decks/new").content.decode()


def test_what_a_change_would_do_is_a_page_with_both_sides(page: Client, deck: Any) -> None:
    text = (
        (format_files.FOLDER / "coc-lcg.yaml").read_text().replace("- Itinerant Scholar\n", "- Dynamite\n", 1)
    )
    assert page.post("/decks/formats/coc-lcg/edit", {"text": text, "do": "what-if"}).status_code == 403
    User.objects.update(is_superuser=True)
    answer = page.post("/decks/formats/coc-lcg/edit", {"text": text, "do": "what-if"})
    check = Recheck.objects.get()
    assert answer["Location"] == f"/decks/rechecks/{check.pk}"
    for chunk in check.chunks.all():
        work(chunk.pk)
    shown = page.get(answer["Location"]).content.decode()
    assert "Curators" in shown
    assert "Itinerant Scholar" in shown
    User.objects.update(is_superuser=False)
    assert page.post("/decks/formats/coc-lcg/edit", {"text": text, "do": "publish"}).status_code == 403


def test_every_code_a_format_can_answer_is_explained(page: Client) -> None:
    codes: set[str] = set()
    for law in format_files.formats().values():
        snapshot = format_files.snapshot_of(law)
        codes |= {
            *(rule.code for rule in snapshot.exclusions),
            *(rule.code for rule in snapshot.matches),
            *(rule.code for rule in snapshot.budgets),
            *(f"too-few-{rule.code}" for rule in snapshot.scales),
            *(f"wrong-{rule.code}" for rule in snapshot.slots),
            *(rule.code for one in law.lists.values() for rule in one.restrictions),
        }
    assert len(codes) > 5
    for code in sorted(codes):
        assert explanations.explained(code), code
        assert page.get(f"/decks/findings/{code}").status_code == 200
    assert page.get("/decks/findings/no-such-thing").status_code == 404


def test_card_data_is_brought_as_an_archive_by_the_administrator(page: Client, ann: Any, bo: Any) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "title,type\nRats,character\n")
        archive.writestr("readme.txt", "x")
    form = {"game": "toy"}
    assert (
        page.post(
            "/decks/cards/", form | {"file": SimpleUploadedFile("a.zip", packed.getvalue())}
        ).status_code
        == 403
    )
    bo.is_superuser = True
    bo.save()
    page.force_login(bo)
    done = page.post("/decks/cards/", form | {"file": SimpleUploadedFile("a.zip", packed.getvalue())})
    assert "1 new, 0 changed, 0 unchanged" in done.content.decode()
    bad = page.post("/decks/cards/", form | {"file": SimpleUploadedFile("a.json", json.dumps([1]).encode())})
    assert bad.status_code == 400


def test_an_archive_that_explodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from config.errors import UserError
    from decks.cards import sources

    monkeypatch.setattr("decks.cards.sources.files.MAX_BYTES", 1_000_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", b"0" * 30_000_000)
    with pytest.raises(UserError) as raised:
        sources.unpacked("bomb.zip", packed.getvalue())
    assert (raised.value.code, raised.value.status) == ("too-large", 413)


def packed(*members: tuple[str | zipfile.ZipInfo, bytes], way: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", way) as archive:
        warnings.simplefilter("ignore")  # a name twice
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def told_otherwise(data: bytes, more: int) -> bytes:
    """The archive says that its first member is larger, or smaller, than it is."""
    at = data.index(b"PK\x01\x02") + 24
    (size,) = struct.unpack_from("<I", data, at)
    return data[:at] + struct.pack("<I", size + more) + data[at + 4 :]


def link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info


CARDS = b"title,set,number\nA,B,1\n"


@pytest.mark.parametrize(
    "data",
    [
        packed(("a.csv", b"0" * 30_000_000), way=zipfile.ZIP_BZIP2),
        packed(("a.csv", b"0" * 30_000_000), way=zipfile.ZIP_LZMA),
        packed(("a.csv", CARDS), ("a.csv", CARDS.replace(b"A", b"Z"))),
        packed((link("a.csv"), b"/etc/passwd")),
        told_otherwise(packed(("a.csv", CARDS)), 300),
        told_otherwise(packed(("a.csv", CARDS)), -3),
    ],
    ids=["bzip2", "lzma", "a name twice", "a link", "larger than it is", "smaller than it is"],
)
def test_an_archive_that_is_not_plain_is_refused_at_once(data: bytes) -> None:
    """A way of packing that has to be unpacked at one go makes gigabytes of a kilobyte."""
    from config.errors import UserError
    from decks.cards import sources

    tracemalloc.start()
    try:
        with pytest.raises(UserError) as refused:
            sources.read(sources.unpacked("x.zip", data))
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()
    assert refused.value.code == "bad-catalog" and refused.value.place.startswith("x.zip")


def test_a_folder_is_read_within_bounds_and_no_link_leads_out_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from config.errors import UserError
    from decks.cards import sources

    folder = tmp_path / "cards"
    folder.mkdir()
    (folder / "a.csv").write_bytes(CARDS)
    (tmp_path / "outside.csv").write_bytes(CARDS)
    assert list(sources.gathered(folder)) == ["a.csv"]
    (folder / "b.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(UserError) as refused:
        sources.gathered(folder)
    assert "b.csv” can’t be opened: it is a link out of the folder" in refused.value.message
    (folder / "b.csv").unlink()
    (folder / "b.csv").write_bytes(CARDS)
    monkeypatch.setattr("decks.cards.sources.files.MAX_LOCAL", len(CARDS) + 1)
    with pytest.raises(UserError) as refused:
        sources.gathered(folder)
    assert refused.value.code == "too-large"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pack.json", b'[{"code": "1", "name": "A", "name": "B"}]'),
        ("set.xml", b"<set name='a'><cards><card name='x'"),
        ("set.xml", b"<!DOCTYPE a [<!ENTITY b 'c'>]><set><cards/></set>"),
        ("set.xml", b"<set><cards><card name='' id='1'/></cards></set>"),
        ("pack.json", b"[{]"),
        ("pack.json", b"[" * 100_000),
        ("pack.json", b"\xff\xfe"),
        ("x.zip", b"PK\x03\x04broken"),
        ("x.bin", b"\0\0"),
    ],
)
def test_bad_card_data_is_refused_with_its_place(name: str, data: bytes) -> None:
    from config.errors import UserError
    from decks.cards import sources

    with pytest.raises(UserError) as raised:
        sources.read(sources.unpacked(name, data))
    assert name in raised.value.message


def test_bars_keep_their_share() -> None:
    drawn = bars([("a", 6), ("b", 3), ("c", 1)], most=2)
    assert [(bar["label"], bar["value"], bar["share"], bar["width"]) for bar in drawn] == [
        ("a", 6, 60, 100.0),
        ("b", 3, 30, 50.0),
        ("…", 1, 10, 16.7),
    ]


def test_a_card_s_page_tells_its_facts_its_meaning_and_what_the_lists_say(client: Client) -> None:
    """By hand, understood, and one whose text nobody has; what is restricted, on a date before and after."""
    understood = client.get("/decks/cards/coc-lcg/Peeler").content.decode()
    assert "gains: willpower" in understood
    assert "passed all of its checks" in understood
    assert "by hand" in client.get("/decks/cards/coc-lcg/shotgun blast").content.decode()
    unknown = client.get("/decks/cards/coc-lcg/607 Walter Street").content.decode()
    assert "isn’t in the library" in unknown or "by hand" in unknown
    assert client.get("/decks/cards/coc-lcg/No Such Card").status_code == 404
    assert client.get("/decks/cards/no-such-game/Peeler").status_code == 404
    assert client.get("/decks/cards/coc-lcg/Peeler?on=2013-13-13").status_code == 400


def test_a_card_s_page_says_on_which_list_it_is_on_a_date(client: Client) -> None:
    law = format_files.formats()["coc-lcg"]
    snapshot = format_files.snapshot_of(law, None)
    listed = next(name for rule in snapshot.restrictions for name in getattr(rule, "titles", ()))
    page = client.get(f"/decks/cards/coc-lcg/{snapshot.named[listed]}")
    assert page.context["formats"][0]["entries"]
    before = client.get(f"/decks/cards/coc-lcg/{snapshot.named[listed]}?on=2005-01-01")
    assert not before.context["formats"][0]["entries"]


def test_asking_about_a_card_opens_a_board_with_it(client: Client, ann: Any) -> None:
    source = client.get("/decks/cards/coc-lcg/Peeler").context["source"]
    client.force_login(ann)
    response = client.post("/rules/table/", {"source": source}, follow=True)
    assert "Peeler" in response.content.decode()
