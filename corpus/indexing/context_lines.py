"""Have a language model write a context line for each passage, if one is configured.

The line is embedded and indexed before its passage and never quoted. The model is untrusted: it
sees passages as data between fresh markers, and an answer that is too long, has several lines, or
holds a number missing from the passage and its section is dropped. Lines are stored under the
SHA-256 of everything they depend on, so that none is requested twice. If the model doesn't answer,
the job fails rather than index other vectors than the settings promise.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from functools import partial
from pathlib import Path

from django.conf import settings

from core.errors import MedragError
from core.llm.client import LanguageModelUnavailable, ask_text
from core.llm.prompt_files import Prompt
from corpus.chunking import ChunkDraft, CountTokens
from corpus.indexing.leases import Lease
from corpus.models import ContextLine
from corpus.parsing.clean import clean_text

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "context_line_v1.txt",
    frozenset({"title", "section", "surroundings", "passage"}),
)
MAX_LINE_TOKENS = 40
NEIGHBOURS = 2  # passages shown on either side
MAX_AROUND_CHARS = 4000

DEADLINE_S = 120.0  # of a line, attempts and waits included
RETRIES = 2
CALL_LIMIT_S = DEADLINE_S + 30  # with what the machine needs when it is busy

_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)*|[¼½¾⅓⅔⅛]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|hundred|thousand|half|halve[ds]?|third|quarter|once|twice|double[ds]?|triple[ds]?)\b",
    re.IGNORECASE,
)


class ContextLineUnavailable(MedragError):
    """The language model gave no readable answer. Never holds text of a document."""

    code = "context_llm"

    def __init__(self, what: str, *, check: str, retryable: bool) -> None:
        super().__init__(
            f"The language model that writes context lines {what}. "
            "The lines written so far are kept.",
            hint=f"{check}, or remove [context] from MEDRAG_MODELS "
            "to index without such lines, then press Read again.",
            retryable=retryable,
        )


@dataclass(frozen=True)
class Shown:
    """What the model sees of a document."""

    title: str
    section: str
    surroundings: str
    passage: str

    def key(self) -> str:
        """Return 64 hexadecimal digits over everything that decides the line."""
        return hashlib.sha256(json.dumps([recipe(), *astuple(self)]).encode()).hexdigest()


def is_configured() -> bool:
    return bool(settings.MODELS.context.url)


def recipe() -> str:
    """Return prompt version and model for a fingerprint; empty where lines are off."""
    return f"{PROMPT.name} {settings.MODELS.context.model}" if is_configured() else ""


def with_lines(
    drafts: Sequence[ChunkDraft], *, title: str, count_tokens: CountTokens, lease: Lease
) -> list[ChunkDraft]:
    """Return the passages with their context lines, requesting those not stored yet.

    Call it outside a transaction. Raises ContextLineUnavailable and LeaseLost; lines received until
    then are kept.
    """
    shown = [_shown(drafts, place, title) for place in range(len(drafts))]
    keys = [passage.key() for passage in shown]
    lines = dict(ContextLine.objects.filter(pk__in=keys).values_list("pk", "line"))
    for done, (key, passage) in enumerate(zip(keys, shown, strict=True), start=1):
        if key not in lines:
            answer = lease.run(partial(ask, passage), limit_s=CALL_LIMIT_S)
            lines[key] = accepted(answer, passage, count_tokens)
            _keep(key, lines[key])
        lease.progress(done, len(drafts))
    return [
        _with_line(draft, lines[key], count_tokens) for draft, key in zip(drafts, keys, strict=True)
    ]


def accepted(answer: str, shown: Shown, count_tokens: CountTokens) -> str:
    """Return the answer as one line; empty where the passage doesn't support it."""
    lines = [line for line in clean_text(answer).splitlines() if line.strip()]
    line = " ".join(lines[0].split()).strip("\"'“”") if len(lines) == 1 else ""
    known = _numbers_in(f"{shown.title}\n{shown.section}\n{shown.passage}")
    if count_tokens(line) > MAX_LINE_TOKENS or not _numbers_in(line) <= known:
        return ""
    return line


def _numbers_in(text: str) -> set[str]:
    return {number.casefold() for number in _NUMBER.findall(text)}


def _keep(key: str, line: str) -> None:
    """Store a line; another attempt may have stored it already."""
    row = ContextLine(pk=key, line=line, model=settings.MODELS.context.model, prompt=PROMPT.name)
    ContextLine.objects.bulk_create([row], ignore_conflicts=True)


def ask(shown: Shown) -> str:
    """Return the model's answer unchecked. Raises ContextLineUnavailable."""
    prompt = PROMPT.filled(**asdict(shown))
    endpoint = replace(settings.MODELS.context, timeout_s=DEADLINE_S)
    try:
        return ask_text(endpoint, prompt=prompt, max_tokens=3 * MAX_LINE_TOKENS, retries=RETRIES)
    except LanguageModelUnavailable as error:
        raise ContextLineUnavailable(
            error.what, check=error.check, retryable=error.retryable
        ) from error


def _shown(drafts: Sequence[ChunkDraft], place: int, title: str) -> Shown:
    before = drafts[max(0, place - NEIGHBOURS) : place]
    after = drafts[place + 1 : place + 1 + NEIGHBOURS]
    return Shown(
        title=title,
        section=" > ".join(drafts[place].section_path),
        surroundings="\n\n".join(d.text for d in [*before, *after])[:MAX_AROUND_CHARS],
        passage=drafts[place].text,
    )


def _with_line(draft: ChunkDraft, line: str, count_tokens: CountTokens) -> ChunkDraft:
    if not line:
        return draft
    context = f"{draft.context}\n{line}"
    return replace(draft, context=context, tokens=count_tokens(f"{context}\n{draft.text}"))
