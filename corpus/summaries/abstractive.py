"""Have a language model summarise sections, if one is configured.

A summary is embedded, to find the section by, and never shown or quoted. The model is untrusted: it
sees text as data between fresh markers, and an answer that is unreadable, too long, or holds a
number missing from the section is replaced by the extractive summary. Readable answers are stored
under the SHA-256 of everything they depend on, so that none is requested twice.
"""

from __future__ import annotations

import logging
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from django.conf import settings

from core.llm.client import LanguageModelUnavailable, ask_json
from core.llm.prompt_files import Prompt
from corpus.indexing.context_lines import keep, key_of, numbers_in
from corpus.models import ContextLine
from corpus.parsing.clean import clean_line

logger = logging.getLogger(__name__)

PROMPT = Prompt(
    Path(__file__).with_name("prompts") / "section_summary_v1.txt",
    frozenset({"title", "section", "text"}),
)
MAX_SHOWN_CHARS = 12_000  # some 3,000 tokens of a section
MAX_WORDS = 160  # of an answer: a third more than it is asked for
CALL_LIMIT_S = 60.0
_SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Shown:
    """What the model sees of a document."""

    title: str
    section: str
    text: str

    def key(self) -> str:
        """Return 64 hexadecimal digits over everything that decides the summary."""
        return key_of(PROMPT.name, settings.MODELS.rewrite.model, *astuple(self))


def written(shown: Shown) -> str:
    """Return the stored or requested summary; empty where none was supported or readable.

    An answer of the wrong form or cut off is not stored: another may be better. Raises
    LanguageModelUnavailable if the model can't be reached. Call it outside a transaction.
    """
    kept = ContextLine.objects.filter(pk=shown.key()).values_list("line", flat=True).first()
    if kept is not None:
        return kept
    endpoint = replace(settings.MODELS.rewrite, timeout_s=CALL_LIMIT_S)
    prompt = PROMPT.filled(
        title=shown.title, section=shown.section, text=shown.text[:MAX_SHOWN_CHARS]
    )
    try:
        answer = ask_json(endpoint, prompt=prompt, schema=_SCHEMA, name="summary")
    except LanguageModelUnavailable as error:
        if not error.answered:
            raise
        logger.warning("The language model %s; a summary is extractive.", error.what)
        return ""
    summary = accepted(str(answer["summary"]), shown)
    keep(shown.key(), summary, model=settings.MODELS.rewrite.model, prompt=PROMPT)
    return summary


def accepted(answer: str, shown: Shown) -> str:
    """Return the answer as one line; empty where it is too long or not supported by the section."""
    summary = clean_line(answer)
    known = numbers_in(f"{shown.title}\n{shown.section}\n{shown.text}")
    if len(summary.split()) > MAX_WORDS or not numbers_in(summary) <= known:
        return ""
    return summary
