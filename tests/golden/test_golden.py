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

from chat.applicability import applicability
from chat.calibration_records import gate_in_use
from chat.conflicts import conflicts
from chat.generation.extractive import ExtractiveGenerator
from chat.generation.types import Task
from chat.looking import Looks, look
from chat.models import Channel, Mode, Turn, TurnStatus
from chat.omissions import omitted
from chat.services import turn_ask
from chat.types import DraftClaim
from chat.verification.verify import verify
from corpus.chunking import ChunkSettings, Strategy, split
from corpus.encoders.registry import get_embedder
from corpus.intake import People
from corpus.manifest import read_manifest
from corpus.manifest_ingest import manifest_ingest
from corpus.models import Document, Job, JobState, Page
from corpus.services.indexing import document_index
from corpus.services.rows import pages_of
from retrieval.configured import site_config
from retrieval.types import Hit, Query
from tests.corpus.llm_server import endpoint, says
from tests.corpus.passages import check_passages
from tests.databases import fresh_database
from tests.llm.contents import Known, informed
from tests.llm.sites import ask, generate_by
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


@pytest.fixture(scope="module", autouse=True)
def judge() -> Iterator[None]:
    """One that has nothing against any answer: the mode `confident` asks for a judge."""
    said = json.dumps({"coverage": 1, "in_scope": True, "contradicts": False})
    with endpoint(says(said)) as judging:
        settings.JUDGE_LLM_URLS, settings.JUDGE_LLM_MODELS = [judging.url], ["judge-1"]
        yield
        settings.JUDGE_LLM_URLS = settings.JUDGE_LLM_MODELS = []


@cache
def asked(question: str, mode: str = Mode.CONFIDENT_LITE) -> Turn:
    return turn_ask(question, user=None, channel=Channel.COMMAND, mode=mode)


def quotes(turn: Turn) -> list[Any]:
    return [citation for claim in turn.claims.all() for citation in claim.citations.all()]


def one_line(text: str) -> str:
    return " ".join(text.split())


def failure(item: Item, mode: str) -> str:
    """What is wrong with the outcome of a question; empty where nothing is."""
    return failure_of(item, asked(item["question"], mode))


# The reading is learned on real guidelines, and of our own samples it misses these. The test fails
# when one is answered rightly again, so that it leaves this list.
MISSED = {
    "q-004": "refused: the reader takes the row on hips for the better one",
    "q-015": "refused: the reader is not sure enough",
    "q-018": "refused: the reader is not sure enough of the right paragraph",
    "q-027": "refused: the statement with the dose stands second",
    "q-028": "answered by the drug's row on onset, which has no dose",
    "q-038": "answered by a row that does not name dialysis",
    "q-041": "refused: second choices of several groups stand side by side",
    "q-042": "refused: the reader is not sure enough",
    "q-068": "answered from what is in force, which has no linctus",
}


def expected() -> list[Any]:
    """Each golden question; those that are known to be missed are expected to fail."""
    return [
        pytest.param(
            item,
            id=item["id"],
            marks=pytest.mark.xfail(reason=MISSED[item["id"]], strict=True)
            if item["id"] in MISSED
            else (),
        )
        for item in questions("questions.json")
    ]


def failure_of(item: Item, turn: Turn) -> str:
    if not item["answerable"]:
        got = (turn.status, turn.reason)
        wanted = (TurnStatus.ABSTAINED, item["reason"])
        return "" if got == wanted else f"{got} instead of {wanted}"
    if turn.status != TurnStatus.ANSWERED:
        return f"refused: {turn.reason} at {turn.confidence} " + json.dumps(
            [[v["failed"], v["detail"]] for v in turn.trace.get("verdicts", [])]
        )
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


@pytest.mark.parametrize("mode", Mode.values)
@pytest.mark.parametrize("item", expected())
def test_question(item: Item, mode: str) -> None:
    assert not failure(item, mode), item["question"]


@pytest.mark.parametrize("mode", Mode.values)
def test_questions_answered_by_a_language_model(settings: LazySettings, mode: str) -> None:
    """By one that knows where the answer stands and is honest: no sound claim is thrown away."""
    items = [item for item in questions("questions.json") if item["id"] not in MISSED]
    titles = dict(Document.objects.values_list("filename", "title"))
    known = {
        item["question"]: Known(item["span"], tuple(titles[name] for name in item["documents"]))
        for item in items
        if item["answerable"]
    }
    settings.MODE = mode
    with endpoint(replies(informed(known))) as writer:
        generate_by(settings, writer.url)
        turns = [(item, ask(item["question"])) for item in items]
    failed = {item["id"]: what for item, turn in turns if (what := failure_of(item, turn))}
    assert not failed, json.dumps(failed, indent=1)
    assert len(writer.asked) == len(known), "the gate lets no other question through"


@pytest.mark.parametrize("mode", Mode.values)
def test_development_questions(mode: str) -> None:
    items = questions("development.json")
    failed = {item["id"]: what for item in items if (what := failure(item, mode))}
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


@cache
def answered(question: str) -> tuple[tuple[DraftClaim, ...], tuple[Hit, ...]]:
    """The claims that stand and the passages that passed the gate; none where it is shut."""
    looks = Looks(site_config())
    looks.gate = gate_in_use(looks.config)
    decision = look(Query(question, on=TODAY), looks.gate, looks)
    if decision.reason:
        return (), ()
    made = (
        ExtractiveGenerator()
        .generate(Task(question, decision.passages, (), decision.reading.statements))
        .claims
    )
    standing = tuple(verdict.claim for verdict in verify(made) if verdict.supported)
    return standing, decision.passages


def all_questions() -> list[str]:
    items = [*questions("questions.json"), *questions("development.json")]
    return [item["question"] for item in items]


def test_the_one_disagreement_of_the_samples_is_told_and_no_other() -> None:
    """Northfield rechecks the glucose after 15 minutes, Eastvale after 10."""
    told = {
        frozenset((conflict.ours.text[:60], conflict.theirs.text[:60]))
        for question in all_questions()
        for conflict in conflicts(*answered(question), question)
    }
    assert told == {
        frozenset(
            f"2. Recheck the capillary blood glucose {minutes} minutes after treatment."[:60]
            for minutes in (10, 15)
        )
    }


def test_no_answer_is_for_other_people_than_the_question() -> None:
    told = [
        (question, found.mismatch)
        for question in all_questions()
        if (found := applicability(question, answered(question)[0])).mismatch
    ]
    assert told == []


def test_each_limit_that_is_added_is_verbatim_and_of_the_same_section_or_next_to_it() -> None:
    added = {q: omitted(*answered(q), question=q) for q in all_questions()}
    assert all(v.supported for claims in added.values() for v in verify(claims))
    said = {
        question: " ".join(claim.text for claim in claims) for question, claims in added.items()
    }
    assert (
        "previous allergic reaction"
        in said["Can I give gentamicin to someone with myasthenia gravis?"]
    )
    assert "Intracranial haemorrhage" in said["What is the maximum dose of alteplase in stroke?"]
    assert (
        "as an intravenous bolus"
        in said["What is the maximum rate of intravenous potassium on a general ward?"]
    )
    assert sum(bool(claims) for claims in added.values()) < len(added) / 3
