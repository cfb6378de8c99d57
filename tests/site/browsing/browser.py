"""Drive a real browser against a real web server, as a person does."""

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

from tests.processes import ROOT, wait_until

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMEDRIVER = shutil.which("chromedriver")
WAIT_S = 240
in_a_browser = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CHROMIUM and CHROMEDRIVER),
        reason="needs Chromium: apt-get install chromium chromium-driver",
    ),
    pytest.mark.timeout(WAIT_S + 60),
]
UNHURRIED = {  # so that a busy machine neither fails a job nor restarts a process
    "DJANGO_SETTINGS_MODULE": "tests.settings",
    "MEDRAG_WORKER": "lease_s=60 stall_s=60",
    "MEDRAG_PARSING": "timeout_s=300",
}
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
STATE = "return document.readyState"


class Visitor:
    """A person at a browser, who clicks, types and reads."""

    def __init__(self, driver: webdriver.Chrome, address: str) -> None:
        self.driver = driver
        self.address = address

    def goes_to(self, path: str) -> None:
        """Open a page and wait until it is read; a busy browser says so before it is."""
        self.driver.get(self.address + path)
        waiting = WebDriverWait(self.driver, WAIT_S, ignored_exceptions=[WebDriverException])
        waiting.until(lambda driver: driver.execute_script(STATE) == "complete", path)

    def sees(self, selector: str, words: str = "") -> WebElement:
        """Wait until an element is shown and holds the words; return it."""

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
        """Click the first matching element that is shown, once the page stops scrolling."""
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

    def waits_for(self, xpath: str) -> None:
        """Wait until an element is there that only XPath can find, by its words."""
        waiting = WebDriverWait(self.driver, WAIT_S, ignored_exceptions=[WebDriverException])
        waiting.until(lambda driver: driver.find_elements(By.XPATH, xpath), xpath)

    def types(self, selector: str, words: str) -> None:
        self.sees(selector).send_keys(words)

    def signs_in(self, name: str, password: str) -> None:
        self.driver.delete_all_cookies()
        self.goes_to("/sign-in/")
        self.types("#id_username", name)
        self.types("#id_password", password + Keys.ENTER)
        self.sees("#id_question")

    def complaints(self) -> list[str]:
        """Return the warnings and errors of the browser's console.

        Refused scripts and styles, missing files, errors; its advice on forms (`DEBUG`) is left
        out.
        """
        log = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in log if entry["level"] not in ("DEBUG", "INFO")]


@contextlib.contextmanager
def served(log: Path, *, threads: int = 4) -> Iterator[str]:
    """Run a real web process on a free port within the block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "gunicorn", "medrag_site.wsgi", "--no-control-socket"]
    options = ["--bind", f"127.0.0.1:{port}", "--threads", str(threads), "--graceful-timeout", "1"]
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


@contextlib.contextmanager
def browser(folder: Path, *flags: str) -> Iterator[webdriver.Chrome]:
    """Open a window with a profile and a log of its own in `folder`."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, *flags, f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(CHROMEDRIVER, log_output=str(folder / "driver.log"))
    window = webdriver.Chrome(options=options, service=service)
    try:
        yield window
    finally:
        window.quit()
