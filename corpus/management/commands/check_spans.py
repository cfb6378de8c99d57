"""Tell for PDFs whether each passage is what is printed under its boxes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.bulk import paths_below
from corpus.chunking import ChunkDraft, split
from corpus.encoders.registry import get_embedder
from corpus.errors import MedragError
from corpus.parsing import sniff
from corpus.parsing.pdf.rereading import Verdict, reread
from corpus.parsing.sandbox import parent as sandbox
from corpus.parsing.types import ParsedDocument
from corpus.recipe import chunk_settings

ENOUGH = 0.995  # of the passages


class Command(BaseCommand):
    help = "Read PDFs, and compare each passage with what is printed under its boxes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--list", action="store_true", help="name the passages that differ")

    def handle(self, *args: Any, **options: Any) -> None:
        equal = checked = 0
        for path in _pdfs(options["paths"]):
            try:
                chunks, verdicts = _check(path)
            except MedragError as error:
                raise CommandError(f"{path.name}: {error.sentence}") from error
            self._report(path.name, chunks, verdicts, options["list"])
            checked += sum(verdict is not None for verdict in verdicts)
            equal += sum(verdict is not None and verdict.equal for verdict in verdicts)
        self.stdout.write(_line("all", equal, checked, 0))
        if checked == 0 or equal < ENOUGH * checked:
            raise SystemExit(1)

    def _report(
        self, name: str, chunks: list[ChunkDraft], verdicts: list[Verdict | None], is_list: bool
    ) -> None:
        checked = [verdict for verdict in verdicts if verdict is not None]
        unread = len(verdicts) - len(checked)
        self.stdout.write(_line(name, sum(v.equal for v in checked), len(checked), unread))
        for chunk, verdict in zip(chunks, verdicts, strict=True):
            if is_list and verdict is not None and not verdict.equal:
                self.stdout.write(f"    differs: passage {chunk.index}, page {verdict.page}")


def _pdfs(paths: list[Path]) -> list[Path]:
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise CommandError(f"There is no {missing[0]}.")
    found = [
        path for given in paths for path in paths_below(given) if path.suffix.lower() == ".pdf"
    ]
    if not found:
        raise CommandError("There is no PDF among these files.")
    return found


def _check(path: Path) -> tuple[list[ChunkDraft], list[Verdict | None]]:
    document = _parse(path)
    embedder = get_embedder()
    chunks = split(
        document.pages,
        title=document.title,
        population="",
        sha256="",
        settings=chunk_settings(embedder),
        count_tokens=embedder.count_tokens,
    )
    return chunks, reread(path, document.pages, [chunk.spans for chunk in chunks])


def _parse(path: Path) -> ParsedDocument:
    with tempfile.TemporaryDirectory(prefix="medrag-check-") as folder:
        return sandbox.parse_in_child(
            path,
            media_type=sniff.PDF,
            output_dir=Path(folder),
            limits=sandbox.Limits(
                max_pages=settings.PARSE_MAX_PAGES,
                memory_mb=settings.PARSE_MEMORY_MB,
                cpu_s=settings.PARSE_TIMEOUT_S,
                wall_s=settings.PARSE_TIMEOUT_S,
            ),
            on_progress=lambda done, total: None,
        )


def _line(name: str, equal: int, checked: int, unread: int) -> str:
    share = f"{100 * equal / checked:.1f} %" if checked else "-"
    note = f", {unread} on pages read by OCR are not compared" if unread else ""
    return f"{name}: {checked} passages, {equal} equal, {share}{note}"
