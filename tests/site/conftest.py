from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.site.browsing.browser import browser


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    with browser(tmp_path) as window:
        yield window
