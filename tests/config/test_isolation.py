"""Tests leave a person's own data alone, and the servers' fixtures give what they promise."""

import os
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings


def test_tests_have_a_folder_of_their_own() -> None:
    folder = Path(settings.VAR_DIR)
    assert folder != settings.BASE_DIR / "var"
    assert settings.BASE_DIR not in folder.parents
    assert os.environ["HEADJUDGE_VAR"] == str(folder)
    assert settings.CELERY_BROKER_URL != "" and str(folder) in str(settings.STATIC_ROOT)


@pytest.mark.postgres
def test_a_postgres_database_is_new_and_empty(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert row == (0,)


@pytest.mark.redis
def test_a_redis_database_is_empty(redis_url: str) -> None:
    assert redis.Redis.from_url(redis_url).dbsize() == 0


@pytest.mark.browser
def test_the_browser_draws_a_page(chromium: Any) -> None:
    page = chromium.new_page()
    page.set_content("<h1>Round 1</h1>")
    assert page.inner_text("h1") == "Round 1"
    page.close()


def test_people_can_log_in(client: Any, ann: Any) -> None:
    assert client.login(username="ann", password="ann")
