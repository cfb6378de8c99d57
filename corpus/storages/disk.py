"""Keep files on a disk, completely or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage


class SyncedFiles(FileSystemStorage):
    """A folder whose files are written to `tmp`, synced and renamed; by default FILES_DIR.

    A file of the same name is replaced: names are made of the content's hash.
    """

    def __init__(self, location: Path | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._folder = location

    @property
    def base_location(self) -> str:
        return str(self._folder or settings.FILES_DIR)

    @property
    def location(self) -> str:
        return str(Path(self.base_location).absolute())

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        target = Path(self.path(name))
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        scratch = Path(self.location) / "tmp"
        scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            partial = Path(folder) / "file"
            with partial.open("wb") as stream:
                content.seek(0)
                shutil.copyfileobj(content, stream)
                stream.flush()
                os.fsync(stream.fileno())
            partial.replace(target)
        _sync_folder(target.parent)
        return name

    def delete_folder(self, name: str) -> None:
        shutil.rmtree(self.path(name), ignore_errors=True)


def _sync_folder(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
