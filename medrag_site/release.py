"""Read the release from `pyproject.toml`, at the top of the checkout."""

import tomllib
from functools import cache
from pathlib import Path

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@cache
def release() -> str:
    """Return the release, such as `0.14.0`."""
    return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
