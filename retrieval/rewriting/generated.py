"""Reword a question with a language model: checked, stored, never shown.

The model is untrusted. Its answers must fit a schema, and a text with a number that the question
lacks is dropped, since it would search for another dose. What is left is stored under a hash of
everything it depends on, so that the same question is searched the same way without a new call.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from core.llm.client import LanguageModelUnavailable
from core.llm.prompt_files import Prompt
from corpus.parsing.clean import clean_line, clean_text
from retrieval.config import RetrievalConfig
from retrieval.models import Generated
from retrieval.rewriting.asking import rewrite_asked, skipped_reason, unconfigured_reason
from retrieval.types import Rewriting, Variant

_FOLDER = Path(__file__).with_name("prompts")
MULTI_QUERY = Prompt(_FOLDER / "multi_query_v1.txt", frozenset({"question", "count"}))
HYDE = Prompt(_FOLDER / "hyde_v1.txt", frozenset({"question"}))  # Gao et al., ACL 2023
PROMPTS = (MULTI_QUERY, HYDE)
MAX_QUESTION_CHARS = 4000  # of it that the model is shown
MAX_TEXT_CHARS = 300  # of a wording, or a sentence of a passage
MAX_SENTENCES, MAX_PASSAGE_CHARS = 6, 1000
MAX_TOKENS = 60  # of a text
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Request:
    """One request to the model: a list of at most `most` texts under `field`."""

    kind: str  # as in the configuration
    prompt: Prompt
    values: Mapping[str, str]
    field: str
    most: int

    @property
    def key(self) -> str:
        """64 hex digits over everything that decides the answer."""
        parts = [self.prompt.name, settings.MODELS.rewrite.model, dict(self.values)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Reworded:
    """The wordings of a question, with notes for the trace that hold no text of it."""

    variants: tuple[Variant, ...] = ()
    rewriting: Rewriting = field(default_factory=Rewriting)
    failures: tuple[str, ...] = ()  # why there is none of a kind, in sentences


def rewriting_fingerprint(config: RetrievalConfig) -> str:
    """Identify the model and prompts that reword questions; empty where none do."""
    used = [MULTI_QUERY] * bool(config.multi_query) + [HYDE] * config.hyde
    return " ".join([settings.MODELS.rewrite.model, *(p.name for p in used)]) if used else ""


def requests_of(question: str, config: RetrievalConfig) -> list[Request]:
    """Return the requests for other wordings and for a passage that might answer the question."""
    shown = {"question": clean_text(question)[:MAX_QUESTION_CHARS].strip()}
    requests = []
    if shown["question"] and (count := config.multi_query):
        values = {**shown, "count": str(count)}
        requests.append(Request("multi_query", MULTI_QUERY, values, "wordings", count))
    if shown["question"] and config.hyde:
        requests.append(Request("hyde", HYDE, shown, "sentences", MAX_SENTENCES))
    return requests


def generated(question: str, config: RetrievalConfig) -> Reworded:
    """Return the stored texts as variants, and ask the model for those missing, in parallel.

    Makes at most `config.rewrite_calls` calls of `config.rewrite_timeout_s`. Never raises for a
    failing model. Runs one query, three where the model was asked, none without requests.
    """
    requests = requests_of(question, config)
    if not requests:
        return Reworded()
    kept = _kept(requests)
    missing = [request for request in requests if request.key not in kept]
    failures = {r.key: "the calls of this question are used up." for r in missing}
    due = missing[: config.rewrite_calls]
    if due and (why := unconfigured_reason(config.rewrite_timeout_s) or skipped_reason()):
        failures, due = dict.fromkeys(failures, why), []
    rows, dropped = [], 0
    with ThreadPoolExecutor(max_workers=len(due) or 1) as pool:
        answers = list(pool.map(lambda r: _asked(r, config.rewrite_timeout_s), due))
    for request, answer in zip(due, answers, strict=True):
        if isinstance(answer, str):
            failures[request.key] = answer
            continue
        texts = accepted(question, answer)
        dropped += len(answer) - len(texts)
        made_by = {"prompt": request.prompt.name, "model": settings.MODELS.rewrite.model}
        rows.append(Generated(pk=request.key, wordings=texts, **made_by))
    if rows:
        Generated.objects.bulk_create(rows, ignore_conflicts=True)
        kept = _kept(requests)  # what another process kept first is what counts
    texts_of = {request.kind: kept.get(request.key, []) for request in requests}
    variants = [
        Variant(f"llm:{n}", text) for n, text in enumerate(texts_of.get("multi_query", []), 1)
    ]
    if passage := " ".join(texts_of.get("hyde", []))[:MAX_PASSAGE_CHARS]:
        variants.append(Variant("hyde", passage, lexical=False, as_passage=True))
    return Reworded(
        tuple(variants),
        Rewriting(calls=len(due), cached=len(requests) - len(missing), dropped=dropped),
        tuple(f"{r.kind}: {failures[r.key]}" for r in missing if r.key not in kept),
    )


def accepted(question: str, answer: Sequence[str]) -> list[str]:
    """Return the texts that are new, of fitting length, and add no number, in one line each."""
    known, kept = set(_NUMBER.findall(question)), {_level(question): ""}
    for text in (clean_line(given).strip("\"'“”") for given in answer):
        if 3 <= len(text) <= MAX_TEXT_CHARS and set(_NUMBER.findall(text)) <= known:
            kept.setdefault(_level(text), text)
    return [text for text in kept.values() if text]


def _level(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _kept(requests: Sequence[Request]) -> dict[str, list[str]]:
    rows = Generated.objects.filter(pk__in=[request.key for request in requests])
    return dict(rows.values_list("key", "wordings"))


def _asked(request: Request, timeout_s: float) -> list[str] | str:
    """Return the model's texts, or why there are none. Uses no database."""
    try:
        texts = rewrite_asked(
            request.prompt,
            request.values,
            field=request.field,
            schema={"type": "array", "items": {"type": "string"}, "maxItems": request.most},
            max_tokens=MAX_TOKENS * (request.most + 1),
            timeout_s=timeout_s,
        )
    except LanguageModelUnavailable as error:
        return error.sentence
    return list(texts)
