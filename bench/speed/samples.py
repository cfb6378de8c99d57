"""Real text that a synthetic corpus is drawn from: passages with their vectors, and questions."""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from defusedxml import ElementTree
from django.core.management.base import CommandError

from core.language.en.sentences import sentence_spans
from corpus.encoders.types import Embedder, Vectors
from corpus.parsing.clean import clean_text

PASSAGE_WORDS = 130
_TEXT, _XML = {".txt", ".md"}, {".xml"}
_ANSWERS, _QUESTIONS = ("Answer",), ("Question", "NLM-Summary")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Sample:
    """Passages as lists of sentences, and a vector of unit norm for each."""

    passages: tuple[tuple[str, ...], ...]
    vectors: Vectors

    @property
    def digest(self) -> str:
        """16 hex digits over the text and the vectors."""
        digest = hashlib.sha256(json.dumps(self.passages).encode())
        digest.update(self.vectors.tobytes())
        return digest.hexdigest()[:16]


def read_sample(path: Path, embedder: Embedder, *, size: int, kept_in: Path) -> Sample:
    """Draw up to `size` passages of whole sentences evenly, with a fixed seed.

    Their vectors are cached in `kept_in`, since each size of a corpus needs the same ones. Raises
    CommandError.
    """
    every = (passage for text in texts_of(path, _ANSWERS) for passage in passages_of(text))
    found = list(dict.fromkeys(every))  # some sites print the same text on many pages
    if len(found) < 2:
        raise CommandError(f"{path}: no text was found in it (txt, md or xml).")
    drawn = np.sort(np.random.default_rng(0).permutation(len(found))[:size])
    passages = tuple(found[place] for place in drawn)
    return Sample(passages, _vectors(passages, embedder, kept_in))


def read_questions(path: Path, *, size: int) -> list[str]:
    """Draw up to `size` different questions evenly, with a fixed seed.

    Reads a JSON list, a text with one question a line, or XML of MedQuAD or LiveQA. Raises
    CommandError.
    """
    try:
        found = _questions_of(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = f"{path} can't be read as questions ({type(error).__name__})."
        raise CommandError(why) from error
    different = sorted({_SPACES.sub(" ", text).strip() for text in found} - {""})
    if not different:
        raise CommandError(f"{path}: no question was found in it.")
    drawn = np.sort(np.random.default_rng(0).permutation(len(different))[:size])
    return [different[place] for place in drawn]


def _questions_of(path: Path) -> list[str]:
    if path.suffix == ".json":
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [row["question"] if isinstance(row, dict) else str(row) for row in rows]
    if path.suffix == ".txt":
        return path.read_text(encoding="utf-8").splitlines()
    return list(texts_of(path, _QUESTIONS))


def texts_of(path: Path, elements: tuple[str, ...]) -> Iterator[str]:
    """Yield the text of each file in the order of their names; from XML only the named elements."""
    for name, content in _contents(path):
        suffix = Path(name).suffix.lower()
        if suffix in _TEXT:
            yield clean_text(content.decode("utf-8", "replace"))
        elif suffix in _XML:
            yield from _xml_texts(content, elements)


def passages_of(text: str) -> Iterator[tuple[str, ...]]:
    """Yield runs of whole sentences with at most PASSAGE_WORDS words together.

    Sentences of fewer than three or more than PASSAGE_WORDS words are left out.
    """
    passage: list[str] = []
    words = 0
    for start, end in sentence_spans(text):
        sentence = _SPACES.sub(" ", text[start:end]).strip()
        count = len(sentence.split())
        if not 3 <= count <= PASSAGE_WORDS:
            continue
        if words + count > PASSAGE_WORDS:
            yield tuple(passage)
            passage, words = [], 0
        passage.append(sentence)
        words += count
    if passage:
        yield tuple(passage)


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file():
                yield file.name, file.read_bytes()
    elif path.is_file() and tarfile.is_tarfile(path):
        yield from sorted(_members(path))
    elif path.is_file():
        yield path.name, path.read_bytes()
    else:
        raise CommandError(f"{path}: there is no such file or folder.")


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield files in the archive's own order: going back means decompressing it again."""
    with tarfile.open(path) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name, stream.read()


def _xml_texts(content: bytes, elements: tuple[str, ...]) -> Iterator[str]:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        return
    for element in [found for name in elements for found in root.iter(name)]:
        yield clean_text("".join(element.itertext()))


def _vectors(passages: tuple[tuple[str, ...], ...], embedder: Embedder, kept_in: Path) -> Vectors:
    texts = [" ".join(passage) for passage in passages]
    key = hashlib.sha256(json.dumps([embedder.fingerprint, texts]).encode()).hexdigest()[:16]
    path = kept_in / f"vectors-{key}.npy"
    if not path.exists():
        kept_in.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npy")
        np.save(part, embedder.encode(texts))
        part.rename(path)
    return np.asarray(np.load(path), dtype=np.float32)
