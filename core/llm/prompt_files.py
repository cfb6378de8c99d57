"""Read prompts from versioned files, whose placeholders are checked at start. Pure.

Text written by a person or taken from a document stands between random marks, which no text can
guess and close: whatever it asks for, it is data.
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
    """A file with placeholders, `mark` always among them. Its name ends in its version."""

    path: Path  # `<app>/prompts/<name>.txt`
    placeholders: frozenset[str]  # those besides `mark`

    @property
    def name(self) -> str:
        """The file's name without suffix, such as `hyde_v1`, stored with an answer."""
        return self.path.stem

    @property
    def identity(self) -> str:
        """The name and 16 hex digits of the file's SHA-256, such as `hyde_v1:0123456789abcdef`.

        Raises OSError if the file is missing, which `fault` reports at start.
        """
        return f"{self.name}:{_digest(self.path)}"

    def filled(self, *, mark: str = "", **values: str) -> str:
        """Fill in the placeholders, with a new random mark unless `mark` is given.

        Dollar signs in a value are kept.
        """
        mark = mark or f"<{secrets.token_hex(8)}>"
        return _template(self.path).substitute(mark=mark, **values)

    def fault(self) -> str:
        """Return what is wrong with the file, for a person to read, or an empty string."""
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
