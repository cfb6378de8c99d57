"""The sample guidelines through the real services, and every question with a known outcome."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from pytest_django import DjangoDbBlocker

from chat.models import Channel, Mode, Turn, TurnStatus
from chat.services import turn_ask
from corpus.chunking import ChunkSettings, Strategy, split
from corpus.encoders.registry import get_embedder
from corpus.intake import People
from corpus.manifest import read_manifest
from corpus.manifest_ingest import manifest_ingest
from corpus.models import Document, Job, JobState, Page
from corpus.services.indexing import document_index
from corpus.services.rows import pages_of
from tests.corpus.llm_server import endpoint
from tests.corpus.passages import check_passages
from tests.databases import fresh_database
from tests.llm.contents import Known, informed
from tests.llm.judges import fair, judging
from tests.llm.sites import ask, generate_by, judge_by
from tests.llm.transport import replies

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).resolve().parent
TODAY = datetime.date(2026, 5, 1)
# Questions that weights may be set on, so each is not a promise: the share that must hold.
DEVELOPMENT_SHARE = 0.85

Item = dict[str, Any]


def questions(name: str) -> list[Item]:
    items: list[Item] = json.loads((GOLDEN / name).read_text())
    return items


@pytest.fixture(scope="module", autouse=True)
def samples(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """A database of this module's own, with all samples ingested and in their place in life."""
    before = settings.FILES_DIR, settings.MEDIA_ROOT
    settings.FILES_DIR = settings.MEDIA_ROOT = tmp_path_factory.mktemp("files")
    with django_db_blocker.unblock(), fresh_database(socket_dir):
        manifest = read_manifest(ROOT / "samples" / "manifest.json")
        outcome = manifest_ingest(manifest, people=People(), today=TODAY)
        assert not outcome.refused
        for document in outcome.added:
            document_index(document.pk)
        settings.FILES_DIR, settings.MEDIA_ROOT = before
        asked.cache_clear()
        yield


@cache
def asked(question: str) -> Turn:
    return turn_ask(question, user=None, channel=Channel.COMMAND)


def quotes(turn: Turn) -> list[Any]:
    return [citation for claim in turn.claims.all() for citation in claim.citations.all()]


def one_line(text: str) -> str:
    return " ".join(text.split())


def failure(item: Item, turn: Turn | None = None) -> str:
    """What is wrong with the outcome of a question; empty where nothing is."""
    turn = turn or asked(item["question"])
    if not item["answerable"]:
        got = (turn.status, turn.reason)
        wanted = (TurnStatus.ABSTAINED, item["reason"])
        return "" if got == wanted else f"{got} instead of {wanted}"
    if turn.status != TurnStatus.ANSWERED:
        return f"refused: {turn.reason} at {turn.confidence}"
    names = dict(Document.objects.values_list("pk", "filename"))
    for citation in quotes(turn):
        right = names[citation.document_id] in item["documents"]
        if right and citation.page == item["page"] and item["span"] in one_line(citation.quote):
            return ""
    return f"not cited; said: {[claim.text[:120] for claim in turn.claims.all()]}"


def test_every_sample_is_ingested() -> None:
    names = {path.name for path in (ROOT / "samples" / "guidelines").iterdir()}
    assert set(Document.objects.values_list("filename", flat=True)) == names
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.DONE.value}
    assert not Document.objects.filter(indexed_at=None).exists()


@pytest.mark.parametrize("item", questions("questions.json"), ids=lambda item: item["id"])
def test_question(item: Item) -> None:
    assert not failure(item), item["question"]


@pytest.mark.parametrize("mode", Mode.values)
def test_questions_answered_by_a_language_model(settings: LazySettings, mode: str) -> None:
    """By one that knows where the answer stands and is honest: no sound claim is thrown away."""
    items = questions("questions.json")
    titles = dict(Document.objects.values_list("filename", "title"))
    known = {
        item["question"]: Known(item["span"], tuple(titles[name] for name in item["documents"]))
        for item in items
        if item["answerable"]
    }
    with (
        endpoint(replies(informed(known))) as writer,
        endpoint(replies(judging(fair))) as judge,
    ):
        generate_by(settings, writer.url)
        judge_by(settings, judge.url)
        settings.VERIFIER = "guards"
        settings.MODE = mode
        turns = [(item, ask(item["question"])) for item in items]
    failed = {item["id"]: what for item, turn in turns if (what := failure(item, turn))}
    assert not failed, json.dumps(failed, indent=1)
    assert len(writer.asked) == len(known), "the gate lets no other question through"
    assert bool(judge.asked) == (mode == Mode.CONFIDENT)


def test_development_questions() -> None:
    items = questions("development.json")
    failed = {item["id"]: what for item in items if (what := failure(item))}
    share = 1 - len(failed) / len(items)
    assert share >= DEVELOPMENT_SHARE, json.dumps(failed, indent=1)


def test_however_the_samples_are_cut_nothing_is_lost() -> None:
    count_tokens = get_embedder().count_tokens
    wanted = ChunkSettings(550, 125)
    for sizes in (
        wanted.bounded(254),
        wanted,
        replace(wanted, strategy=Strategy.CHARACTERS),
    ):
        for document in Document.objects.all():
            pages = pages_of(document)
            found = split(
                pages,
                title=document.title,
                population=document.population,
                sha256=document.sha256,
                settings=sizes,
                count_tokens=count_tokens,
            )
            check_passages(
                found, pages, title=document.title, settings=sizes, count_tokens=count_tokens
            )


def test_every_quote_stands_verbatim_on_a_page_in_force() -> None:
    for item in [*questions("questions.json"), *questions("development.json")]:
        for citation in quotes(asked(item["question"])):
            page = Page.objects.get(document=citation.document_id, number=citation.page)
            assert page.text[citation.start : citation.end] == citation.quote
            assert citation.quote.strip()
            assert citation.document.in_force(TODAY), item["question"]


def test_no_row_of_another_range_is_shown() -> None:
    """A wrong row of a dosing table is the gravest answer that there could be."""
    for clearance, right, wrong in (
        (75, "Every 24 hours", ("Every 36 hours", "Every 48 hours")),
        (45, "Every 36 hours", ("Every 24 hours", "Every 48 hours")),
        (25, "Every 48 hours", ("Every 24 hours", "Every 36 hours")),
    ):
        turn = asked(f"What is the gentamicin interval at a clearance of {clearance} mL/min?")
        said = " ".join(claim.text for claim in turn.claims.all())
        assert right in said
        assert not any(other in said for other in wrong), said


@pytest.mark.parametrize(
    "question",
    [
        "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?",
        "What is the boiling point of tungsten?",
        "When is quinine contraindicated?",
    ],
)
def test_asking_twice_gives_the_same(question: str) -> None:
    first, second = asked(question), turn_ask(question, user=None, channel=Channel.COMMAND)
    assert first.pk != second.pk
    assert outcome_of(first) == outcome_of(second)


def outcome_of(turn: Turn) -> dict[str, Any]:
    places = [(c.index, c.chunk_key, c.page, c.start, c.end, c.quote) for c in quotes(turn)]
    claims = [(claim.index, claim.text, claim.population) for claim in turn.claims.all()]
    names = "status reason confidence fingerprint nearest owner".split()
    return {name: getattr(turn, name) for name in names} | {"claims": claims, "places": places}
