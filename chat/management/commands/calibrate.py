"""Calibrate the gate on labelled questions and use it, or return to an earlier calibration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from chat.gate.calibration import Fitted, calibrate, refuse_too_few_answerable
from chat.gate.plot import plot_png
from chat.gate.records import (
    BUILT_IN,
    NO_GUARANTEE,
    Provenance,
    built_in_use,
    calibration_store,
    calibration_use,
    is_for_encoder_in_use,
    record_of,
)
from chat.pipeline.calibration_questions import labelled_questions, observed, questions_digest
from core.errors import MedragError
from core.progress import Progress
from corpus.encoders.registry import encoder_facts
from corpus.management.arguments import asker_named, refuse_unwritable
from corpus.models import Document
from retrieval.configured import endpoints_silence, site_config


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--testset", metavar="FILE", help="JSON list of labelled questions (see tests/golden)",
        )  # fmt: skip
        what.add_argument(
            "--use", metavar="VERSION", help="use this calibration from now on, such as site-3"
        )
        parser.add_argument(
            "--risk", type=float, default=0.05,
            help="largest share of unanswerable questions that may pass the gate (default 0.05)",
        )  # fmt: skip
        parser.add_argument(
            "--dry-run", action="store_true", help="print the result and store nothing"
        )
        parser.add_argument("--plot", type=Path, metavar="FILE", help="also write the plot as PNG")
        parser.add_argument("--user", metavar="NAME", help="who is recorded in the log")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            by = asker_named(options["user"])
            if options["use"]:
                self.use(options["use"], by=by)
            else:
                self.make(options, by=by)
        except MedragError as error:
            raise CommandError(error.sentence) from error

    def use(self, version: str, *, by: User | None) -> None:
        if version == BUILT_IN.version:
            built_in_use(by=by)
        else:
            record = record_of(version)
            calibration_use(record, by=by)
            if not is_for_encoder_in_use(record):
                self.stderr.write(
                    "It was made for another encoder and takes effect when that is used."
                )
        self.stdout.write(f"Used from the next question on: {version}.")
        self._say_what_overrides()

    def make(self, options: dict[str, Any], *, by: User | None) -> None:
        config = site_config()
        if not 0 < options["risk"] <= 0.5:
            raise CommandError("--risk must be above 0 and at most 0.5.")
        refuse_unwritable(options["plot"])
        questions = labelled_questions(options["testset"])
        refuse_too_few_answerable(sum(question.answerable for question in questions))
        if silence := endpoints_silence(config):
            raise CommandError(silence)
        if not Document.objects.filter(indexed_at__isnull=False).exists():
            raise CommandError(
                "Nothing is indexed yet, and nothing was changed. Run manage.py ingest first."
            )
        with Progress("Reading", len(questions), "questions") as progress:
            seen = observed(questions, config, on=timezone.localdate(), on_progress=progress.at)
        fitted = calibrate(seen.examples, options["risk"])
        self._report(fitted, not_found=seen.not_found)
        if options["plot"]:
            options["plot"].write_bytes(plot_png(fitted, title=Path(options["testset"]).name))
        if options["dry_run"]:
            self.stdout.write("Nothing was stored.")
            return
        provenance = Provenance(
            testset=Path(options["testset"]).name,
            testset_digest=questions_digest(questions),
            encoder=encoder_facts().fingerprint,
            retrieval=seen.retrieval,
        )
        record = calibration_store(fitted, provenance, by=by)
        self.stdout.write(f"Stored, and used from the next question on: {record.version}.")
        self._say_what_overrides()

    def _report(self, fitted: Fitted, *, not_found: int) -> None:
        scale, counts = fitted.scale, fitted.counts
        self.stdout.write(
            f"{counts['questions']} questions, {counts['answerable']} of them answerable."
        )
        if not_found:
            self.stdout.write(
                f"For {not_found} more questions the search did not find the answer. They count as "
                "unanswerable."
            )
        self.stdout.write(
            f"{scale.intercept:.2f} + {scale.slope:.2f} learned log-odds; threshold "
            f"{scale.threshold:.3f}"
        )
        self.stdout.write(
            f"At most {fitted.risk:.1%} of unanswerable questions pass the gate, if they resemble "
            "those of the test set (on average over test sets)."
        )
        for name, value in fitted.metrics.items():
            self.stdout.write(f"  {name:<20}  {'-' if value is None else f'{value:.3f}'}")

    def _say_what_overrides(self) -> None:
        if settings.GATE_THRESHOLD is not None:
            self.stderr.write(NO_GUARANTEE)
