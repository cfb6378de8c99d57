"""Types of the files of a published data set."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from core.errors import MedragError

MAX_ID_CHARS = 200  # the length of `ItemScore.query`


class DatasetError(MedragError):
    """The files do not have the form that they should."""


class Malformed(DatasetError):
    """One record does not have the form that it should; the others may."""


@dataclass(frozen=True)
class SourceDocument:
    """A document of a data set, the unit that judgements name."""

    id: str
    title: str
    text: str  # paragraphs are separated by newlines

    @cached_property
    def content(self) -> bytes:
        """The document's canonical bytes; their SHA-256 identifies it in the index."""
        return json.dumps([self.id, self.title, self.text], ensure_ascii=False).encode()

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()
