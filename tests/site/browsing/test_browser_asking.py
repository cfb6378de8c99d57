"""Test the line of progress in a real browser, while a language model takes its time."""

import os
import threading
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.corpora import publish
from tests.llm.contents import honest
from tests.llm.lies import DOSE, GUIDELINE, QUESTION
from tests.llm.server import endpoint, replies
from tests.llm.sites import KEY
from tests.models import models_file
from tests.site.browsing.browser import Visitor, in_a_browser, served

pytestmark = in_a_browser

WIDE, NARROW = 1280, 390
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)


def test_the_page_says_how_far_a_question_is(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(GUIDELINE, population="adult")
    User.objects.create_user("alice", password="alice-secret")
    may = threading.Event()
    with endpoint(lambda handler: (may.wait(60), replies(honest)(handler))[1]) as model:
        for name, value in {
            "MEDRAG_GENERATOR": "llm",
            "MEDRAG_MODELS": models_file(
                tmp_path, generate={"url": model.url, "model": "writer", "key": KEY}
            ),
            "MEDRAG_QUESTIONS": "timeout_s=60",
        }.items():
            monkeypatch.setenv(name, value)
        with served(tmp_path / "web.log") as address:
            visitor = Visitor(driver, address)
            visitor.signs_in("alice", "alice-secret")
            for number, width in enumerate((WIDE, NARROW), start=1):
                driver.set_window_size(width, 900)
                may.clear()
                visitor.types("#id_question", QUESTION)
                visitor.clicks("#ask button.primary")
                visitor.sees("#progress", "Choosing what answers it")
                _keep(driver, f"asking-{width}")
                assert not driver.execute_script(SCROLLS_SIDEWAYS)
                may.set()
                visitor.sees(f"#turns > :nth-child({number})", DOSE)
                visitor.sees("#ask button.primary", "Ask")
                _keep(driver, f"answered-{width}")
            visitor.types("#id_question", "?")
            visitor.clicks("#ask button.primary")
            visitor.sees("#question-error")
            assert visitor.complaints() == []


def test_a_page_from_before_another_sign_in_says_so_and_keeps_the_question(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    publish(GUIDELINE, population="adult")
    User.objects.create_user("alice", password="alice-secret")
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        visitor.signs_in("alice", "alice-secret")
        visitor.types("#id_question", QUESTION)
        driver.delete_cookie("csrftoken")  # as a sign-in in another window makes it another
        visitor.clicks("#ask button.primary")
        visitor.sees("#progress", "This page is out of date")
        visitor.goes_to("/")
        assert visitor.sees("#id_question").get_attribute("value") == QUESTION
        visitor.clicks("#ask button.primary")
        visitor.sees(".turn h2", QUESTION)


def test_who_asks_after_the_session_ended_is_told_that_the_question_is_kept(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    User.objects.create_user("alice", password="alice-secret")
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        visitor.goes_to("/sign-in/")
        assert not driver.find_element(By.ID, "kept").is_displayed()
        visitor.signs_in("alice", "alice-secret")
        visitor.types("#id_question", QUESTION)
        driver.delete_cookie("sessionid")
        visitor.clicks("#ask button.primary")
        visitor.sees("#kept", "Your session has ended. Your question is kept")
        visitor.types("#id_username", "alice")
        visitor.types("#id_password", "alice-secret" + Keys.ENTER)
        assert visitor.sees("#id_question").get_attribute("value") == QUESTION


def _keep(driver: webdriver.Chrome, name: str) -> None:
    """Save a screenshot if the environment names a folder."""
    if folder := os.environ.get("MEDRAG_TEST_SCREENSHOTS"):
        driver.save_screenshot(f"{folder}/{name}.png")
