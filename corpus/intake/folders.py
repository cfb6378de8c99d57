"""List the files of a folder. Pure."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = "left out, since it is a symbolic link that leads out of the folder."


@dataclass(frozen=True)
class Listing:
    """Files, and the links out of the folder that were left out.

    Whoever may write into a folder could otherwise name any file of the reader's by a link.
    """

    files: tuple[Path, ...] = ()
    left_out: tuple[Path, ...] = ()


def files_below(path: Path, *, on_error: Callable[[OSError], None] | None = None) -> Listing:
    """List the file itself, or every file below a folder by name, without hidden ones.

    A named file or folder is accepted even if it is a link. Links to folders are never followed.
    `on_error` is called for a folder that can't be read; without it such a one counts as empty.
    """
    if not path.is_dir():
        return Listing((path,))
    paths = [  # `walk` passes over a folder that goes while it is read
        Path(folder) / name
        for folder, folders, files in os.walk(path, onerror=on_error)
        for name in folders + files
    ]
    shown = [below for below in sorted(paths) if not _is_hidden(below, path)]
    away = [p for p in shown if p.is_symlink() and p.exists() and leads_out(p, path)]
    return Listing(tuple(p for p in shown if p.is_file() and p not in set(away)), tuple(away))


def files_matching(pattern: str) -> Listing:
    """List the files that match a pattern such as `guidelines/**/*.pdf`, folders with all below.

    The pattern's folder is the part before the first wildcard.
    """
    folder = Path(pattern)
    while glob.has_magic(str(folder)):
        folder = folder.parent
    files: dict[Path, None] = {}
    left_out: dict[Path, None] = {}
    if folder == Path(pattern):
        return Listing((folder,) if folder.is_symlink() else ())  # one that leads nowhere
    for path in sorted(folder.glob(str(Path(pattern).relative_to(folder)))):
        if _is_hidden(path, folder) or not path.exists():
            continue
        if leads_out(path, folder):
            left_out[path] = None
        elif not (path.is_symlink() and path.is_dir()):
            below = files_below(path)
            files.update(dict.fromkeys(below.files))
            left_out.update(dict.fromkeys(below.left_out))
    return Listing(tuple(files), tuple(left_out))


def leads_out(path: Path, folder: Path) -> bool:
    """Tell whether an existing path below `folder` really is elsewhere."""
    away = os.path.realpath(path)  # not `resolve`: a link to itself is nowhere, not an error
    return not Path(away).is_relative_to(os.path.realpath(folder))


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
