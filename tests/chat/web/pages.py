"""Addresses of the clinician's pages, and what a reader sees of them."""

import re
import uuid
from typing import Any

from django.urls import reverse

HTMX = {"hx-request": "true"}


def text_of(response: Any) -> str:
    """What a reader sees: tags out, white space single."""
    content = re.sub(r"<template.*?</template>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


def thread(pk: uuid.UUID | None, name: str = "conversation") -> str:
    return reverse(f"chat:{name}", args=[pk])
