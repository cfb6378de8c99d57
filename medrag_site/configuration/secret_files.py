"""Keep secrets that a site makes for itself, each in a file of its own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def secret_file(path: Path, make: Callable[[], str]) -> str:
    """Return the secret kept in `path`, created on first use and readable by this user alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as stream:
        stream.write(make() + "\n")
    return path.read_text().strip()
