"""Split a stream into records, each the bytes of a file of its own.

Records are found by their tags in the raw bytes and parsed separately later, so that a broken one
affects no other, and no entity or nesting reaches across them.
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
_TAG_BYTES = 64  # kept of what was searched: a tag may be cut by the end of the block
_ENCODING = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]{1,40})", re.DOTALL)


@dataclass(frozen=True)
class Record:
    """A document to import: its file name and bytes, or why there are none.

    Equal records give equal bytes, whichever dump they come from.
    """

    name: str
    content: bytes = b""
    error: ParseError | None = None


@dataclass(frozen=True)
class Element:
    """How a record appears in a dump, and how it is wrapped into a file.

    `name` finds the record's number in its bytes; `prefix` precedes it in the file name.
    """

    tag: str
    number: re.Pattern[bytes]
    prefix: str
    wrap: Callable[[bytes, bytes], bytes]  # header of the dump, record


def whole(name: str, stream: IO[bytes], max_bytes: int) -> Iterator[Record]:
    """Yield the whole file as one record, so that uploading the file gives the same document."""
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        yield Record(name, error=too_large(max_bytes))
    else:
        yield Record(name, content)


def elements(name: str, stream: IO[bytes], max_bytes: int, element: Element) -> Iterator[Record]:
    """Yield every element of that name, in order, wrapped into a file in UTF-8.

    A record that is too long or cut off becomes an error; so does a stream without any.
    """
    tag = re.escape(element.tag.encode())
    start = re.compile(rb"<(?:[\w.-]+:)?" + tag + rb"(?=[\s>])")
    end = re.compile(rb"</(?:[\w.-]+:)?" + tag + rb"\s*>")
    buffer = bytearray()
    header: bytes | None = None  # what stands before the first
    count = 0
    while True:
        while not (match := start.search(buffer)):
            if header is not None:
                del buffer[:-_TAG_BYTES]
            block = b"" if len(buffer) > MAX_HEADER_BYTES else stream.read(BLOCK_BYTES)
            if not block:
                if not count:
                    yield Record(name, error=_without(element.tag))
                return
            buffer += block
        if header is None:
            header = bytes(buffer[: match.start()])
            if b"<!ENTITY" in header:
                yield Record(name, error=_ENTITIES)
                return
        del buffer[: match.start()]
        count += 1
        place = f"{name}, record {count}"
        at, too_long = 0, False
        while not (match := end.search(buffer, at)):
            at = max(0, len(buffer) - _TAG_BYTES)
            if len(buffer) > max_bytes:
                del buffer[:at]
                at, too_long = 0, True
            block = stream.read(BLOCK_BYTES)
            if not block:
                yield Record(name, error=_CUT_OFF)
                return
            buffer += block
        record = bytes(buffer[: match.end()])
        del buffer[: match.end()]
        if too_long or len(record) > max_bytes:
            yield Record(place, error=too_large(max_bytes))
        else:
            yield _wrapped(record, place, header.removeprefix(b"\xef\xbb\xbf"), element)


def lines(name: str, stream: IO[bytes], max_bytes: int) -> Iterator[Record]:
    """Yield every line that is a JSON object, in canonical form: sorted keys, no white space."""
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


_ENTITIES = ParseError(
    "The file declares XML entities, which can't be read.",
    code="xml_entities",
    hint="Download it again from its publisher.",
)
_CUT_OFF = ParseError(
    "The file ends in the middle of a record, which was not read.",
    code="cut_off",
    hint="Download it again, and start the import again: nothing is imported twice.",
)


def _without(tag: str) -> ParseError:
    return ParseError(
        f"The file has no <{tag}>.",
        code="xml_unknown",
        hint="Check that it is a file of this format, in UTF-8.",
    )


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
            hint="Export the corpus again, one record per line.",
        )
        return Record(place, error=error)
    stem = record_name(record).replace("/", "_") or place.replace(",", "")
    return Record(f"{stem}.jsonl", f"{text}\n".encode("utf-8", "replace"))


def _canonical(record: dict[str, object]) -> str:
    """Return the record on one line; `page` comes last, since exported passages begin with it."""
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
