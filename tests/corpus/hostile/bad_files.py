"""Files that no parser should be given, made on the spot: hand-made classes and seeded mutations.

Each is a `BadFile` with its name, its class, and its allowed outcomes: `parsed`, or the code of the
error that refuses it. Any other outcome is a defect.
"""

import io
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import ParseError
from corpus.sandbox.parent import Limits, parse_in_child
from tests.corpus.hostile import bad_markup, bad_office, bad_opened, bad_pdfs
from tests.corpus.parsing.parsing_fixtures import SAMPLES, assert_contract

PARSED = "parsed"
# Allowed outcomes of a random mutation: parsed or refused as damaged, not killed or timed out.
ANY_REFUSAL = frozenset(
    """
    parsed no_text empty_file type_mismatch pdf_corrupt pdf_empty pdf_encrypted file_corrupt
    archive_corrupt archive_unsafe archive_encrypted archive_bomb xml_corrupt xml_unknown
    xml_entities xml_deep parser_memory too_many_pages pages_missing file_unreadable too_deep
    """.split()
)
_SEED = 20_260_101

T = TypeVar("T")
Craft = tuple[str, str, Callable[[], bytes]]
# Tight, but far above what any file needs, so that a busy machine changes no outcome.
LIMITS = Limits(max_pages=50, memory_mb=2_048, cpu_s=60, wall_s=600, max_output_mb=64)


@dataclass(frozen=True)
class BadFile:
    """A hostile file, and all outcomes that are allowed."""

    name: str
    kind: str
    content: bytes
    outcomes: frozenset[str]

    def __repr__(self) -> str:
        return self.name


def crafted(crafts: Sequence[Craft]) -> Iterator[BadFile]:
    """Yield the files of a table of `bad_pdfs`, `bad_office` and the like, each a class."""
    for name, outcomes, make in crafts:
        yield BadFile(name, name.rsplit(".", 1)[0], make(), frozenset(outcomes.split()))


def mutated() -> list[BadFile]:
    """Return good files under wrong names, cut short, or damaged; always in the same order."""
    return [*_wrong_typed(), *_truncated(), *_damaged()]


@cache
def good_files() -> dict[str, bytes]:
    """Return one small good file for each extension."""
    return {
        "pdf": bad_pdfs.leaflet(),
        "docx": (SAMPLES / "uti-pregnancy.docx").read_bytes(),
        "xlsx": bad_office.workbook(),
        "pptx": bad_office.slides(),
        "html": (SAMPLES / "quinine-leg-cramps.html").read_bytes(),
        "md": (SAMPLES / "paracetamol-dosing.md").read_bytes(),
        "txt": b"Paracetamol\n\nGive 1 g every 6 hours, at most 4 g a day.\n",
        "xml": bad_markup.MEDQUAD,
        "odt": bad_opened.letter(),
        "epub": bad_opened.book(),
        "eml": bad_opened.MAIL,
    }


def _wrong_typed() -> Iterator[BadFile]:
    """Yield every type under every other extension. Text is allowed under any text's name."""
    for real, content in good_files().items():
        for claimed in good_files():
            if claimed != real:
                name = f"wrong-type-{real}-as.{claimed}"
                texts = {"html", "md", "txt", "xml", "eml"}
                readable = real in texts and claimed in {"md", "txt", "html"}
                refused = {"type_mismatch", "xml_corrupt", "xml_unknown", "archive_corrupt"}
                outcomes = {PARSED, *refused} if readable else refused
                yield BadFile(name, f"wrong-type-{real}", content, frozenset(outcomes))


def _truncated() -> Iterator[BadFile]:
    cuts = {"pdf": 12, "docx": 6, "xlsx": 3, "pptx": 3, "xml": 4, "html": 2, "md": 2, "odt": 3}
    for extension, count in cuts.items():
        content = good_files()[extension]
        for number in range(1, count + 1):
            end = len(content) * number // (count + 1)
            name = f"truncated-{number}.{extension}"
            yield BadFile(name, f"truncated-{extension}", content[:end], ANY_REFUSAL)


Mutation = Callable[[bytes, random.Random], bytes]


def flip_bytes(content: bytes, dice: random.Random) -> bytes:
    mutated = bytearray(content)
    for _ in range(max(3, len(mutated) // 500)):
        mutated[dice.randrange(len(mutated))] = dice.randrange(256)
    return bytes(mutated)


def shuffle_blocks(content: bytes, dice: random.Random) -> bytes:
    cuts = sorted(dice.sample(range(1, len(content)), 3))
    a, b, c, d = (content[i:j] for i, j in zip([0, *cuts], [*cuts, len(content)], strict=True))
    return a + c + b + d


def change_numbers(content: bytes, dice: random.Random) -> bytes:
    """Replace some digits by 0, 9, a minus or a huge number: in lengths, offsets, counts."""
    mutated = bytearray(content)
    digits = [at for at, byte in enumerate(mutated) if 48 <= byte <= 57]
    for at in dice.sample(digits, max(1, len(digits) // 60)):
        mutated[at : at + 1] = dice.choice([b"0", b"9", b"-", b"99999999"])
    return bytes(mutated)


def flip_inside(content: bytes, dice: random.Random) -> bytes:
    """Damage one part of a zip, and pack it again with a correct checksum."""
    source = zipfile.ZipFile(io.BytesIO(content))
    parts = {info.filename: source.read(info) for info in source.infolist()}
    name = dice.choice([name for name in parts if parts[name]])
    return bad_office.pack({**parts, name: flip_bytes(parts[name], dice)})


def flip_streams(content: bytes, dice: random.Random) -> bytes:
    """Damage the content of a PDF's packed streams, and pack them again."""
    pieces, at = [], 0
    while (start := content.find(b"stream\n", at)) >= 0:
        start += len(b"stream\n")
        end = content.find(b"endstream", start)
        if end < 0:
            break
        pieces += [content[at:start], _damaged_stream(content[start:end], dice)]
        at = end
    return b"".join([*pieces, content[at:]])


def _damaged_stream(packed: bytes, dice: random.Random) -> bytes:
    try:
        unpacked = zlib.decompress(packed)
    except zlib.error:
        return packed
    return zlib.compress(flip_bytes(unpacked, dice)) + b"\n"


_MUTATIONS: dict[str, list[tuple[Mutation, int]]] = {
    "pdf": [(flip_bytes, 6), (shuffle_blocks, 5), (change_numbers, 8), (flip_streams, 8)],
    "docx": [(flip_bytes, 4), (flip_inside, 6), (shuffle_blocks, 2)],
    "xlsx": [(flip_bytes, 2), (flip_inside, 5)],
    "pptx": [(flip_bytes, 2), (flip_inside, 5)],
    "html": [(flip_bytes, 2), (shuffle_blocks, 1)],
    "md": [(flip_bytes, 2)],
    "xml": [(flip_bytes, 4), (shuffle_blocks, 2)],
}


def _damaged() -> Iterator[BadFile]:
    for extension, plan in _MUTATIONS.items():
        for mutate, count in plan:
            for number in range(count):
                label = mutate.__name__.replace("_", "-")
                dice = random.Random(f"{_SEED} {extension} {label} {number}")
                content = mutate(good_files()[extension], dice)
                name = f"{label}-{number}.{extension}"
                yield BadFile(name, f"{label}-{extension}", content, ANY_REFUSAL)


def outcome_of(file: BadFile, folder: Path) -> str:
    """Parse a file in a child: return `parsed`, or the code of the refusal.

    Fails where the refusal has no sentence or no hint. Any other error is a defect.
    """
    path = folder / file.name
    path.write_bytes(file.content)
    (folder / f"{file.name}.out").mkdir()
    try:
        document = parse_in_child(
            path,
            media_type=media_type_of(path, path.name),
            output_dir=folder / f"{file.name}.out",
            limits=LIMITS,
            on_progress=lambda done, total: None,
        )
    except ParseError as error:
        assert str(error).endswith(".") and error.hint.endswith("."), error.code
        return error.code
    assert_contract(document)
    return PARSED


def share(files: Sequence[T], name: Callable[[T], str]) -> list[ParameterSet]:
    """Return all files as parameters: a seeded tenth for every run, the rest `exhaustive`."""
    names = sorted(map(name, files))
    chosen = set(random.Random(_SEED).sample(names, -(-len(names) // 10)))
    return [
        pytest.param(
            file, id=name(file), marks=() if name(file) in chosen else pytest.mark.exhaustive
        )
        for file in files
    ]
