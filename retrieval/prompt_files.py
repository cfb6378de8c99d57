"""Prompts as versioned files, with placeholders that are checked at start. Pure.

What a person or a document wrote stands between marks that are new for each prompt, so that no
text can close them: it is data, whatever it asks for.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

FOLDER = Path(__file__).with_name("prompts")


@dataclass(frozen=True)
class Prompt:
    """`prompts/<name>.txt`; the name ends in its version. `mark` is a placeholder of each."""

    name: str
    placeholders: frozenset[str]

    def filled(self, **values: str) -> str:
        """The prompt with fresh marks. Dollars in a value stay what they are."""
        return _template(self.name).substitute(mark=f"<{secrets.token_hex(8)}>", **values)

    def fault(self) -> str:
        """What is wrong with the file, for a person to read; empty where nothing is."""
        wanted = {*self.placeholders, "mark"}
        try:
            template = _template(self.name)
        except OSError as error:
            return f"{self.name}.txt can't be read: {error.strerror}."
        if not template.is_valid() or set(template.get_identifiers()) != wanted:
            return f"{self.name}.txt must hold the placeholders {sorted(wanted)}."
        return ""


@cache
def _template(name: str) -> Template:
    return Template((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
