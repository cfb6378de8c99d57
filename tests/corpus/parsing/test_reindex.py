"""Test which documents are out of date, and how they are read or cut again while searchable."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from corpus.encoders.registry import encoder_facts, get_embedder
from corpus.indexing import jobs, recipe, statistics
from corpus.models import Chunk, Collection, Document, Job, JobState, Lifecycle, ReadWith, Stage
from corpus.parsing import registry, sniff
from corpus.parsing.engines import ModelsMissing
from corpus.selectors import documents_stale
from corpus.services import embedding
from corpus.services.documents import document_reindex
from corpus.services.embedding import Made
from corpus.services.indexing import document_index
from medrag_site import doctor
from tests.corpora import publish
from tests.corpus.documents import derived, guideline, ingest
from tests.corpus.parsing.every_format import SAMPLES

pytestmark = pytest.mark.django_db


def indexed(text: str | bytes, filename: str = "g.md", **fields: str) -> Document:
    document = ingest(text, filename, **fields)
    document_index(document.pk)
    document.refresh_from_db()
    assert document.indexed_at is not None, document.job.last_error
    return document


def stale() -> dict[str, bool]:
    """Return the titles of documents that are out of date, and whether each must be read again."""
    return {d.title: d.must_be_read for d in documents_stale()}


def test_nothing_is_out_of_date_right_after_it_was_indexed() -> None:
    """For every type, the recorded engine must be the expected one."""
    for sample in SAMPLES.values():
        indexed(sample.content(), sample.filename, title=sample.filename)
    with CaptureQueriesContext(connection) as captured:
        assert stale() == {}
    assert len(captured) == 2


def test_a_document_is_out_of_date_for_each_thing_that_decides_its_passages(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = indexed(guideline(), title="Gentamicin")
    indexed(b"Plain text of some length.", "b.txt", title="Other")
    Document.objects.filter(pk=document.pk).update(version="9", issuer="Trust")
    assert stale() == {}
    with monkeypatch.context() as changed:
        markdown = replace(registry._FORMATS[sniff.MARKDOWN], engine="another", package="")
        changed.setitem(registry._FORMATS, sniff.MARKDOWN, markdown)
        assert stale() == {"Gentamicin": True}
    with monkeypatch.context() as changed:
        changed.setattr(recipe, "CHUNKER_VERSION", "another")
        assert stale() == {"Gentamicin": False, "Other": False}
    settings.CHUNK_TOKENS = 60
    assert stale() == {"Gentamicin": False, "Other": False}
    settings.CHUNK_TOKENS = 550
    assert stale() == {}
    Document.objects.filter(pk=document.pk).update(population="children")
    assert stale() == {"Gentamicin": False}
    Document.objects.filter(pk=document.pk).update(population="", language="de")
    assert stale() == {"Gentamicin": False}
    Document.objects.filter(pk=document.pk).update(language="en", title="Tobramycin")
    assert stale() == {"Tobramycin": False}
    Job.objects.filter(document=document).update(state=JobState.PENDING)
    assert stale() == {}


@pytest.mark.parametrize("language", ["en", "de", "de-AT", "sv"])
def test_python_and_the_database_make_the_same_fingerprint(language: str) -> None:
    title = "µg, ½ & “x” \\ %s"
    document = indexed(
        guideline(), title=title, population="adults\tof all ages", language=language
    )
    found = Document.objects.annotate(
        by_database=recipe.fingerprint_in_sql(recipe.site_recipe(encoder_facts()))
    ).get()
    by_python = recipe.fingerprint(document, recipe.site_recipe(encoder_facts()))
    assert by_python == document.index_fingerprint == found.by_database


def test_what_is_known_of_the_encoder_without_its_weights_is_true() -> None:
    embedder = get_embedder()
    facts = encoder_facts()
    assert (facts.fingerprint, facts.max_tokens) == (embedder.fingerprint, embedder.max_tokens)
    assert facts.max_tokens == 254


def searched() -> set[str]:
    found = Chunk.objects.filter(document__indexed_at__isnull=False)
    return set(found.values_list("context", flat=True))


def test_old_passages_are_found_until_all_new_ones_are_made_and_all_is_as_from_scratch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = indexed(guideline(sections=3), title="Old")
    old, read_at = searched(), list(document.pages.values_list("pk", flat=True))
    Document.objects.update(title="New")
    document_reindex(document, by=None, stage=Stage.PARSED)
    assert searched() == old
    encode, drift = embedding.passages_encode, statistics.drift
    between: list[tuple[set[str], bool]] = []

    def looked(*given: Any) -> Made:
        made = encode(*given)
        between.append((searched(), bool(drift())))
        return made

    monkeypatch.setattr("corpus.services.indexing.passages_encode", looked)
    document_index(document.pk)
    assert between == [(old, False)]
    assert not drift()
    assert searched() == {context.replace("Old", "New") for context in old}
    assert list(document.pages.values_list("pk", flat=True)) == read_at
    again = derived(document)
    document.refresh_from_db()
    document_reindex(document, by=None)
    document_index(document.pk)
    assert derived(document) == again
    assert list(document.pages.values_list("pk", flat=True)) != read_at


@pytest.mark.parametrize("command", [["--collection", "general"], ["--stale"]])
def test_a_question_is_answered_while_its_guideline_is_indexed_again(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = indexed("# Gentamicin\nGive 5 mg per kg of gentamicin once daily.")
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED, engine="older/0")
    call_command("reindex", *command)
    encode, said = embedding.passages_encode, []

    def asked(*given: Any) -> Made:
        made = encode(*given)
        capsys.readouterr()
        call_command("search", "gentamicin dose per kg")
        said.append(capsys.readouterr().out)
        said.append(next(f.detail for f in doctor.examine() if f.name == "documents"))
        return made

    monkeypatch.setattr("corpus.services.indexing.passages_encode", asked)
    document_index(document.pk)
    document.job.refresh_from_db()
    assert (document.job.state, document.job.last_error) == (JobState.DONE, "")
    assert "5 mg per kg" in said[0]
    assert "1 being read or waiting; what was read before answers meanwhile" in said[1]


def test_published_guidelines_that_nobody_finds_are_told() -> None:
    document = publish("# Gentamicin\nGive 5 mg per kg once daily.", indexed=False)
    found = {f.name: f for f in doctor.examine()}["documents"]
    assert "1 of 1 published are not searched yet" in found.detail
    Job.objects.filter(document=document).update(state=JobState.FAILED)
    assert {f.name: f for f in doctor.examine()}["documents"].ok is False


def test_encoders_that_change_meanwhile_leave_what_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of an attempt is kept whose vectors aren't those that are searched at its end."""
    document = indexed(guideline(sections=2), title="Old")
    before = derived(document)
    document_reindex(document, by=None, stage=Stage.STORED)
    encode, calls = embedding.passages_encode, []

    def without_vectors(*given: Any) -> Made:
        calls.append(searched())
        made = encode(*given)
        return replace(made, of_rows=()) if len(calls) == 1 else made

    monkeypatch.setattr("corpus.services.indexing.passages_encode", without_vectors)
    document_index(document.pk)
    assert len(calls) == 2
    assert calls[0] == calls[1]
    assert derived(document) == before


def test_a_file_that_can_no_longer_be_read_keeps_what_was_made_of_it(files_dir: Path) -> None:
    document = indexed(SAMPLES[sniff.PDF].content(), "a.pdf", title="Gentamicin")
    before = searched()
    assert before
    for path in (files_dir / "documents").rglob(document.sha256):
        path.write_bytes(b"%PDF-1.7\n" + b"\x00\xff garbage \n" * 50)
    document_reindex(document, by=None)
    for _ in range(3):
        document_index(document.pk)
    document.job.refresh_from_db()
    assert (document.job.state, searched()) == (JobState.FAILED, before)


def test_the_command_queues_what_is_out_of_date_and_reads_only_what_must_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cut, read = indexed(guideline("# A"), title="A"), indexed(b"Plain text.", "b.txt", title="B")
    indexed(guideline("# C"), "c.md", title="C")
    Document.objects.filter(pk=cut.pk).update(population="adult")
    Document.objects.filter(pk=read.pk).update(engine="plain-text/0")
    call_command("reindex", stale=True, dry_run=True)
    said = capsys.readouterr().out
    assert "1 to be parsed again, 1 to be cut and encoded again" in said
    assert not Job.objects.filter(state=JobState.PENDING).exists()
    call_command("reindex", stale=True)
    queued = Job.objects.filter(state=JobState.PENDING).values_list("document_id", "stage")
    assert dict(queued) == {cut.pk: Stage.PARSED, read.pk: Stage.STORED}
    for document in (cut, read):
        document_index(document.pk)
    call_command("reindex", stale=True)
    assert "0 documents are queued" in capsys.readouterr().out


def test_the_command_takes_names_and_collections(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = indexed(guideline("# A"), "a.md"), indexed(guideline("# B"), "b.md")
    other = Collection.objects.create(slug="renal", name="Renal")
    Document.objects.filter(pk=two.pk).update(collection=other)
    call_command("reindex", collection="renal", read_with="geometry")
    two.refresh_from_db()
    assert two.read_with == ReadWith.GEOMETRY
    assert (two.job.state, two.job.stage) == (JobState.PENDING, Stage.STORED)
    call_command("reindex", document=[one.sha256.upper()])
    assert Job.objects.filter(state=JobState.PENDING).count() == 2
    capsys.readouterr()
    call_command("reindex", document=[one.sha256])  # its job is waiting already
    assert "0 documents are queued" in capsys.readouterr().out
    for options, said in (
        ({}, "use --stale"),
        ({"document": ["0" * 64]}, "no document with the SHA-256 0000"),
        ({"collection": "nowhere"}, "no collection nowhere"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("reindex", **options)


def test_models_that_are_not_installed_are_not_promised(settings: Settings) -> None:
    settings.DOCLING_ARTIFACTS_PATH = ""
    document = indexed(guideline())
    with pytest.raises(ModelsMissing):
        document_reindex(document, by=None, read_with=ReadWith.MODELS)
    with pytest.raises(CommandError, match="DOCLING_ARTIFACTS_PATH"):
        call_command("reindex", document=[document.sha256], read_with="models")
    document.refresh_from_db()
    assert (document.read_with, document.job.state) == ("", JobState.DONE)


def test_a_job_tells_how_long_each_step_took() -> None:
    document = indexed(guideline(sections=5))
    timings = document.job.timings
    assert list(timings) and set(timings) <= set(jobs.TIMED)
    assert {"start", "parse", "chunk", "embed", "write", "finish"} <= set(timings)
    assert all(seconds >= 0 for seconds in timings.values())
    document_reindex(document, by=None, stage=Stage.PARSED)
    document_index(document.pk)
    document.job.refresh_from_db()
    assert "parse" not in document.job.timings
    assert "embed" in document.job.timings
