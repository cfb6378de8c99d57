"""Write the settings that differ from the defaults, and none that may hold a secret."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic.fields import FieldInfo

from medrag_site.configuration import given
from medrag_site.configuration.environment import keys_of, told, written
from medrag_site.release import release

_AFTER_HOST = re.compile(r"(://[^\s/,?#]*)[^\s,]*")


def changed_settings() -> str:
    """Return the page as Markdown."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield f"# Settings, release {release()}\n"
    yield "Those of the environment that differ from the defaults, of the process that wrote this. "
    yield "What else is in a file that a setting names is not here; data-flows.md has the hosts.\n"
    rows = [_row(name, field, text) for name, field, text in _changed()]
    if not rows:
        yield "None: all are the defaults.\n"
        return
    yield "| setting | here | default |\n|---|---|---|"
    yield from rows
    yield ""


def _changed() -> Iterator[tuple[str, FieldInfo, str]]:
    """Yield name, declaration and text of each setting that is given, if not by its default."""
    for name, field in type(given).model_fields.items():
        if kind := keys_of(field):
            keys = getattr(given, name)
            for key, of_key in kind.model_fields.items():
                value = getattr(keys, key)
                if key in keys.model_fields_set and value != of_key.default:
                    text = str(value) if isinstance(value, Path) else written(value)
                    yield f"{name} {of_key.alias or key}", of_key, text
        elif (text := os.environ.get(name, "").strip()) not in ("", written(field.default)):
            yield name, field, text


def _row(name: str, field: FieldInfo, text: str) -> str:
    default = f"`{said}`" if (said := written(field.default)) else "none"
    return f"| `{name}` | {_shown(text, is_secret=told(field).is_secret)} | {default} |"


def _shown(text: str, *, is_secret: bool) -> str:
    """Hide secrets and what may hold a password; of an address show no more than its host."""
    if is_secret or "@" in text:
        return "set; not shown"
    return "`" + _AFTER_HOST.sub(r"\1", text).replace("|", "\\|") + "`"
