"""Tell how many words of PDFs were found in what was read, or can be quoted of documents here."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.errors import MedragError
from corpus.intake.folders import files_below
from corpus.models import Document, Lifecycle
from corpus.parsing import sniff
from corpus.parsing.selfcheck.pages import VALUES_NOT_FOUND, WORDS_NOT_FOUND
from corpus.parsing.types import PAGE_ENOUGH, Page, WordsFound
from corpus.review.quotable import quotable_words
from corpus.sandbox import parent as sandbox
from corpus.statements.share import QuotableWords, quotable_line


class Command(BaseCommand):
    help = (
        "Parse PDFs as ingestion does, store nothing, and report how many of their words were "
        "found in what was read. With --quotable: report how many words of the published documents "
        "stand in a statement that an answer can quote."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "paths", nargs="*", type=Path, metavar="PATH", help="a PDF, or a folder"
        )
        parser.add_argument(
            "--quotable", action="store_true", help="count what can be quoted of what is published"
        )
        parser.add_argument(
            "--list",
            action="store_true",
            help="list the pages below 97 %%; with --quotable the texts that can't be quoted",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit with 1 where a file can't be read, or less than 97 % of all words were found."""
        if options["quotable"]:
            self._quotable(is_list=options["list"])
            return
        pages: list[Page] = []
        unreadable = 0
        for path in _pdfs(options["paths"]):
            try:
                read = _parse(path)
            except MedragError as error:
                self.stderr.write(f"{path.name}: not read. {error.sentence}")
                unreadable += 1
                continue
            self._report(path.name, read, is_list=options["list"])
            pages += read
        self._report("all", pages, is_list=False)
        words = words_of(pages)
        if unreadable or not words.checked or words.share < PAGE_ENOUGH:
            raise SystemExit(1)

    def _quotable(self, *, is_list: bool) -> None:
        whole = QuotableWords()
        published = Document.objects.filter(lifecycle=Lifecycle.PUBLISHED)
        for document in published.order_by("filename", "pk"):
            found = quotable_words(document)
            whole += found
            self.stdout.write(f"{document.filename}: {quotable_line(found)}")
            for each in found.without if is_list else ():
                self.stdout.write(f"    page {each.page}, {each.kind}: {each.text}")
        self.stdout.write(f"all: {quotable_line(whole)}")

    def _report(self, name: str, pages: list[Page], *, is_list: bool) -> None:
        self.stdout.write(f"{name}: {summary_of(pages)}")
        for page in _poor(pages) if is_list else ():
            if page.words is not None:
                note = "" if _is_told(page) else ", with no other doubt"
                self.stdout.write(f"    page {page.number}: {_share(page.words)}{note}")


def words_of(pages: list[Page]) -> WordsFound:
    """Return the sum over pages with a text layer."""
    words = [page.words for page in pages if page.words is not None]
    return WordsFound(sum(w.found for w in words), sum(w.checked for w in words))


def summary_of(pages: list[Page]) -> str:
    """Return the line to print for one document or for all."""
    words, poor = words_of(pages), _poor(pages)
    silent = sum(not _is_told(page) for page in poor)
    unread = sum(page.words is None for page in pages)
    note = f"; {unread} have no text layer and are not compared" if unread else ""
    return (
        f"{_counted(pages)}, {words.found} of {words.checked} words found, {_share(words)}; "
        f"{_counted(poor)} below {100 * PAGE_ENOUGH:.0f} %, {len(poor) - silent} with another "
        f"doubt and {silent} without{note}"
    )


def _counted(pages: list[Page]) -> str:
    return f"{len(pages)} page{'' if len(pages) == 1 else 's'}"


def _poor(pages: list[Page]) -> list[Page]:
    return [page for page in pages if page.words is not None and page.words.share < PAGE_ENOUGH]


def _is_told(page: Page) -> bool:
    """Tell whether the parser itself was unsure of something on the page."""
    return any(doubt.code not in (WORDS_NOT_FOUND, VALUES_NOT_FOUND) for doubt in page.doubts)


def _share(words: WordsFound) -> str:
    return f"{int(10_000 * words.share) / 100:.2f} %" if words.checked else "-"


def _pdfs(paths: list[Path]) -> list[Path]:
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise CommandError(f"{missing[0]}: there is no such file or folder.")
    pdfs = [
        path
        for given in paths
        for path in files_below(given).files
        if path.suffix.lower() == ".pdf"
    ]
    if not pdfs:
        raise CommandError("There is no PDF among these files, so nothing was checked.")
    return pdfs


def _parse(path: Path) -> list[Page]:
    with tempfile.TemporaryDirectory(prefix="medrag-check-") as folder:
        document = sandbox.parse_in_child(
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
    return list(document.pages)
