"""What goes at a library's source is withdrawn within a limit, if the file of sources says so."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.urls import reverse
from pytest_django import Settings

from chat.models import AuditEvent
from corpus.models import Collection, Document, Lifecycle, Source
from corpus.sources.specs import SourceSpec
from medrag_site.groups import PUBLISHERS, STAFF
from tests.chat.audit.test_forwarding import tls  # noqa: F401  a fixture
from tests.corpora import shelf
from tests.corpus.admin.test_admin import member
from tests.corpus.sources.graph_server import GraphServer, played
from tests.corpus.sources.test_libraries import APPROVED, library_of
from tests.corpus.sources.watched import look, rows
from tests.people import narrow
from tests.site.test_start_page import waiting

pytestmark = pytest.mark.django_db
FILES = 40


@pytest.fixture
def graph(tls: ssl.SSLContext) -> Iterator[GraphServer]:  # noqa: F811
    with played(tls) as server:
        for number in range(FILES):
            server.put(f"I{number}", f"{number}.md", f"Number {number}", fields=APPROVED)
        yield server


@pytest.fixture
def spec(graph: GraphServer, tmp_path: Path, settings: Settings) -> SourceSpec:
    """Watch forty files, whose documents are in force."""
    found = library_of(graph, tmp_path, on_delete="withdraw")
    settings.SOURCES = (found,)
    assert look(found).fault == ""
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    return found


def withdrawn() -> int:
    return Document.objects.filter(lifecycle=Lifecycle.WITHDRAWN).count()


def test_few_are_withdrawn_and_recalled(graph: GraphServer, spec: SourceSpec) -> None:
    graph.delete("I0", "I1")
    source = look(spec)
    assert (source.asks, withdrawn()) == ("", 2)
    document = Document.objects.filter(lifecycle=Lifecycle.WITHDRAWN).earliest("pk")
    assert document.withdrawn_reason == "Its file was removed from its source, trust."
    assert AuditEvent.objects.filter(action="document.withdrawn").count() == 2


def test_more_than_a_tenth_at_once_is_asked(
    graph: GraphServer, spec: SourceSpec, alice: User
) -> None:
    graph.delete(*(f"I{number}" for number in range(5)))
    source = look(spec)
    asked = "5 of 40 files went at once, so 5 guidelines in force whose files are gone were"
    assert source.asks.startswith(asked)
    assert withdrawn() == 0
    graph.delete("I9")  # the next round has its own limit, and does not answer
    assert look(spec).asks.startswith(asked)
    assert withdrawn() == 1

    staff = member(alice, STAFF)
    page = reverse("admin:corpus_source_change", args=[source.pk])
    answer = reverse("admin:corpus_source_answer", args=[source.pk])
    assert asked in staff.get(page).content.decode()
    assert "Withdraw what is gone" not in staff.get(page).content.decode()
    staff.post(answer, {"withdraw": "yes", "asked": source.asks})
    assert withdrawn() == 1
    publisher = member(alice, STAFF, PUBLISHERS)
    assert asked in publisher.get(reverse("admin:index")).content.decode()
    assert "Withdraw what is gone" in publisher.get(page).content.decode()
    assert publisher.get(answer).status_code == 403
    publisher.post(answer, {"withdraw": "yes", "asked": "4 guidelines, as an old page has it."})
    assert withdrawn() == 1
    publisher.post(answer, {"withdraw": "yes", "asked": source.asks})
    assert (withdrawn(), Source.objects.get().asks) == (6, "")
    assert look(spec).asks == ""


def test_what_is_kept_is_told_no_more(graph: GraphServer, spec: SourceSpec, alice: User) -> None:
    graph.delete(*(f"I{number}" for number in range(21)))
    source = look(spec)
    publisher = member(alice, STAFF, PUBLISHERS)
    answer = reverse("admin:corpus_source_answer", args=[source.pk])
    assert waiting(publisher)["gone"] == 21
    publisher.post(answer, {"withdraw": "", "asked": source.asks})
    assert waiting(publisher)["gone"] == withdrawn() == 0
    assert Source.objects.get().asks == ""
    event = AuditEvent.objects.get(action="source.settled")
    assert event.payload == '{"settled":"kept","source":"trust"}'
    graph.move("I0", is_deleted=False)
    look(spec)
    graph.delete("I0")
    look(spec)  # gone again is told again
    assert withdrawn() == 1


def test_a_file_is_settled_alone(graph: GraphServer, spec: SourceSpec, alice: User) -> None:
    graph.move("I1", name="renamed.md")
    source = look(spec)
    client = member(alice, STAFF, PUBLISHERS)
    page = reverse("admin:corpus_source_change", args=[source.pk])
    assert waiting(client)["moved"] == 1
    assert "Moved or renamed, before 1.md" in client.get(page).content.decode()
    row = rows()["b!drive1/I1"]
    document = reverse("admin:corpus_document_change", args=[row.documents.get().pk])
    told = client.get(document).content.decode()
    assert "author Adele Vance" in told
    assert "owner Renal team" in told
    settle = reverse("admin:corpus_source_settle", args=[source.pk, row.pk])
    member(alice, STAFF).post(settle)
    assert waiting(client)["moved"] == 1
    client = member(alice, STAFF, PUBLISHERS)
    client.post(settle)
    assert waiting(client)["moved"] == 0
    assert AuditEvent.objects.filter(action="source.settled").count() == 1


def test_what_stands_elsewhere_stays(graph: GraphServer, spec: SourceSpec) -> None:
    graph.put("COPY", "copy.md", "Number 0", fields=APPROVED)
    look(spec)
    graph.delete("I0")
    assert look(spec).asks == ""
    assert withdrawn() == 0


def test_what_is_asked_counts_all_that_a_yes_withdraws(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.delete(*(f"I{number}" for number in range(5)))
    look(spec)
    graph.delete(*(f"I{number}" for number in range(5, 11)))
    assert look(spec).asks.startswith("6 of 35 files went at once, so 11 guidelines")


def test_a_document_of_another_collection_is_not_the_sources_to_withdraw(
    graph: GraphServer, spec: SourceSpec
) -> None:
    other = Collection.objects.create(name="Other", slug="other")
    Document.objects.filter(title="0").update(collection=other)
    graph.delete("I0", "I1")
    assert (look(spec).asks, withdrawn()) == ("", 1)
    assert Document.objects.get(collection=other).lifecycle == Lifecycle.PUBLISHED


def test_what_went_in_a_round_that_was_refused_is_withdrawn_or_asked_about(
    graph: GraphServer, tmp_path: Path, spec: SourceSpec
) -> None:
    kept = dict(graph.entries)
    graph.folder("ATTIC", "Attic")
    graph.move("I39", parent="NOWHERE")  # told as outside of the library
    graph.oldest = 1000
    for number in range(30):
        del graph.entries[f"I{number}"], graph.changed[f"I{number}"]
    assert "no longer in the library" in look(spec).fault
    graph.entries = kept | graph.entries
    graph.changed |= {item: 50 for item in kept if item not in graph.changed}
    assert look(spec).fault == ""
    assert withdrawn() == 1


def test_a_round_that_was_cut_off_withdraws_at_its_end(
    graph: GraphServer, spec: SourceSpec
) -> None:
    graph.page_size = 2
    graph.delete("I0", "I1", "I2")
    graph.faults["/v1.0/drives/b!drive1/root"] = [(200, {}), (403, {})]
    assert "left out" in look(spec).fault
    assert "Sites.Selected" in look(spec).fault
    assert withdrawn() == 0
    assert look(spec).fault == ""
    assert withdrawn() == 3


def test_nothing_is_withdrawn_where_only_groups_may(graph: GraphServer, spec: SourceSpec) -> None:
    narrow(shelf(), "publishers", "Board")
    graph.delete("I0")
    assert look(spec).asks.startswith("Only groups may withdraw in this collection")
    assert withdrawn() == 0


def test_a_list_that_lacks_most_is_a_fault(graph: GraphServer, spec: SourceSpec) -> None:
    graph.oldest = 1000
    kept = dict(graph.entries)
    for number in range(30):
        del graph.entries[f"I{number}"], graph.changed[f"I{number}"]
    assert "30 of 40 files are no longer in the library" in look(spec).fault
    assert withdrawn() == 0
    graph.entries = kept
    graph.changed |= {item: 50 for item in kept if item not in graph.changed}
    assert look(spec).fault == ""
    assert Source.objects.get().asks == ""


def test_the_doctor_names_what_is_asked(
    graph: GraphServer, spec: SourceSpec, capsys: pytest.CaptureFixture[str], alice: User
) -> None:
    graph.delete(*(f"I{number}" for number in range(5)))
    look(spec)
    with pytest.raises(SystemExit):  # no worker is running
        call_command("doctor")
    lines = capsys.readouterr().out.splitlines()
    told = next(line for line in lines if line[6:].startswith("sources"))
    Source.objects.update(asks="", credential_ends=datetime.date.today())
    assert "ends on" in member(alice, STAFF).get(reverse("admin:index")).content.decode()
    assert told.startswith("todo  sources     trust: 5 of 40 files went at once")
