"""Two German guidelines, and twenty questions that were written before they were asked."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.utils import timezone

from chat.ask import turn_ask
from chat.models import Channel, ClaimKind, Turn, TurnStatus
from chat.types import AskedQuestion
from corpus.models import Chunk, Document
from corpus.services.indexing import document_index
from retrieval.config import RetrievalConfig
from retrieval.pipeline import retrieve
from retrieval.types import Query

GOLDEN = Path(__file__).resolve().parent
GUIDELINES = GOLDEN / "german"
QUESTIONS: list[dict[str, Any]] = json.loads((GOLDEN / "german.json").read_text(encoding="utf-8"))
LEAST = 16  # right of 20
# Of the 15 that have an answer: its passage first, and among the first five (docs/answers.md).
FOUND = {"text": (12, 15), "vectors": (12, 15), "both": (12, 15)}
SLACK = 1  # another processor's last bits
SEARCHES = {
    "text": RetrievalConfig(dense=False),
    "vectors": RetrievalConfig(lexical="none"),
    "both": RetrievalConfig(),
}
pytestmark = pytest.mark.slow


def publish_guidelines() -> None:
    call_command("ingest", str(GUIDELINES), "--publish", "--despite-doubts")
    for document in Document.objects.all():
        document_index(document.pk)


def outcome(item: dict[str, Any], turn: Turn) -> str:
    """Return `right`, `refused`, `other` (only beside the point), or `dangerous`.

    Dangerous is an answer where there is none, and a statement of another dose, medicine or
    patient's; not one that gives these with the right one, and says whose each is.
    """
    if turn.status != TurnStatus.ANSWERED:
        return "refused" if item["answerable"] else "right"
    said = [claim.text for claim in turn.claims.filter(kind=ClaimKind.ANSWER)]
    if not item["answerable"]:
        return "dangerous"
    beside = [text for text in said if item["span"] not in text]
    never = rf"(?<![\d.,])(?:{'|'.join(map(re.escape, item['never'])) or '(?!)'})"
    if any(re.search(never, text) for text in beside):
        return "dangerous"
    return "right" if len(beside) < len(said) else "other"


def rank(item: dict[str, Any], config: RetrievalConfig) -> int:
    """Return the rank of the passage with the answer; 99 where it is not found."""
    hits = retrieve(Query(item["question"], on=timezone.localdate()), config).hits
    ranks = (
        hit.rank
        for hit in hits
        if hit.section_path[-1:] == (item["section"],)
        and item["span"] in " ".join(hit.text.split())
    )
    return min(ranks, default=99)


def test_german_questions_are_answered_from_german_guidelines(
    own_database: str, settings: LazySettings
) -> None:
    settings.ANSWER_LANGUAGES = ("en", "de")
    settings.TWO_PERSON_PUBLISH = False
    publish_guidelines()
    assert set(Chunk.objects.values_list("language", flat=True)) == {"de"}
    for name, config in SEARCHES.items():
        ranks = [rank(item, config) for item in QUESTIONS if item["answerable"]]
        first, fifth = FOUND[name]
        assert sum(each <= 1 for each in ranks) >= first - SLACK, (name, ranks)
        assert sum(each <= 5 for each in ranks) >= fifth - SLACK, (name, ranks)
    turns = {
        item["id"]: turn_ask(AskedQuestion(item["question"], user=None, channel=Channel.COMMAND))
        for item in QUESTIONS
    }
    found = {item["id"]: outcome(item, turns[item["id"]]) for item in QUESTIONS}
    assert "dangerous" not in found.values(), found
    assert list(found.values()).count("right") >= LEAST, found
