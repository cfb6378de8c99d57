"""The folder of a silver set: its lines, and a log of calls, so that a killed run continues.

`silver.jsonl` is written first; then a line of `asked.log` records its length. Lines beyond that
length after a kill belong to no recorded call and are cut off, so that no line is there twice.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.silver.teacher import same_as
from evaluation.folders import FolderError, refuse_unwritable, refuse_used

SILVER, ASKED = "silver.jsonl", "asked.log"
Labels = dict[tuple[str, str], str]  # by passage and claim


@dataclass
class Ledger:
    """The recorded calls by key, and the labels of all claims in the file."""

    entries: dict[str, Mapping[str, Any]]
    labels: Labels
    _silver: IO[bytes]
    _asked: IO[bytes]

    def add(self, key: str, entry: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> None:
        """Store the result of one call, whole or not at all."""
        for line in lines:
            self.labels[line["passage"], same_as(line["claim"])] = line["label"]
        _append(self._silver, lines)
        kept = {"key": key, **entry, "end": self._silver.tell()}
        _append(self._asked, [kept])
        self.entries[key] = kept


@contextmanager
def opened(out: Path, *, teacher: str, prompt: str) -> Iterator[Ledger]:
    """Open the folder's ledger, or create one, and lock it.

    Raises FolderError for a folder with other content, or by another teacher or prompt, and while
    another process writes there.
    """
    refuse_unwritable(out)
    if not (out / ASKED).is_file():
        refuse_used(out)
    out.mkdir(parents=True, exist_ok=True)
    with (out / ASKED).open("a+b") as asked, (out / SILVER).open("a+b") as silver:
        try:
            fcntl.flock(asked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FolderError(f"--out: another process writes in {out}.") from error
        entries = _records(asked, out, ASKED)
        for each in entries:
            if (each["teacher"], each["prompt"]) != (teacher, prompt):
                raise FolderError(
                    f"--out: {out} holds what another teacher or prompt wrote.",
                    hint="What it holds was left as it is: name another folder.",
                )
        end = entries[-1]["end"] if entries else 0
        if silver.seek(0, os.SEEK_END) < end:
            raise FolderError(f"--out: lines of {SILVER} in {out} are missing.")
        silver.truncate(end)
        lines = _records(silver, out, SILVER)
        labels = {(line["passage"], same_as(line["claim"])): line["label"] for line in lines}
        yield Ledger({each["key"]: each for each in entries}, labels, silver, asked)


def _records(stream: IO[bytes], out: Path, name: str) -> list[dict[str, Any]]:
    """Return all whole lines, and remove one cut off by a kill. Raises FolderError."""
    stream.seek(0)
    content = stream.read()
    whole = content[: content.rfind(b"\n") + 1]
    stream.truncate(len(whole))
    stream.seek(0, os.SEEK_END)
    try:
        return [json.loads(line) for line in whole.splitlines()]
    except ValueError as error:
        raise FolderError(f"--out: {name} in {out} can't be read.") from error


def _append(stream: IO[bytes], records: Sequence[Mapping[str, Any]]) -> None:
    stream.write("".join(json.dumps(each) + "\n" for each in records).encode())
    stream.flush()
    os.fsync(stream.fileno())
