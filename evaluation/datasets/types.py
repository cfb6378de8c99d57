"""What the files of a published data set hold."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from core.errors import MedragError

MAX_ID_CHARS = 200  # as many as the scores of a query are kept by


class DatasetError(MedragError):
    """The files are not what their form says."""


@dataclass(frozen=True)
class SourceDocument:
    """One unit of retrieval: what the judgements name."""

    id: str
    title: str
    text: str  # paragraphs are parted by newlines

    @cached_property
    def content(self) -> bytes:
        """Canonical bytes; their SHA-256 is the document's identity in the index."""
        return json.dumps([self.id, self.title, self.text], ensure_ascii=False).encode()

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()
