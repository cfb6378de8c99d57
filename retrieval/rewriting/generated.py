"""Reword a question with a language model: checked, stored, never shown.

The model is untrusted. Its answers must fit a schema, and a wording with a number that the question
lacks is dropped, since it would search for another dose. Accepted answers are stored under a hash
of everything they depend on, so that the same question is searched the same way without a new call.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from core.llm.client import LanguageModelUnavailable
from core.llm.prompt_files import Prompt
from corpus.parsing.clean import clean_line, clean_text
from retrieval.config import MAX_WORDINGS, RetrievalConfig
from retrieval.models import Generated
from retrieval.rewriting.asking import rewrite_asked, skipped_reason, unconfigured_reason

_FOLDER = Path(__file__).with_name("prompts")
MULTI_QUERY = Prompt(_FOLDER / "multi_query_v1.txt", frozenset({"question", "count"}))
HYDE = Prompt(_FOLDER / "hyde_v1.txt", frozenset({"question"}))  # Gao et al., ACL 2023
PROMPTS = (MULTI_QUERY, HYDE)

MAX_QUESTION_CHARS = 4000  # of it that the model is shown
MAX_WORDING_CHARS = 300
MAX_SENTENCES, MAX_PASSAGE_CHARS = 6, 1000

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Request:
    """One request to the model: a list of texts under `field`."""

    kind: str
    prompt: Prompt
    values: Mapping[str, str]
    field: str
    max_items: int
    max_tokens: int
    accepted: Callable[[str, Sequence[str]], list[str]]

    @property
    def key(self) -> str:
        """64 hex digits over everything that decides the answer."""
        parts = [self.prompt.name, settings.MODELS.rewrite.model, dict(self.values)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def dropped(self, answer: Sequence[str], accepted: Sequence[str]) -> int:
        """Count the texts of the answer, wordings or the one passage, that were rejected."""
        given = len(answer) if self.prompt is MULTI_QUERY else 1
        return given - len(accepted)


@dataclass(frozen=True)
class Outcome:
    """Accepted texts by kind, with counts of calls, cache hits and rejected texts."""

    texts: Mapping[str, Sequence[str]]
    calls: int = 0
    cached: int = 0
    dropped: int = 0
    failures: tuple[str, ...] = ()


def rewriting_fingerprint(config: RetrievalConfig) -> str:
    """Identify the model and prompts that reword questions; empty where none do."""
    used = [MULTI_QUERY] * bool(config.multi_query) + [HYDE] * config.hyde
    return " ".join([settings.MODELS.rewrite.model, *(p.name for p in used)]) if used else ""


def wordings_request(question: str, count: int) -> Request:
    """Request other wordings of the question, `MAX_WORDINGS` at most."""
    count = min(count, MAX_WORDINGS)
    values = {"question": _shown(question), "count": str(count)}
    return Request(
        "multi_query", MULTI_QUERY, values, "wordings", count, 60 + 60 * count, accepted_wordings
    )


def passage_request(question: str) -> Request:
    """Request a passage that might answer the question, as sentences."""
    values = {"question": _shown(question)}
    return Request("hyde", HYDE, values, "sentences", MAX_SENTENCES, 300, accepted_passage)


def generated(requests: Sequence[Request], *, calls: int, deadline_s: float) -> Outcome:
    """Return stored texts, and ask the model for those missing.

    Makes at most `calls` parallel calls, none past the deadline. Never raises for a failing model.
    Runs one query, three where the model was asked, none without requests.
    """
    if not requests:
        return Outcome({})
    kept = _kept(requests)
    missing = [request for request in requests if request.key not in kept]
    due, failures = _due(missing, calls, deadline_s)
    answers = _answers(due, deadline_s, failures)
    accepted = {
        r.key: r.accepted(r.values["question"], answers[r.key]) for r in due if r.key in answers
    }
    if accepted:
        _keep(due, accepted)
        kept = _kept(requests)  # what another process kept first is what counts
    return Outcome(
        texts={r.kind: kept[r.key] for r in requests if r.key in kept},
        calls=len(due),
        cached=len(requests) - len(missing),
        dropped=sum(r.dropped(answers[r.key], accepted[r.key]) for r in due if r.key in accepted),
        failures=tuple(failures),
    )


def accepted_wordings(question: str, answer: Sequence[str]) -> list[str]:
    """Return the wordings that are new, of fitting length, and add no number."""
    known, seen = set(_NUMBER.findall(question)), {_level(question)}
    kept = []
    for wording in (clean_line(text).strip("\"'“”") for text in answer):
        fits = 3 <= len(wording) <= MAX_WORDING_CHARS
        if fits and set(_NUMBER.findall(wording)) <= known and _level(wording) not in seen:
            seen.add(_level(wording))
            kept.append(wording)
    return kept


def accepted_passage(question: str, answer: Sequence[str]) -> list[str]:
    """Return one passage made of the sentences that add no number, or nothing."""
    known = set(_NUMBER.findall(question))
    sentences = [clean_line(text) for text in answer]
    kept = [said for said in sentences if said and set(_NUMBER.findall(said)) <= known]
    passage = " ".join(kept)[:MAX_PASSAGE_CHARS]
    return [passage] if len(passage) >= 20 else []


def _shown(question: str) -> str:
    return clean_text(question)[:MAX_QUESTION_CHARS].strip()


def _level(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _kept(requests: Sequence[Request]) -> dict[str, list[str]]:
    rows = Generated.objects.filter(pk__in=[request.key for request in requests])
    return dict(rows.values_list("key", "wordings"))


def _keep(requests: Sequence[Request], accepted: Mapping[str, list[str]]) -> None:
    rows = [
        Generated(
            pk=request.key,
            wordings=accepted[request.key],
            prompt=request.prompt.name,
            model=settings.MODELS.rewrite.model,
        )
        for request in requests
        if request.key in accepted
    ]
    Generated.objects.bulk_create(rows, ignore_conflicts=True)


def _due(
    missing: Sequence[Request], calls: int, deadline_s: float
) -> tuple[Sequence[Request], list[str]]:
    """Return the requests to send, and for the others why they are not."""
    nobody = unconfigured_reason(deadline_s)
    due: list[Request] = []
    failures: list[str] = []
    for place, request in enumerate(missing):
        used_up = "the calls of this question are used up." if place >= calls else ""
        if why := nobody or used_up or skipped_reason():
            failures.append(f"{request.kind}: {why}")
        else:
            due.append(request)
    return due, failures


def _answers(
    due: Sequence[Request], deadline_s: float, failures: list[str]
) -> dict[str, list[str]]:
    """Ask the model in parallel; return texts by key and add reasons to `failures`."""
    if not due:
        return {}
    with ThreadPoolExecutor(max_workers=len(due)) as pool:
        results = list(pool.map(lambda request: _asked(request, deadline_s), due))
    failures += [f"{r.kind}: {a}" for r, a in zip(due, results, strict=True) if isinstance(a, str)]
    return {r.key: a for r, a in zip(due, results, strict=True) if not isinstance(a, str)}


def _asked(request: Request, deadline_s: float) -> list[str] | str:
    """Return the model's texts, or why there are none. Uses no database."""
    try:
        texts = rewrite_asked(
            request.prompt,
            request.values,
            field=request.field,
            schema={"type": "array", "items": {"type": "string"}, "maxItems": request.max_items},
            max_tokens=request.max_tokens,
            timeout_s=deadline_s,
        )
    except LanguageModelUnavailable as error:
        return error.sentence
    return list(texts)
