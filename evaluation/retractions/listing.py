"""Read a list of retracted publications: a CSV with a header, or a text with one number per line.

The CSV is Retraction Watch's, with the columns OriginalPaperDOI, OriginalPaperPubMedID,
RetractionNature and Reason.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import MedragError
from corpus.publications import doi_named, pmid_named

DOI = ("originalpaperdoi", "doi")
PMID = ("originalpaperpubmedid", "pmid")
NATURE, REASON = "retractionnature", "reason"
RETRACTED = "retraction"  # other natures are corrections, concerns and reinstatements
MAX_REASON = 500


class ListUnreadable(MedragError):
    """The list is missing or has another form. Nothing was checked."""


@dataclass(frozen=True)
class Listed:
    """The reason of each retraction by `pmid:123` or `doi:10.1000/x`; empty if the list gives none.

    `left_out` counts lines without a number.
    """

    reasons: dict[str, str]
    left_out: int


def read_list(path: Path) -> Listed:
    """Read a list: a CSV if its first line names a column of numbers, else one number per line.

    Raises ListUnreadable.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as lines:
            head = lines.readline()
            lines.seek(0)
            if {*DOI, *PMID} & {_plain(name) for name in head.split(",")} and "," in head:
                return _listed(_of_rows(csv.DictReader(lines)))
            return _listed(_of_lines(lines))
    except (OSError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ListUnreadable(f"The list of retractions can't be read: {why}.") from error


def _listed(records: Iterable[tuple[list[str], str]]) -> Listed:
    reasons: dict[str, str] = {}
    left_out = 0
    for numbers, reason in records:
        known = [number for number in numbers if number]
        left_out += not known
        for number in known:
            reasons.setdefault(number, reason[:MAX_REASON])
    if not reasons:
        raise ListUnreadable("The list of retractions names no publication by DOI or PMID.")
    return Listed(reasons, left_out)


def _of_rows(rows: Iterable[dict[str, str]]) -> Iterator[tuple[list[str], str]]:
    for raw in rows:
        row = {_plain(name): value for name, value in raw.items() if isinstance(value, str)}
        if row.get(NATURE, RETRACTED).strip().lower() != RETRACTED:
            continue
        dois = [doi_named(row.get(name, "")) for name in DOI]
        pmids = [pmid_named(row.get(name, "")) for name in PMID]
        yield [*dois, *pmids], row.get(REASON, "").strip().strip("+;")


def _of_lines(lines: Iterable[str]) -> Iterator[tuple[list[str], str]]:
    """Yield each line's number, without a reason; text after `#` is a comment."""
    for line in lines:
        if text := line.partition("#")[0].strip():
            number = text.lower().removeprefix("pmid").lstrip(": ")
            yield [doi_named(text) or pmid_named(number)], ""


def _plain(name: str | None) -> str:
    return (name or "").strip().strip('"').lower()
