"""Describe an error without quoting a question or a document. Pure."""

from __future__ import annotations

import traceback
from pathlib import Path

from core.errors import MedragError

_ROOT = Path(__file__).resolve().parents[2]


def why(error: Exception) -> str:
    """Return a MedragError's sentence; for another error its class and the last place in our code.

    Messages of other errors may quote their input, so they are left out.
    """
    if isinstance(error, MedragError):
        return error.sentence
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        f"{path.relative_to(_ROOT).as_posix()}, line {frame.lineno}"
        for frame in frames
        if (path := Path(frame.filename)).is_relative_to(_ROOT)
        and "site-packages" not in path.parts
    ]
    return f"{type(error).__name__} at {places[-1]}." if places else f"{type(error).__name__}."
