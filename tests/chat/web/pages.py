"""Addresses of the clinician's pages, and the text that a reader sees on them."""

import re
import uuid
from typing import Any

from django.urls import reverse

HTMX = {"hx-request": "true"}


def text_of(response: Any) -> str:
    """Return the text of a page without tags, with single spaces."""
    content = re.sub(r"<template.*?</template>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


def lacking(page: str, *words: str) -> list[str]:
    """Return the words that are not on a page."""
    return [each for each in words if each not in page]


def thread(pk: uuid.UUID | None, name: str = "conversation") -> str:
    return reverse(f"chat:{name}", args=[pk])
