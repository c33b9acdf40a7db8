"""Small pictures of forty pages, on a phone and a desktop, light and dark: a page that looks different fails here until
somebody has looked at it and keeps the new picture (`KEEP_PICTURES=yes`, as the failure says).

A quarter of the size, so that a digit, a date or a code doesn't count, but a line that moved does. Where text is set in
other fonts than when the pictures were kept, lines break elsewhere and nothing can be compared: the test skips.
"""

import json
import os
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.conftest import DESKTOP, PHONE, World

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEPT = Path(__file__).parent / "pictures"
SIZES: dict[str, dict[str, Any]] = {
    "phone": {**PHONE, "viewport": {"width": 390, "height": 1200}, "device_scale_factor": 0.25},
    "desktop": {**DESKTOP, "viewport": {"width": 1280, "height": 900}, "device_scale_factor": 0.25},
}
HERE = "/events/kingsport"
PAGES = {
    "": {
        "welcome": "/",
        "events": "/events/",
        "event": f"{HERE}/",
        "claim": f"{HERE}/claim",
        "login": "/login",
        "login-help": "/login/help",
        "sign-up": "/sign-up",
        "series": "/series/",
        "check-a-deck": "/decks/check",
        "rules": "/rules/",
        "law": "/rules/coc-lcg/law/COC-T-03",
    },
    "ann": {
        "home": "/",
        "my-match": f"{HERE}/match",
        "my-event": f"{HERE}/mine",
        "pairings": f"{HERE}/pairings",
        "standings": f"{HERE}/standings",
        "deck": "/decks/{deck}/",
        "write-a-deck": "/decks/new",
        "history": "/history",
        "account": "/account",
    },
    "organizer": {
        "organizer-home": "/",
        "create": "/events/new",
        "control": f"{HERE}/control",
        "players": f"{HERE}/players",
        "player": f"{HERE}/players/{{entry}}",
        "add-player": f"{HERE}/players/new",
        "slips": f"{HERE}/slips",
        "decklists": f"{HERE}/decks",
        "settings": f"{HERE}/settings",
        "staff": f"{HERE}/staff",
        "print": f"{HERE}/print",
        "log": f"{HERE}/log",
        "files": f"{HERE}/files",
        "policy": f"{HERE}/policy",
    },
    "judge": {
        "tables": f"{HERE}/tables",
        "calls": f"{HERE}/calls",
        "call": f"{HERE}/calls/{{call}}",
        "dispute": "/rules/disputes/{dispute}",
        "table": "/rules/table/{table}/",
        "play": "/rules/table/{table}/play",
        "precedents": "/rules/precedents/",
    },
}
# What tells the time is not the same twice, and a QR code holds the server's port.
STILL = ".clock, time, .qr { visibility: hidden } #live { transition: none }"
FONTS = """() => ["system-ui", "ui-monospace", "ui-serif"].flatMap((family) =>
  [400, 650].map((weight) => {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${weight} 100px ${family}`;
    return ["Report the result 0123", "라운드 3 대진표"].map((text) => Math.round(pen.measureText(text).width));
  }))"""
BLOCK, COLOUR, MOST = 4, 24, 0.015  # side in pixels, of 255, share of the blocks
CHANGED = """async ([before, after, block, colour]) => {
  const pixels = async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, image.width, image.height);
  };
  const [one, other] = [await pixels(before), await pixels(after)];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let blocks = 0, changed = 0;
  for (let y = 0; y < one.height; y += block) for (let x = 0; x < one.width; x += block) {
    const sums = [0, 0, 0];
    let count = 0;
    for (let j = y; j < Math.min(y + block, one.height); j++)
      for (let i = x; i < Math.min(x + block, one.width); i++, count++)
        for (let c = 0; c < 3; c++) {
          const at = 4 * (j * one.width + i) + c;
          sums[c] += other.data[at] - one.data[at];
        }
    blocks++;
    if (sums.some((sum) => Math.abs(sum) > colour * count)) changed++;
  }
  return changed / blocks;
}"""


def test_no_page_looks_different_unseen(
    world: World, chromium: Any, live_server: Any, tmp_path: Path
) -> None:
    fonts = json.loads((KEPT / "fonts.json").read_text())
    judge = chromium.new_page()
    here = judge.evaluate(FONTS)
    keeping = bool(os.environ.get("KEEP_PICTURES"))
    if here != fonts and not keeping:
        judge.close()
        pytest.skip("The fonts of this machine aren't those of the pictures kept (tests/web/pictures).")
    different = []
    for name, picture in _pictures(world, chromium, live_server.url):
        kept = KEPT / f"{name}.png"
        if keeping:
            before = kept.read_bytes() if kept.exists() else b""
            if not before or _changed(judge, before, picture) > MOST / 3:
                kept.write_bytes(picture)
        elif not kept.exists() or (share := _changed(judge, kept.read_bytes(), picture)) > MOST:
            (tmp_path / f"{name}.png").write_bytes(picture)
            different.append(f"{name} ({share:.1%})" if kept.exists() else f"{name} (new)")
    judge.close()
    if keeping:
        (KEPT / "fonts.json").write_text(json.dumps(here) + "\n")
        pytest.skip("The pictures are kept as they are now: look at what git says has changed.")
    assert not different, (
        f"{len(different)} pictures differ from those in {KEPT.name}: {', '.join(different)}. Compare them with those "
        f"in {tmp_path}; if they are as they should be, KEEP_PICTURES=yes pytest {Path(__file__).name} keeps them."
    )


def test_a_moved_line_is_seen_and_a_digit_is_not(chromium: Any) -> None:
    """What the comparison is worth: on a page of lines and on a card with one button."""
    page = chromium.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=0.25)
    lines = "".join(f"<p>Table {n}: Ann Whitlock and Bo Lindqvist</p>" for n in range(20))

    def shown(body: str) -> bytes:
        page.set_content(f"<body style='font: 16px sans-serif'>{body}</body>")
        picture: bytes = page.screenshot()
        return picture

    first = shown(lines)
    digit, moved = shown(lines.replace("Table 3", "Table 8")), shown("<p>New</p>" + lines)
    button = "<a style='display: block; padding: 24px; background: %s'>Report</a>"
    judge = chromium.new_page()
    assert _changed(judge, first, first) == 0
    assert _changed(judge, first, digit) < MOST < _changed(judge, first, moved)
    assert _changed(judge, shown(button % "#3b34c4"), shown(button % "#fff")) > MOST
    judge.close()
    page.close()


def _changed(page: Any, before: bytes, after: bytes) -> float:
    """The share of blocks whose mean colour differs; 1 for pictures of different sizes."""
    share: float = page.evaluate(
        CHANGED, [b64encode(before).decode(), b64encode(after).decode(), BLOCK, COLOUR]
    )
    return share


def _pictures(world: World, chromium: Any, address: str) -> Iterator[tuple[str, bytes]]:
    """(its name, the picture as PNG) of every page; each is loaded once a size."""
    words = {
        "deck": world.deck.pk,
        "entry": world.entry(world.ann).pk,
        "call": world.call.pk,
        "dispute": world.dispute.pk,
        "table": world.table.pk,
    }
    for size, look in SIZES.items():
        for who, pages in PAGES.items():
            context = chromium.new_context(**look, base_url=address, service_workers="block", locale="en-US")
            page = context.new_page()
            if who:
                page.goto("/login")
                page.fill("#id_username", who)
                page.fill("#id_password", who)
                page.click("main form button.primary")
                page.wait_for_url("**/")
            for name, path in pages.items():
                page.goto(path.format(**words))
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                    yield f"{name}-{size}-{scheme}", page.screenshot(style=STILL)
            context.close()
