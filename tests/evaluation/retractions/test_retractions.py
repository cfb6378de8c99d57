"""A list of retractions compared with the corpus: alerts, announced once, and no withdrawal."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.models import Document, Lifecycle
from corpus.parsing import sniff
from corpus.publications import doi_named, pmid_named, publication_numbers
from evaluation.models import RetractionAlert, RetractionCheck
from evaluation.retractions.listing import ListUnreadable, read_list
from evaluation.retractions.services import is_check_due, retractions_check
from medrag_site.groups import AUDITORS, STAFF
from medrag_site.processes.background import announce_retraction
from tests.chat.guidelines import publish_guideline
from tests.corpus.stored import document_path
from tests.people import person
from tests.webhooks.receiver import Receiver
from webhooks.models import Delivery, Event

pytestmark = pytest.mark.django_db

WATCH = """Record ID,Title,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,\
Reason
1,One,10.1/r1,10.1000/ABC.1,0,Retraction,+Falsification of Data;+Duplication;
2,Two,10.1/r2,unavailable,12345,Retraction,+Error
3,Three,10.1/r3,10.1000/correct,777,Correction,+Error
4,Four,10.1/r4,10.1000/back,778,Reinstatement,
5,Five,10.1/r5,unavailable,0,Retraction,
"""
TODAY = timezone.localdate


@pytest.fixture
def watch(tmp_path: Path, settings: LazySettings) -> Path:
    path = tmp_path / "retractions.csv"
    path.write_text(WATCH)
    settings.RETRACTIONS_FILE = str(path)
    return path


def check() -> RetractionCheck | None:
    """Run the check as if earlier ones were on earlier days; return today's."""
    for number, each in enumerate(RetractionCheck.objects.order_by("day")):
        RetractionCheck.objects.filter(pk=each.pk).update(
            day=datetime.date(2020, 1, 1) + datetime.timedelta(days=number)
        )
    retractions_check(announce_retraction)
    return RetractionCheck.objects.filter(day=TODAY()).first()


def cited(title: str, address: str, **fields: Any) -> Document:
    return publish_guideline(title=title, source_url=address, picture=False, **fields)


def test_the_columns_of_retraction_watch(watch: Path) -> None:
    listed = read_list(watch)
    assert listed.reasons == {
        "doi:10.1000/abc.1": "Falsification of Data;+Duplication",
        "pmid:12345": "Error",
    }
    assert listed.left_out == 1


def test_a_text_has_a_number_a_line(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("# ours\n12345\nPMID: 678 # why\nhttps://doi.org/10.1000/X\n\nnothing\n")
    listed = read_list(path)
    assert set(listed.reasons) == {"pmid:12345", "pmid:678", "doi:10.1000/x"}
    assert listed.left_out == 1


def test_any_csv_with_a_column_of_numbers(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text('\ufeff"PMID","title"\n12345,"A, b"\n', encoding="utf-8")
    assert set(read_list(path).reasons) == {"pmid:12345"}


@pytest.mark.parametrize("content", ["", "title,year\nx,2020\n", None, "\x00\x01\n"])
def test_what_is_no_list_is_said(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "list.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ListUnreadable):
        read_list(path)


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("https://doi.org/10.1000/A(b).", "doi:10.1000/a(b)"),
        ("doi:10.1000/x;", "doi:10.1000/x"),
        ("unavailable", ""),
        ("10.1/x", ""),
    ],
)
def test_a_doi(text: str, doi: str) -> None:
    assert doi_named(text) == doi


@pytest.mark.parametrize(
    ("text", "pmid"), [(" 0012 ", "pmid:12"), ("0", ""), ("12a", ""), ("", "")]
)
def test_a_number_of_pubmed(text: str, pmid: str) -> None:
    assert pmid_named(text) == pmid


def test_numbers_of_a_record_are_those_of_its_file() -> None:
    document = cited("A", "https://pmc.ncbi.nlm.nih.gov/articles/PMC1/", media_type=sniff.JATS)
    record = (
        "<article><front><article-meta><article-id pub-id-type='doi'>10.1000/Q</article-id>"
        "<article-id pub-id-type='pmid'>99</article-id><title-group><article-title>T"
        "</article-title></title-group><abstract><p>Words.</p></abstract></article-meta></front>"
        "</article>"
    )
    document_path(document.sha256).write_text(record)
    assert publication_numbers(document) == {"doi:10.1000/q", "pmid:99"}
    document_path(document.sha256).write_text("no record")
    assert publication_numbers(document) == frozenset()
    document_path(document.sha256).unlink()
    document.source_url = "https://pubmed.ncbi.nlm.nih.gov/12345/"
    assert publication_numbers(document) == {"pmid:12345"}


def test_an_alert_begins_once_is_told_once_and_withdraws_nothing(watch: Path) -> None:
    Receiver(url="https://nowhere.example/").endpoint(Event.RETRACTED)
    first = cited("First", "https://doi.org/10.1000/abc.1")
    cited("Second", "https://pubmed.ncbi.nlm.nih.gov/12345/", lifecycle=Lifecycle.WITHDRAWN)
    cited("Third", "https://doi.org/10.1000/correct")
    looked = check()
    assert looked
    assert (looked.listed, looked.left_out, looked.documents, looked.found) == (2, 1, 2, 1)
    (alert,) = RetractionAlert.objects.all()
    assert (alert.document, alert.number) == (first, "doi:10.1000/abc.1")
    assert alert.reason == "Falsification of Data;+Duplication"
    retractions_check(announce_retraction)  # the same day
    check()  # the next
    assert RetractionAlert.objects.count() == 1
    (told,) = (json.loads(row.body) for row in Delivery.objects.all())
    assert told["type"] == "guideline.retracted"
    assert told["data"]["title"] == "First"
    assert told["data"]["number"] == "doi:10.1000/abc.1"
    first.refresh_from_db()
    assert first.lifecycle == Lifecycle.PUBLISHED


def test_an_alert_ends_with_its_document_or_its_entry_and_can_begin_again(watch: Path) -> None:
    document = cited("First", "https://doi.org/10.1000/abc.1")
    check()
    watch.write_text("pmid,doi\n5,\n")
    check()
    assert RetractionAlert.objects.get().ended_on == TODAY()
    watch.write_text(WATCH)
    check()
    assert RetractionAlert.objects.filter(ended_on=None).count() == 1
    Document.objects.filter(pk=document.pk).update(lifecycle=Lifecycle.WITHDRAWN)
    check()
    assert RetractionAlert.objects.filter(ended_on=None).count() == 0
    assert RetractionAlert.objects.count() == 2


def test_a_list_that_is_gone_changes_no_alert_and_is_said(watch: Path, client: Client) -> None:
    cited("First", "https://doi.org/10.1000/abc.1")
    check()
    watch.unlink()
    looked = check()
    assert looked
    assert looked.problem == "The list of retractions can't be read: No such file or directory."
    assert RetractionAlert.objects.filter(ended_on=None).count() == 1
    client.force_login(person("auditor", AUDITORS))
    page = client.get(reverse("admin:evaluation_quality")).content.decode()
    assert "First (2.1)</a> (Published): doi:10.1000/abc.1" in page
    assert "No such file or directory" in page


def test_it_is_due_once_a_day_where_a_list_is_set(watch: Path, settings: LazySettings) -> None:
    assert is_check_due()
    check()
    assert not is_check_due()
    settings.RETRACTIONS_FILE = ""
    RetractionCheck.objects.all().delete()
    assert not is_check_due()
    retractions_check(announce_retraction)
    assert not RetractionCheck.objects.exists()


@pytest.mark.parametrize("model", ["retractionalert", "retractioncheck"])
def test_the_administration_lists_them(watch: Path, client: Client, model: str) -> None:
    cited("First", "https://doi.org/10.1000/abc.1")
    check()
    client.force_login(person("auditor", AUDITORS))
    page = client.get(reverse(f"admin:evaluation_{model}_changelist"))
    assert page.status_code == 200
    assert "1 " in page.content.decode()
    assert client.get(reverse("admin:evaluation_quality")).status_code == 200


def test_staff_find_it_on_the_first_page(watch: Path, client: Client) -> None:
    cited("First", "https://doi.org/10.1000/abc.1")
    client.force_login(person("staff", STAFF))
    assert "list of retractions" not in client.get(reverse("admin:index")).content.decode()
    check()
    page = client.get(reverse("admin:index")).content.decode()
    address = reverse("admin:evaluation_retractionalert_changelist") + "?ended_on__isempty=1"
    assert f'href="{address}"' in page
    assert "on the list of retractions" in page
    assert "First" in client.get(address).content.decode()
