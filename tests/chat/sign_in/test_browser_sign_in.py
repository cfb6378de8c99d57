"""Test signing in with a real browser: the second factor, and a session that ends meanwhile."""

import os
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.chat.sign_in.test_second_factor import code_of
from tests.corpora import publish
from tests.people import person
from tests.site.browsing.browser import Visitor, browser, in_a_browser, served

pytestmark = in_a_browser

WIDE, NARROW = 1280, 390
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)


def looked_at(driver: webdriver.Chrome, name: str) -> None:
    """Check that no page is wider than its window; save pictures in MEDRAG_TEST_SCREENSHOTS."""
    for width in (WIDE, NARROW):
        driver.set_window_size(width, 900)
        assert not driver.execute_script(SCROLLS_SIDEWAYS), (name, width)
        if folder := os.environ.get("MEDRAG_TEST_SCREENSHOTS"):
            driver.save_screenshot(str(Path(folder) / f"{name}-{width}.png"))
    driver.set_window_size(WIDE, 900)


def test_what_is_typed_survives_the_end_of_a_session_and_staff_set_up_an_app(
    own_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish("# Fever\nGive paracetamol 1 g.", population="adult")
    User.objects.create_user("alice", password="alice-secret")
    staff = person("staff", "Auditors")
    monkeypatch.setenv("MEDRAG_SECOND_FACTOR_FOR_STAFF", "true")
    with served(tmp_path / "web.log") as address, browser(tmp_path) as driver:
        visitor = Visitor(driver, address)
        visitor.signs_in("alice", "alice-secret")
        for again, box in (("staff", None), ("alice", "How much paracetamol?")):
            visitor.types("#id_question", "How much paracetamol?")
            Session.objects.all().delete()
            visitor.clicks("#ask button.primary")
            visitor.sees("#id_username")
            if box is None:  # a colleague at the same computer
                visitor.types("#id_username", again)
                visitor.types("#id_password", f"{again}-secret")
                visitor.clicks("button.primary")
                visitor.sees("#id_code")
                looked_at(driver, "set-up")
                visitor.types("#id_code", code_of(staff, at=time.time()))
                visitor.clicks("button.primary")
                visitor.sees("h1", "Your recovery codes")
                looked_at(driver, "recovery-codes")
                visitor.goes_to("/second-factor/")
                visitor.sees("h1", "Second factor")
                looked_at(driver, "second-factor")
                visitor.goes_to("/")
                assert not visitor.sees("#id_question").get_property("value")
                visitor.clicks("form[action='/sign-out/'] button")
                visitor.sees("#id_username")
                visitor.types("#id_username", "staff")
                visitor.types("#id_password", "staff-secret")
                visitor.clicks("button.primary")
                visitor.sees("h1", "Your code")
                looked_at(driver, "code")
                visitor.signs_in("alice", "alice-secret")
                continue
            visitor.types("#id_username", again)
            visitor.types("#id_password", f"{again}-secret")
            visitor.clicks("button.primary")
            visitor.sees("#id_question")
            assert driver.find_element(By.ID, "id_question").get_property("value") == box
        assert visitor.complaints() == []
