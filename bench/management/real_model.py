"""Arguments and work of `manage.py evaluate real`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from bench.real_model.services import RealOrder, real_model_measure
from bench.real_model.serving import ServerOrder
from evaluation.folders import refuse_unwritable, refuse_used

QUESTIONS = 10


def real_model_arguments(parser: CommandParser) -> None:
    """Add the arguments that only `real` has; it shares --out and --limit."""
    parser.add_argument("--model", type=Path, metavar="DIR", help="real: folder with one GGUF model")  # noqa: E501  # fmt: skip
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="real: the Python that has the package xllamacpp, by default this one")  # noqa: E501  # fmt: skip
    parser.add_argument("--ragas", type=int, default=0, metavar="N", help="real: judge the first N answers by RAGAS too, with the same model")  # noqa: E501  # fmt: skip
    parser.add_argument("--context", type=int, default=8192, metavar="TOKENS", help="real: tokens that the model may read and write at once")  # noqa: E501  # fmt: skip
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="real: threads of the model's server")  # noqa: E501  # fmt: skip


def real_model_ask(options: dict[str, Any], say: Callable[[str], None]) -> list[str]:
    """Ask a real model and return the report. Raises CommandError, MedragError."""
    if not (options["model"] and options["out"]) or options["arguments"]:
        raise CommandError("--model DIR and --out DIR are needed, and no other arguments.")
    out = Path(options["out"])
    refuse_unwritable(out)
    refuse_used(out)
    server = ServerOrder(
        options["model"], options["python"], options["context"], options["threads"]
    )
    order = RealOrder(server, options["limit"] or QUESTIONS, options["ragas"])
    return real_model_measure(order, out, say=say)
