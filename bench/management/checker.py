"""Arguments and work of `manage.py evaluate checker`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from bench.checker.measure import Checked
from bench.checker.run import (
    checker_folder_write,
    refuse_unusable,
    verifiers_check,
)
from bench.checker.tables import claim_lines, report_lines
from bench.checker.verifiers import NAMED, verifiers_configured
from bench.datasets.pairs import PairSet, read_pairs, read_scifact_pairs
from evaluation.folders import refuse_unwritable, refuse_used


def checker_arguments(parser: CommandParser) -> None:
    """Add arguments that only `checker` has; it shares --dataset, --format, --split and --out."""
    parser.add_argument("--pairs", type=Path, metavar="FILE", help='checker: JSON lines {"claim", "evidence", "label"}; labels supported, contradicted, not_found')  # noqa: E501  # fmt: skip
    parser.add_argument("--verifier", action="append", default=[], choices=NAMED, help="checker: a configured verifier, or rules (only the exact checks); repeatable, by default all that this site can use")  # noqa: E501  # fmt: skip


def checker_run(options: dict[str, Any], say: Callable[[str], None]) -> list[str]:
    """Measure verifiers, write the results and return the report.

    Raises CommandError, MedragError.
    """
    pair_set, results = _measured(options, say)
    return report_lines(pair_set, results)


def claims_checked(options: dict[str, Any], say: Callable[[str], None]) -> list[str]:
    """Measure verifiers likewise; return which claims only the exact checks stop, for each."""
    _, results = _measured(options, say)
    return [line for each in results for line in (f"{each.name}:", *claim_lines(each), "")]


def _measured(
    options: dict[str, Any], say: Callable[[str], None]
) -> tuple[PairSet, Sequence[Checked]]:
    if not options["out"] or options["arguments"] or options["limit"]:
        raise CommandError("Only --out DIR is needed, with --pairs FILE or --format scifact.")
    out = Path(options["out"])
    refuse_unwritable(out)
    refuse_used(out)
    names = options["verifier"] or verifiers_configured()
    refuse_unusable(names)
    pair_set = _pairs_read(options)
    results = verifiers_check(pair_set, names, say=say)
    checker_folder_write(out, pair_set, results)
    return pair_set, results


def _pairs_read(options: dict[str, Any]) -> PairSet:
    """Read pairs from a file or from a data set, not both. Raises DatasetError and CommandError."""
    folder, split = options["dataset"], options["split"]
    if options["pairs"] and not (folder or options["format"] or split):
        return read_pairs(options["pairs"])
    if folder and options["format"] == "scifact" and not options["pairs"]:
        return read_scifact_pairs(folder, split=split or "train")
    raise CommandError("checker takes --pairs FILE, or --format scifact with --dataset DIR.")
