"""Read the TOML file that a setting names. Errors name the setting and the file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured


def toml_keys(name: str, path: Path, needs: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return its keys. Raises ImproperlyConfigured, also if one that is needed is missing."""
    try:
        keys = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        wanted = f"Set {name} to a file that this user may read."
        raise ImproperlyConfigured(
            f"{name}: the file {path} can't be read: {error.strerror}. {wanted}"
        ) from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise ImproperlyConfigured(
            f"{name}: the file {path} is not valid TOML: {error}."
        ) from error
    if missing := [key for key in needs if not str(keys.get(key, "")).strip()]:
        raise ImproperlyConfigured(
            f"{name}: in {path}, {missing[0]} is missing. It needs {', '.join(needs)}."
        )
    return keys
