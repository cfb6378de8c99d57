"""A stream to records, each the bytes of a file of its own.

Records are found by their tags in the raw bytes and each is read by itself later, so that one that
is broken costs no other, and no entity or depth of one file reaches across them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import IO

from corpus.parsing.published.records import record_name
from corpus.parsing.types import ParseError

BLOCK_BYTES = 2**18
MAX_HEADER_BYTES = 2**20
_ENCODING = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]{1,40})", re.DOTALL)


@dataclass(frozen=True)
class Record:
    """A document to be: its file's name and bytes, or why there are none.

    Equal records give equal bytes, whichever file of whichever day they come from.
    """

    name: str
    content: bytes = b""
    error: ParseError | None = None


@dataclass(frozen=True)
class Element:
    """How a record stands in a dump, and how it is wrapped to a file.

    `name` finds the record's own number in its bytes; `prefix` goes before that in the file's name.
    """

    tag: str
    number: re.Pattern[bytes]
    prefix: str
    wrap: Callable[[bytes, bytes], bytes]  # header of the dump, record


def whole(name: str, stream: IO[bytes], max_bytes: int) -> Iterator[Record]:
    """Yield one file, one record: its own bytes, so that uploading it gives the same document."""
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        yield Record(name, error=too_large(max_bytes))
    else:
        yield Record(name, content)


def elements(name: str, stream: IO[bytes], max_bytes: int, element: Element) -> Iterator[Record]:
    """Yield every element of that name, in order, wrapped to a file in UTF-8.

    A record that is too long or cut off comes as an error; so does a stream without any.
    """
    reader = _Elements(stream, element.tag, max_bytes)
    found = 0
    for raw in reader:
        found += 1
        place = f"{name}, record {found}"
        yield (
            _wrapped(raw, place, reader.header, element)
            if isinstance(raw, bytes)
            else Record(place, error=raw)
        )
    if reader.error is not None:
        yield Record(name, error=reader.error)
    elif not found:
        error = ParseError(
            f"The file holds no <{element.tag}>.",
            code="xml_unknown",
            hint="Check that it is a file of this format, in UTF-8.",
        )
        yield Record(name, error=error)


def lines(name: str, stream: IO[bytes], max_bytes: int) -> Iterator[Record]:
    """Yield every line that is a JSON object, its keys in order and nothing between its signs."""
    number = 0
    while raw := stream.readline(max_bytes + 1):
        number += 1
        place = f"{name}, line {number}"
        if len(raw) > max_bytes:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(BLOCK_BYTES)
            yield Record(place, error=too_large(max_bytes))
        elif raw.strip(b"\xef\xbb\xbf \t\r\n"):
            yield _line(raw, place)


def too_large(max_bytes: int) -> ParseError:
    return ParseError(
        f"The record is larger than {max_bytes // 2**20} MB.",
        code="too_large",
        hint="Divide it, or ask for a higher upload_mb in MEDRAG_PARSING.",
    )


def _line(raw: bytes, place: str) -> Record:
    try:
        record = json.loads(raw.decode("utf-8-sig"))
        if not isinstance(record, dict):
            raise ValueError("no object")
        text = _canonical(record)
    except (ValueError, RecursionError):
        error = ParseError(
            "The line is not a JSON object.",
            code="json_corrupt",
            hint="Export the corpus again, one record a line.",
        )
        return Record(place, error=error)
    stem = record_name(record).replace("/", "_") or place.replace(",", "")
    return Record(f"{stem}.jsonl", f"{text}\n".encode("utf-8", "replace"))


def _canonical(record: dict[str, object]) -> str:
    """Return the record on one line; `page` stands last, since exported passages begin with it."""
    write = partial(json.dumps, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    keys = sorted(record, key=lambda key: (key == "page", key))
    return f"{{{','.join(f'{write(key)}:{write(record[key])}' for key in keys)}}}"


def _wrapped(raw: bytes, place: str, header: bytes, element: Element) -> Record:
    encoding = _ENCODING.match(header)
    try:
        content = raw.decode(encoding.group(1).decode("ascii") if encoding else "utf-8")
    except (UnicodeDecodeError, LookupError):
        error = ParseError(
            "The record is not in the encoding that its file declares.",
            code="xml_corrupt",
            hint="Download the file again.",
        )
        return Record(place, error=error)
    number = element.number.search(raw)
    stem = f"{element.prefix}{number.group(1).decode('ascii')}" if number else place
    wrapped = element.wrap(header, content.encode("utf-8"))
    return Record(f"{stem}.xml", b'<?xml version="1.0" encoding="UTF-8"?>\n' + wrapped)


class _Elements:
    """Iterate over the bytes of elements; those too long come as ParseError.

    `header` is what stands before the first; `error` says afterwards what ended it too early.
    """

    def __init__(self, stream: IO[bytes], tag: str, max_bytes: int) -> None:
        self.header = b""
        self.error: ParseError | None = None
        self._stream, self._max_bytes = stream, max_bytes
        self._start = re.compile(rb"<(?:[\w.-]+:)?" + re.escape(tag.encode()) + rb"(?=[\s>])")
        self._end = re.compile(rb"</(?:[\w.-]+:)?" + re.escape(tag.encode()) + rb"\s*>")
        self._buffer = bytearray()
        self._seen_first = False

    def __iter__(self) -> Iterator[bytes | ParseError]:
        while self._find_start():
            record = self._read_record()
            if record is None:
                return
            yield record

    def _find_start(self) -> bool:
        """Drop what stands before the next start tag; False at the end of the stream."""
        while True:
            match = self._start.search(self._buffer)
            if match:
                self._keep_header(bytes(self._buffer[: match.start()]))
                del self._buffer[: match.start()]
                return not self.error
            kept = 0 if not self._seen_first else len(self._buffer) - 64
            del self._buffer[: max(0, kept)]  # a tag may be cut by the end of the block
            if len(self._buffer) > MAX_HEADER_BYTES or not self._fill():
                return False

    def _keep_header(self, before: bytes) -> None:
        if self._seen_first:
            return
        self._seen_first = True
        self.header = before.removeprefix(b"\xef\xbb\xbf")
        if b"<!ENTITY" in before:
            self.error = ParseError(
                "The file declares entities, which are not read.",
                code="xml_entities",
                hint="Download it again from its publisher.",
            )

    def _read_record(self) -> bytes | ParseError | None:
        """Return up to the end tag; None where the stream ends before it."""
        at, dropped = 0, False
        while True:
            match = self._end.search(self._buffer, at)
            if match:
                record = bytes(self._buffer[: match.end()])
                del self._buffer[: match.end()]
                too_long = dropped or len(record) > self._max_bytes
                return too_large(self._max_bytes) if too_long else record
            at = max(0, len(self._buffer) - 64)
            if len(self._buffer) > self._max_bytes:
                del self._buffer[:at]
                at, dropped = 0, True
            if not self._fill():
                self.error = ParseError(
                    "The file ends in the middle of a record, which was not read.",
                    code="cut_off",
                    hint="Download it again, and start the import again: "
                    "nothing is imported twice.",
                )
                return None

    def _fill(self) -> bool:
        block = self._stream.read(BLOCK_BYTES)
        self._buffer += block
        return bool(block)
