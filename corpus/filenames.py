"""Clean names of uploaded files for display; they are never used as paths. Pure."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from core.language.en.titles import may_name, subject_of

MAX_CHARS = 255
MAX_EXTENSION_CHARS = 16
_TITLE_SEPARATORS = re.compile(r"[_\-\s]+")
# What prints to a file writes its own name and the file's into the title.
_PROGRAM = re.compile(
    r"^\s*Microsoft (?:Office )?(?:Word|PowerPoint|Excel|Publisher)\s*[-–—](?:\s+|$)", re.IGNORECASE
)
_ENDING = re.compile(
    r"\.(?:docx?|dotx?|docm|rtf|odt|pages|wpd|pptx?|xlsx?|pub|pdf|indd|qxd|p65)\s*$", re.IGNORECASE
)


def clean_filename(name: str) -> str:
    """Return the last part of `name` without control or direction characters, 255 at most.

    The extension survives truncation. An empty result becomes `document`.
    """
    name = name.replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(" " if c in "\t\r\n" else c for c in name)
    name = "".join(c for c in name if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co"))
    name = " ".join(unicodedata.normalize("NFC", name).split())
    stem, dot, ending = name.rpartition(".")
    if not dot or not ending.strip():
        stem, ending = name, ""
    extension = f".{ending.strip()}"[:MAX_EXTENSION_CHARS] if ending else ""
    stem = stem.strip(" .") or "document"
    return stem[: MAX_CHARS - len(extension)] + extension


def title_from(filename: str) -> str:
    """Derive a title from a file name: `sepsis_adults-v2.pdf` becomes readable words."""
    stem = PurePosixPath(filename).stem or filename
    return " ".join(_TITLE_SEPARATORS.sub(" ", stem).split()) or "Untitled document"


def is_filename(title: str) -> bool:
    """Tell whether a title from metadata is only a file name."""
    return bool(_ENDING.search(title))


def title_said(title: str) -> str:
    """Return a title from metadata without program name, file extension, series and issuer.

    `Microsoft Word - asthma_v3.docx` is `asthma v3`; `Microsoft Word - ` and `Clinical practice
    guidelines` are empty.
    """
    alone = _PROGRAM.sub("", title).strip()
    if is_filename(alone):
        alone = title_from(alone.replace("\\", "/"))
    return subject_of(alone) if may_name(alone) else ""
