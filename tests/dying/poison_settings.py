"""The tests' settings with a parser that misbehaves on demand."""

import sys
from pathlib import Path

from tests.settings import *  # noqa: F403

PARSER_COMMAND = (sys.executable, str(Path(__file__).resolve().parent / "poison_parser.py"))
