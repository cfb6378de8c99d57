"""Test a launch in a frame of the record's page, on another site, in a real browser."""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
from pathlib import Path
from urllib.parse import urlencode

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from selenium import webdriver
from selenium.webdriver.common.by import By

from chat.models import Turn
from medrag_site.demo import demo_accounts, record_settings
from samples.record.resources import demonstration
from samples.record.server import PERSON, Record, serving
from tests.chat.audit.test_forwarding import tls  # noqa: F401  a fixture
from tests.chat.records.launch.conftest import settings_file
from tests.chat.records.launch.record_server import record_server
from tests.corpora import publish
from tests.processes import ROOT
from tests.site.browsing.browser import Visitor, browser, in_a_browser, served
from tests.site.browsing.framing_pages import page_with, pages_of, proxy_to, standing

pytestmark = in_a_browser

GUIDELINE = """# Enoxaparin

## Dose in adults

Give adults enoxaparin 40 mg once a day. Where the eGFR is below 30 give 20 mg once a day.
"""
BY_KIDNEYS = """# Enoxaparin

## Prophylaxis in adults

Table: Enoxaparin dose by renal function

| Creatinine clearance (mL/min) | Enoxaparin dose |
| 30 or more | 40 mg once a day |
| 15 to 29 | 20 mg once a day |
"""
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)


def test_from_a_framed_page_of_the_record_to_an_answer(
    own_database: str,
    tmp_path: Path,
    tls: ssl.SSLContext,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish(GUIDELINE, population="adult")
    alice = User.objects.create_user("alice", password="alice-secret")
    frames: dict[str, str] = {}
    with record_server() as record, standing(page_with(frames)) as page:
        SocialAccount.objects.create(user=alice, provider=f"record:{record.base}", uid=PERSON)
        monkeypatch.setenv("MEDRAG_RECORD", f"launch={settings_file(tmp_path, record)}")
        monkeypatch.setenv("MEDRAG_FRAME_ANCESTORS", f"http://localhost:{page}")
        monkeypatch.setenv("MEDRAG_WEB", "https=true proxies=1")
        monkeypatch.delenv("SSL_CERT_FILE")
        with (
            served(tmp_path / "web.log") as address,
            standing(proxy_to(address), tls) as port,
            browser(tmp_path, "--ignore-certificate-errors") as driver,
        ):
            record.site = f"https://127.0.0.1:{port}"
            begin = {"iss": record.base, "launch": "l-kidneys"}
            frames["/kidneys"] = f"https://127.0.0.1:{port}/launch?{urlencode(begin)}"
            visitor = Visitor(driver, f"http://localhost:{page}")
            for width in (1280, 390):
                driver.set_window_size(width, 900)
                asks_in_the_frame(visitor, f"{width}")
    assert Turn.objects.count() == 2
    assert all("eGFR 24 mL/min" in turn.question for turn in Turn.objects.all())


def test_from_the_demonstrations_record_to_answers(
    own_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(BY_KIDNEYS, population="adult")
    demo_accounts()
    record = Record(demonstration(), site="")
    with serving(record) as server:
        for name, value in record_settings(server.server_port).items():
            monkeypatch.setenv(name, value)
        with served(tmp_path / "web.log") as address, browser(tmp_path) as driver:
            record.site = address
            visitor = Visitor(driver, f"http://127.0.0.1:{server.server_port}")
            for width in (1280, 390):
                driver.set_window_size(width, 900)
                visitor.goes_to("/")
                visitor.clicks("#l-p-1 > a")
                in_the_frame(visitor)
                visitor.sees("fieldset.patient", "eGFR 24 mL/min")
                visitor.types("#id_question", "What is the dose of enoxaparin")
                is_answered(visitor, f"demonstration-launched-{width}")
                visitor.clicks("#l-p-1 li a")
                in_the_frame(visitor)
                visitor.sees(".carried", "eGFR 24 mL/min")
                is_answered(visitor, f"demonstration-infobutton-{width}")
    assert Turn.objects.filter(question__contains="eGFR 24 mL/min").count() == 4


def test_a_page_of_the_intranet_has_a_box_for_questions(
    own_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(BY_KIDNEYS, population="adult")
    User.objects.create_user("alice", password="alice-secret")
    pages: dict[str, str] = {}
    with standing(pages_of(lambda path: pages.get(path, ""))) as port:
        monkeypatch.setenv("MEDRAG_FRAME_ANCESTORS", f"http://127.0.0.1:{port}")
        with served(tmp_path / "web.log") as address, browser(tmp_path) as driver:
            pages["/"] = pinned(address)
            visitor = Visitor(driver, f"http://127.0.0.1:{port}")
            visitor.goes_to("/")
            in_the_frame(visitor)
            visitor.sees("main a[target=_blank]", "sign in")
            Visitor(driver, address).signs_in("alice", "alice-secret")
            for width in (1280, 390):
                driver.set_window_size(width, 900)
                visitor.goes_to("/")
                in_the_frame(visitor)
                visitor.types("#id_question", "Dose of enoxaparin with an eGFR 24 mL/min?")
                is_answered(visitor, f"widget-{width}")
    assert Turn.objects.count() == 2


def pinned(address: str) -> str:
    """Return a page whose policy allows the site alone, and which pins the script's bytes."""
    digest = hashlib.sha384((ROOT / "static/widget.js").read_bytes()).digest()
    pin = f'integrity="sha384-{base64.b64encode(digest).decode()}" crossorigin="anonymous"'
    policy = f"default-src 'none'; script-src {address}; frame-src {address}"
    return (
        '<!doctype html><meta name="viewport" content="width=device-width"><title>Intranet</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<body><script src="{address}/static/widget.js" {pin} defer></script>'
    )


def in_the_frame(visitor: Visitor) -> None:
    visitor.driver.switch_to.frame(visitor.driver.find_element(By.TAG_NAME, "iframe"))


def is_answered(visitor: Visitor, name: str) -> None:
    """Ask what stands in the box, see an answer, and leave the frame."""
    visitor.clicks("#ask button.primary")
    visitor.sees(".asked h2", "eGFR 24 mL/min")
    visitor.sees("#turns .verdict", "Answered")
    visitor.sees("#turns", "20 mg once a day")
    assert not visitor.driver.execute_script(SCROLLS_SIDEWAYS)
    visitor.driver.switch_to.default_content()
    keep(visitor.driver, name)
    assert not visitor.driver.execute_script(SCROLLS_SIDEWAYS)


def asks_in_the_frame(visitor: Visitor, name: str) -> None:
    driver = visitor.driver
    visitor.goes_to("/kidneys")
    driver.switch_to.frame(driver.find_element(By.TAG_NAME, "iframe"))
    visitor.sees("fieldset.patient", "eGFR 24 mL/min")
    visitor.sees("fieldset.patient", "Ward record")
    visitor.clicks("label.chip:has(:checked)")  # the first is left out
    keep(driver, f"launched-{name}")
    assert not driver.execute_script(SCROLLS_SIDEWAYS)
    visitor.types("#id_question", "What is the dose of enoxaparin")
    visitor.clicks("#ask button.primary")
    visitor.sees(".asked h2", "eGFR 24 mL/min")
    visitor.sees("#turns", "20 mg once a day")
    keep(driver, f"launched-answered-{name}")
    assert not driver.execute_script(SCROLLS_SIDEWAYS)
    driver.switch_to.default_content()


def keep(driver: webdriver.Chrome, name: str) -> None:
    """Save a screenshot if the environment names a folder."""
    if folder := os.environ.get("MEDRAG_TEST_SCREENSHOTS"):
        driver.save_screenshot(f"{folder}/{name}.png")
