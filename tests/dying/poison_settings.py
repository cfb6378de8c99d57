"""The tests' settings with a parser that misbehaves on demand, and a chosen job time-out."""

import os
import sys
from pathlib import Path

from tests.settings import *  # noqa: F403

PARSER_COMMAND = (sys.executable, str(Path(__file__).resolve().parent / "poison_parser.py"))
JOB_TIMEOUT_S = int(os.environ.get("MEDRAG_TEST_JOB_TIMEOUT_S", "3600"))
