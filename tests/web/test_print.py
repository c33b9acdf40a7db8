"""What judges print fits on the paper that they have."""

from typing import Any

from django.urls import reverse

from tests.web.conftest import World
from tournament import services

PAGE = 1032  # what A4 leaves between the margins, in CSS pixels


def test_an_answer_and_its_ruling_print_on_one_page(
    world: World, chromium: Any, live_server: Any, now: Any
) -> None:
    given = services.ruling_give(
        match=world.match, verdict="It stands.", dispute=world.dispute, by=world.judge, now=now
    )
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 688, "height": 400})
    page = context.new_page()
    page.goto("/login")
    page.fill("#id_username", "judge")
    page.fill("#id_password", "judge")
    page.click("main form button.primary")
    page.wait_for_url("**/")
    page.emulate_media(media="print")
    for address, most in (
        (reverse("dispute", args=[world.dispute.pk]), 0.85 * PAGE),
        (reverse("ruling", args=[given.ruling_id]), 0.5 * PAGE),
    ):
        page.goto(address)
        assert page.evaluate("document.body.getBoundingClientRect().height") < most, address
        assert page.pdf(format="A4").count(b"/Type /Page\n") == 1, address
        if "disputes" in address:
            assert page.locator(".rule:visible").count() > 10  # the rules it cites are on it
    context.close()
