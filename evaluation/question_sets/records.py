"""Read files of question sets into records, each with its place; a broken record costs no other."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus.parsing.clean import clean_line, clean_lines
from evaluation.datasets.reading import id_of, text_of
from evaluation.datasets.types import DatasetError, Malformed
from evaluation.question_sets.types import LABELS, LETTERS, ItemKind

MAX_BYTES = 512 * 2**20  # of a file, unpacked


@dataclass(frozen=True)
class Record:
    """A record of a file, or the `fault` for which it can't be read.

    `place` is for people: `sets.json, record 3`. `number` counts from 1.
    """

    place: str
    number: int
    value: Any = None
    fault: str = ""


class JsonObject(dict[str, Any]):
    """A JSON object that remembers its repeated keys; the first value of each counts."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        self.twice: list[str] = []
        for key, value in pairs:
            if key in self:
                self.twice.append(key)
            else:
                self[key] = value


def read_text(path: Path) -> str:
    """Return the whole file, unpacked if it ends in .gz. Raises DatasetError."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as stream:
            content: bytes = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DatasetError(f"{path.name} can't be read.", hint="Download it again.") from error
    if len(content) > MAX_BYTES:
        raise DatasetError(
            f"{path.name} is longer than {MAX_BYTES // 2**20} MB.", hint="Divide it into parts."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DatasetError(
            f"{path.name} is not text in UTF-8.", hint="Save it as UTF-8, or check the form."
        ) from error


def read_json(path: Path) -> Any:
    """Return the file's JSON, objects as `JsonObject`. Raises DatasetError."""
    try:
        return json.loads(read_text(path), object_pairs_hook=JsonObject)
    except (ValueError, RecursionError) as error:
        raise DatasetError(
            f"{path.name} is not JSON.", hint="Check that it is complete, and the form."
        ) from error


def listed(path: Path, values: Any) -> Iterator[Record]:
    """Yield each element of a list. Raises DatasetError for anything else."""
    if not isinstance(values, list):
        raise DatasetError(f"{path.name} holds no list of questions.", hint="Check the form.")
    for number, value in enumerate(values, start=1):
        yield Record(f"{path.name}, record {number}", number, value)


def keyed(path: Path, values: Any, *, within: str = "") -> Iterator[Record]:
    """Yield each pair of an object. Raises DatasetError for anything else.

    A repeated key is a fault; its first record is kept.
    """
    if not isinstance(values, JsonObject):
        raise DatasetError(f"{path.name} holds no questions by their ids.", hint="Check the form.")
    for number, (key, value) in enumerate(values.items(), start=1):
        yield Record(f"{path.name}, {within}{shown(key)}", number, (key, value))
    for number, key in enumerate(values.twice, start=len(values) + 1):
        fault = "the key occurs twice; only the first is kept."
        yield Record(f"{path.name}, {within}{shown(key)}", number, fault=fault)


def json_list(path: Path) -> Iterator[Record]:
    """Yield the elements of a JSON list. Raises DatasetError."""
    return listed(path, read_json(path))


def json_pairs(path: Path) -> Iterator[Record]:
    """Yield the pairs of a JSON object. Raises DatasetError."""
    return keyed(path, read_json(path))


def json_lines(path: Path) -> Iterator[Record]:
    """Yield the JSON value of each line, except empty ones. Raises DatasetError."""
    for number, line in text_lines(path):
        place = f"{path.name}, line {number}"
        try:
            yield Record(place, number, json.loads(line, object_pairs_hook=JsonObject))
        except (ValueError, RecursionError):
            yield Record(place, number, fault="no JSON.")


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines, except blank ones, with their numbers from 1. Raises DatasetError."""
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line.rstrip("\r")


def csv_rows(path: Path) -> Iterator[Record]:
    """Yield the rows of a table, numbered by their last line. Raises DatasetError."""
    rows = csv.reader(io.StringIO(read_text(path), newline=""))
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                yield Record(f"{path.name}, line {rows.line_num}", rows.line_num, row)
    except csv.Error as error:
        raise DatasetError(
            f"{path.name}, line {rows.line_num + 1}: not valid CSV.", hint="Save the table again."
        ) from error


def object_of(record: Record, *required: str) -> JsonObject:
    """Return the record as an object with all of these keys. Raises Malformed."""
    value = record.value
    if not isinstance(value, JsonObject):
        raise Malformed("an object is needed.")
    if value.twice:
        raise Malformed(f"the key {shown(value.twice[0])} occurs twice.")
    missing = [key for key in required if key not in value]
    if missing:
        raise Malformed(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
    return value


def key_of(value: Any) -> str:
    """Return an id as text. Raises Malformed."""
    return id_of(value, "the id").strip()


def line_of(value: Any, name: str) -> str:
    """Return a text on one line, empty for none. Raises Malformed."""
    return clean_line(text_of(value, name))


def lines_of(value: Any, name: str) -> str:
    """Return a text with its line breaks, empty for none. Raises Malformed."""
    return clean_lines(text_of(value, name)).strip()


def list_of(value: Any, name: str) -> list[Any]:
    """Return a list, empty for none. Raises Malformed."""
    if value is not None and not isinstance(value, list):
        raise Malformed(f"{name} must be a list.")
    return value or []


def texts_of(value: Any, name: str) -> tuple[str, ...]:
    """Return the texts of a list that have words, each with its line breaks. Raises Malformed."""
    return tuple(filter(None, (lines_of(each, name) for each in list_of(value, name))))


def label_of(value: Any) -> str:
    """Return yes, no or maybe, or empty for no label. Raises Malformed."""
    label = line_of(value, "the label").lower()
    if label and label not in LABELS:
        raise Malformed(f"the label must be one of {', '.join(LABELS)}.")
    return label


def options_of(values: list[Any]) -> tuple[str, ...]:
    """Return the options' texts in the order of their letters. Raises Malformed."""
    options = tuple(line_of(value, "an option") for value in values)
    if not 2 <= len(options) <= len(LETTERS) or not all(options):
        raise Malformed(f"2 to {len(LETTERS)} options with text are needed.")
    return options


def letter_of(value: Any, options: tuple[str, ...]) -> str:
    """Return the letter of one of the options. Raises Malformed."""
    letter = line_of(value, "the answer").upper()
    if len(letter) != 1 or letter not in LETTERS[: len(options)]:
        raise Malformed(f"the answer is not a letter from A to {LETTERS[len(options) - 1]}.")
    return letter


def kind_of(gold: str) -> ItemKind:
    """Return the kind of a question answered in words: unlabelled without a gold answer."""
    return ItemKind.ANSWERABLE if gold else ItemKind.UNLABELLED


def shown(key: str) -> str:
    return repr(key[:50])
