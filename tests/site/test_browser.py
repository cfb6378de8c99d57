"""The whole way in a real browser, against a real web server and a real worker."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from corpus.models import Document, JobState
from medrag_site.accounts import demo_accounts
from tests.chat import guidelines
from tests.processes import ROOT, running, wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and CHROMEDRIVER),
        reason="needs Chromium: apt-get install chromium chromium-driver",
    ),
]

SAMPLE = ROOT / "samples" / "guidelines" / "gentamicin-once-daily-adults.pdf"
QUESTION = "What is the first dose of gentamicin in adults?"
UNANSWERABLE = "What is the boiling point of tungsten?"
WAIT_S = 90
UNHURRIED = {"DJANGO_SETTINGS_MODULE": "tests.settings", "MEDRAG_PARSE_TIMEOUT_S": "300"}
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
)


SCROLL_TO = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"


class Visitor:
    """A person at a browser: what is clicked, typed and seen."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def goes_to(self, path: str) -> None:
        self.driver.get(self.address + path)

    def sees(self, selector: str, words: str = "") -> WebElement:
        """Wait until an element is shown and holds the words; give it back."""

        def shown(driver: webdriver.Chrome) -> WebElement | None:
            for element in driver.find_elements(By.CSS_SELECTOR, selector):
                if element.is_displayed() and words in element.text:
                    return element
            return None

        waiting = WebDriverWait(self.driver, WAIT_S, ignored_exceptions=[WebDriverException])
        found = waiting.until(shown, f"{selector} with {words!r} on {self.driver.current_url}")
        assert found is not None
        return found

    def clicks(self, selector: str) -> None:
        """Click the first such element that is shown, once the page holds still under it."""
        self.sees(selector)

        def clicked(driver: webdriver.Chrome) -> bool:
            for element in driver.find_elements(By.CSS_SELECTOR, selector):
                if element.is_displayed():
                    driver.execute_script(SCROLL_TO, element)
                    element.click()
                    return True
            return False

        # A page that is still scrolling to its fragment refuses the click: try again.
        waiting = WebDriverWait(self.driver, WAIT_S, ignored_exceptions=[WebDriverException])
        waiting.until(clicked, f"a click on {selector}")

    def types(self, selector: str, words: str) -> None:
        self.sees(selector).send_keys(words)

    def signs_in(self, name: str, password: str) -> None:
        self.driver.delete_all_cookies()
        self.goes_to("/sign-in/")
        self.types("#id_username", name)
        self.types("#id_password", password + Keys.ENTER)
        self.sees("#id_question")

    def complaints(self) -> list[str]:
        """What the browser's console holds: refused scripts and styles, missing files, errors."""
        log = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in log if entry["level"] != "INFO"]


@contextlib.contextmanager
def served(log: Path) -> Iterator[str]:
    """A real web process on a free port, stopped at the end."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "gunicorn", "medrag_site.wsgi", "--no-control-socket"]
    options = ["--bind", f"127.0.0.1:{port}", "--threads", "4", "--graceful-timeout", "1"]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*command, *options], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
    try:
        wait_until(lambda: _answers(f"{address}/readyz"), "the web server is ready")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _answers(address: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as response:
        return bool(response.status == 200)
    return False


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(CHROMEDRIVER, log_output=str(tmp_path / "driver.log"))
    browser = webdriver.Chrome(options=options, service=service)
    try:
        yield browser
    finally:
        browser.quit()


def test_from_an_upload_to_a_cited_answer_and_a_refusal(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    passwords = {name: password for name, _, password in demo_accounts()}
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        with running("worker", log=tmp_path / "worker.log", **UNHURRIED):
            visitor.signs_in("staff", passwords["staff"])
            upload(visitor)
            publish(visitor)
        visitor.signs_in("clinician", passwords["clinician"])
        ask_and_read(visitor)
        look_at_the_source(visitor)
        ask_in_vain(visitor)
        assert visitor.complaints() == []


def upload(visitor: Visitor) -> None:
    visitor.goes_to("/admin/corpus/document/")
    visitor.clicks(".object-tools .addlink")
    visitor.driver.find_element(By.NAME, "uploads").send_keys(str(SAMPLE))
    visitor.clicks("input[type=submit][value=Upload]")
    visitor.sees(".messagelist .success", "stored as")
    visitor.sees("#result_list .state.done", "Done")  # without a reload: the list asks by itself
    document = Document.objects.get()
    assert (document.job.state, document.page_count) == (JobState.DONE, 3)


def publish(visitor: Visitor) -> None:
    visitor.goes_to("/admin/corpus/document/")
    visitor.clicks("input.action-select")
    visitor.clicks("select[name=action] option[value=publish]")
    visitor.clicks("button[name=index]")
    visitor.clicks("input[type=submit][value=Publish]")
    visitor.sees(".messagelist .success", "Published")


def ask_and_read(visitor: Visitor) -> None:
    visitor.types("#id_question", QUESTION + Keys.ENTER)
    visitor.sees(".turn.answered h2", QUESTION)
    visitor.sees(".claim", "7 mg/kg")
    visitor.sees(".check", "Check the cited page before acting.")


def look_at_the_source(visitor: Visitor) -> None:
    visitor.clicks("a.citation")
    visitor.sees(".beside blockquote", "7 mg/kg")
    painted = visitor.sees("svg.picture rect.painted")
    size = painted.rect
    assert size["width"] > 50
    assert size["height"] > 5
    script = (
        "const box = arguments[0].getBoundingClientRect();"
        "return box.top >= 0 && box.bottom <= innerHeight"
    )
    in_view = WebDriverWait(visitor.driver, WAIT_S)
    in_view.until(lambda driver: driver.execute_script(script, painted))
    picture = "return fetch(document.querySelector('svg image').href.baseVal).then(r => r.status)"
    assert visitor.driver.execute_script(picture) == 200
    visitor.clicks("a.back")
    visitor.sees(".turn.answered h2", QUESTION)


def ask_in_vain(visitor: Visitor) -> None:
    before = visitor.driver.current_url
    visitor.types("#id_question", UNANSWERABLE)
    visitor.clicks("#ask button.primary")
    visitor.sees(".turn.abstained h2", UNANSWERABLE)
    visitor.sees(".turn.abstained .verdict", "No answer")
    assert visitor.driver.current_url == before  # swapped in, not reloaded
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".turn")) == 2
    assert visitor.driver.find_element(By.ID, "id_question").get_attribute("value") == ""
    focused = visitor.driver.switch_to.active_element
    assert focused.text == UNANSWERABLE  # a screen reader goes on at the new turn


def test_it_works_without_javascript(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    password = {name: password for name, _, password in demo_accounts()}["clinician"]
    guidelines.publish_guideline()
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        visitor.signs_in("clinician", password)
        for _ in range(2):
            visitor.types("#id_question", guidelines.QUESTION)
            visitor.clicks("#ask button.primary")
            visitor.sees(".turn.answered .claim", guidelines.DOSE)
        assert len(driver.find_elements(By.CSS_SELECTOR, ".turn")) == 2
        visitor.clicks(".feedback button")
        visitor.sees(".feedback [role=status]", "Thank you.")
        visitor.clicks("a.citation")
        visitor.sees("rect.painted")
