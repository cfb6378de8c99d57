"""The project's settings on a database and a data folder of the tests' own.

A child process of a test reads the same module: the environment carries the name of the test's
database and the folder of its files.
"""

import hashlib
import os
import shutil
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_MEMORY = Path("/dev/shm")  # Linux's file system in memory
_ENOUGH_BYTES = 4 * 1024**3
_CHECKOUT = "checkout"  # the file with the path that a folder in memory belongs to


def _data_dir() -> Path:
    """Choose a folder in memory if there is room: copying databases is ten times as fast.

    Each checkout and user has its own, kept for the next run as `var/test` is.
    """
    whose = hashlib.sha256(f"{os.getuid()} {_ROOT}".encode()).hexdigest()[:12]
    folder = _MEMORY / f"medrag-test-{whose}"
    if not folder.is_dir():
        if not _MEMORY.is_dir() or shutil.disk_usage(_MEMORY).free < _ENOUGH_BYTES:
            return _ROOT / "var" / "test"
        _remove_folders_of_checkouts_that_are_gone()
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / _CHECKOUT).write_text(str(_ROOT))
    return folder


def _remove_folders_of_checkouts_that_are_gone() -> None:
    """Give their memory back: each may have hundreds of megabytes."""
    for marker in _MEMORY.glob(f"medrag-test-*/{_CHECKOUT}"):
        is_ours = marker.stat().st_uid == marker.parent.stat().st_uid == os.getuid()
        if is_ours and not Path(marker.read_text()).is_dir():
            shutil.rmtree(marker.parent, ignore_errors=True)


# Cache bytecode, whatever the shell says, for workers and child processes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("MEDRAG_DATA_DIR", str(_data_dir()))
os.environ.setdefault("MEDRAG_COMPUTING", "precision=f32")  # every processor gives the same answers

from medrag_site.configuration import given  # noqa: E402
from medrag_site.settings import *  # noqa: E402, F403
from medrag_site.settings import DATA_DIR, DATABASE_NAME, DATABASES  # noqa: E402

if not DATABASE_NAME and (_name := os.environ.get("MEDRAG_TEST_DATABASE")):
    for _alias in DATABASES.values():
        _alias["NAME"] = _name
FILES_DIR = MEDIA_ROOT = Path(os.environ.get("MEDRAG_TEST_FILES", str(DATA_DIR / "files")))
AUDIT_HEADS_FILE = FILES_DIR / "heads.jsonl"
KEYS_DIR = FILES_DIR / "keys"
WHITENOISE_AUTOREFRESH = True  # else each test client would scan all static files
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if "lease_s" not in given.MEDRAG_WORKER.model_fields_set:
    JOB_LEASE_S = 60  # see tests.processes
