"""The project's settings on a database and a data folder of the tests' own.

A child process that a test starts reads the same module: the environment carries the name of
the test's database and the folder of its files.
"""

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("MEDRAG_DATA_DIR", str(_ROOT / "var" / "test"))
os.environ.setdefault("MEDRAG_ENCODER_PRECISION", "f32")  # every processor gives the same answers

from medrag_site.settings import *  # noqa: E402, F403
from medrag_site.settings import DATA_DIR, DATABASE_NAME, DATABASES, env  # noqa: E402

if not DATABASE_NAME and (_name := os.environ.get("MEDRAG_TEST_DATABASE")):
    for _alias in DATABASES.values():
        _alias["NAME"] = _name
FILES_DIR = MEDIA_ROOT = Path(os.environ.get("MEDRAG_TEST_FILES", str(DATA_DIR / "files")))
AUDIT_HEADS_FILE = FILES_DIR / "heads.jsonl"
KEYS_DIR = FILES_DIR / "keys"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
JOB_LEASE_S = env.integer("MEDRAG_JOB_LEASE_S", 60, low=2, high=3600)  # see tests.processes
