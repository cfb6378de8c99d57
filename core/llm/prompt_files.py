"""Prompts as versioned files, with placeholders that are checked at start. Pure.

What a person or a document wrote stands between marks that no text can foresee, so that none can
close them: it is data, whatever it asks for.
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class Prompt:
    """A file of placeholders, whose name ends in its version. `mark` is a placeholder of each."""

    path: Path  # `<app>/prompts/<name>.txt`
    placeholders: frozenset[str]  # the others

    @property
    def name(self) -> str:
        """Such as `hyde_v1`: what is stored beside an answer, and a part of its key."""
        return self.path.stem

    @property
    def identity(self) -> str:
        """Its name and 16 hex digits of its SHA-256, such as `hyde_v1:0123456789abcdef`.

        Raises OSError where there is none; `fault` has said so at the start.
        """
        return f"{self.name}:{_digest(self.path)}"

    def filled(self, *, mark: str = "", **values: str) -> str:
        """Return the prompt with this mark, or with a fresh one. Dollars in a value stay what they
        are.
        """
        mark = mark or f"<{secrets.token_hex(8)}>"
        return _template(self.path).substitute(mark=mark, **values)

    def fault(self) -> str:
        """Return what is wrong with the file, for a person to read; empty where nothing is."""
        wanted = {*self.placeholders, "mark"}
        try:
            template = _template(self.path)
        except OSError as error:
            return f"{self.path.name} can't be read: {error.strerror}."
        except UnicodeDecodeError:
            return f"{self.path.name} is not in UTF-8."
        if not template.is_valid() or set(template.get_identifiers()) != wanted:
            return f"{self.path.name} must hold the placeholders {sorted(wanted)}."
        return ""


@cache
def _template(path: Path) -> Template:
    return Template(path.read_text(encoding="utf-8"))


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
