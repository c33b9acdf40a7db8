"""`make screenshots`: the main pages on a phone and on a desktop, in light and dark, from the demo.

All of them go to the folder named on the command line (default: var/screenshots); those that the README shows also
to docs/screenshots. It starts the service on a folder of its own, plays a scene (scene.py), and takes it down again.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.system.service import ROOT, Service, eventually, free_port

PASSWORD = "headjudge"  # the demo's
README = ROOT / "docs" / "screenshots"
SIZES: dict[str, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "is_mobile": True,
        "has_touch": True,
        "device_scale_factor": 2,
    },
    "desktop": {"viewport": {"width": 1280, "height": 832}},
}
HERE = "/events/kingsport"
# name: (who, address)
PAGES = {
    "welcome": ("", "/"),
    "home": ("ann", "/"),
    "event": ("ann", f"{HERE}/"),
    "my-match": ("ann", f"{HERE}/match"),
    "my-event": ("ann", f"{HERE}/mine"),
    "pairings": ("ann", f"{HERE}/pairings"),
    "standings": ("ann", f"{HERE}/standings"),
    "how-computed": ("ann", f"{HERE}/standings/{{ann}}"),
    "deck": ("ann", "/decks/1/"),
    "write-a-deck": ("ann", "/decks/new"),
    "organizer-home": ("organizer", "/"),
    "control": ("organizer", f"{HERE}/control"),
    "lists": ("organizer", "/events/demo-open/decks"),
    "players": ("organizer", f"{HERE}/players"),
    "log": ("organizer", f"{HERE}/log"),
    "policy": ("organizer", "/policies/coc-lcg/"),
    "poster": ("organizer", f"{HERE}/print/poster"),
    "tables": ("judge", f"{HERE}/tables?as=names"),
    "calls": ("judge", f"{HERE}/calls"),
    "dispute": ("judge", "/rules/disputes/1"),
    "charts": ("judge", "/rules/coc-lcg/charts"),
    "bracket": ("", "/events/{single}/bracket"),
    "double": ("", "/events/{double}/bracket"),
    "screen": ("", f"{HERE}/screen"),
    "hall": ("judge", "/events/hall/tables"),
    "hall-screen": ("", "/events/hall/screen"),
    "recheck": ("organizer", "/decks/rechecks/{recheck}"),
    "import": ("organizer", "/imports/{import}"),
    "imported": ("organizer", "/imports/{read}"),
    "hanging": ("judge", "/rules/disputes/{hanging}"),
    "review": ("organizer", "/rules/review/"),
    "law-run": ("organizer", "/rules/review/{law_run}"),
    "table": ("judge", "/rules/table/{table}/"),
    "table-play": ("judge", "/rules/table/{table}/play"),
    "print": ("organizer", f"{HERE}/print"),
    "slips": ("organizer", f"{HERE}/print/slips"),
    "precedents": ("judge", "/rules/precedents/"),
    "rules": ("", "/rules/"),
    "refused": ("ann", f"{HERE}/control"),
    "not-there": ("ann", "/events/nowhere/"),
}
IN_README = {"my-match-phone-light", "tables-desktop-light", "dispute-desktop-light"}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "var" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    README.mkdir(parents=True, exist_ok=True)
    with _service() as (address, scene), sync_playwright() as playwright:
        program = (
            shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        )
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for size in SIZES:
            for scheme in ("light", "dark"):
                for name, page in _pages(browser, address, scene, size, scheme):
                    page.screenshot(path=folder / f"{name}.png")
                    if name in IN_README:
                        page.screenshot(path=README / f"{name.rsplit('-', 2)[0]}.png")
                    print(folder / f"{name}.png", flush=True)
        browser.close()


@contextmanager
def _service() -> Iterator[tuple[str, dict[str, Any]]]:
    """The demo with the scene played into it: its address, and the scene's numbers."""
    with tempfile.TemporaryDirectory(prefix="headjudge-screenshots-") as folder:
        service, port = Service(Path(folder), RULES_REVIEWERS="organizer"), free_port()
        try:
            service.start(f"python manage.py up --port {port}")
            log = Path(folder) / "process-0.log"
            if not eventually(lambda: "Headjudge is at" in log.read_text(), seconds=120):
                sys.exit(f"The service does not start:\n{service.logs()}")
            scene = service.python("from tests.screenshots.scene import play; tell(play())", seconds=900)
            yield f"http://127.0.0.1:{port}", scene
        finally:
            service.processes[0].terminate()
            service.processes[0].wait()


def _pages(
    browser: Browser, address: str, scene: dict[str, Any], size: str, scheme: Any
) -> Iterator[tuple[str, Page]]:
    """(file name without its ending, the page as it stands) for every page, each person logging in once."""
    for who in sorted({who for who, _path in PAGES.values()}):
        context = browser.new_context(
            base_url=address, color_scheme=scheme, reduced_motion="reduce", **SIZES[size]
        )
        page = context.new_page()
        if who:
            page.goto("/login")
            page.fill("#id_username", who)
            page.fill("#id_password", PASSWORD)
            page.click("main form button.primary")
            page.wait_for_url("**/")
        for name, (whose, path) in PAGES.items():
            if whose == who:
                page.goto(path.format(**scene))
                yield f"{name}-{size}-{scheme}", page
        context.close()


if __name__ == "__main__":
    main()
