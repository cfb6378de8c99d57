"""Test the page that shows the API's operations: it loads nothing from other sites."""

import re

from django.contrib.staticfiles import finders
from django.test import Client


def test_it_is_open_to_all_and_asks_no_other_server(db: None) -> None:
    response = Client().get("/api/v1/docs")
    assert response.status_code == 200
    page = response.content.decode()
    assert "default-src 'self'" in response["Content-Security-Policy"]
    addresses = re.findall(r'(?:src|href|data-schema)="([^"]+)"', page)
    assert len(addresses) == 5
    for address in addresses:
        assert address.startswith("/") and not address.startswith("//")
        if address.startswith("/static/"):
            assert finders.find(address.removeprefix("/static/"))
        else:
            assert Client().get(address).status_code == 200
    assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|style=", page)
