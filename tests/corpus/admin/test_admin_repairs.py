"""Test the repair of a misread table, from the doubt to the answer that quotes its row."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from pytest_django import Settings
from reportlab.pdfgen.canvas import Canvas

from chat.models import AuditEvent
from corpus.models import Correction, Document, Lifecycle, Page, PassageStatement
from corpus.services.indexing import document_index
from medrag_site.groups import AUDITORS, CLINICIANS, PUBLISHERS, STAFF
from tests.chat.api.api_calls import get, signed_in
from tests.chat.guidelines import ask
from tests.corpus.admin.test_admin import member, page, page_of
from tests.corpus.documents import derived, ingest
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.corpus.parsing.tables.table_fixtures import GRID, LONG_LABELS, draw_table, over_a_break
from tests.corpus.services.test_services_corrections import read_as
from tests.people import client_of

ROWS = [["Age", "Dose", "Most a day"], ["Adult", "20 mg", "4 g\n2 g"], ["Child", "10 mg", ""]]
DOUBT = "values_in_one_cell"
WHY = "Two rows were read as one."


def draw(canvas: Canvas) -> None:
    fixtures.write_heading(canvas, "Zelomycin for chest infection", y=760)
    fixtures.write_lines(canvas, ["Zelomycin is given by mouth for chest infection."], y=730)
    style = [GRID, ("SPAN", (2, 1), (2, 2))]
    draw_table(canvas, ROWS, widths=[90] * 3, top=700, style=style)


@pytest.fixture
def document(db: None, tmp_path: Path) -> Document:
    """Return a document with a value in doubt: 4 g and 2 g were read as one cell."""
    path = fixtures.make_pdf(tmp_path / "a.pdf", draw)
    stored = ingest(path.read_bytes(), filename="zelomycin.pdf")
    assert DOUBT in codes(indexed(stored))
    return stored


def indexed(document: Document) -> Document:
    document_index(document.pk)
    document.refresh_from_db()
    return document


def codes(document: Document) -> set[str]:
    return {doubt["code"] for doubt in document.pages.get().doubts}


def block_of(document: Document) -> int:
    return table_on(document.pages.get())


def table_on(page: Page) -> int:
    return next(number for number, block in enumerate(page.blocks) if block["table"])


def repair_page(document: Document) -> str:
    return page_of("repair", document.pk, 1, block_of(document))


def form_of(html: str) -> dict[str, Any]:
    """Return what a browser would send of the form."""
    named = re.findall(r'name="(seen|shape|heads)"[^>]*?value="([^"]*)"', html)
    texts = re.findall(r'<textarea name="text"[^>]*>([^<]*)</textarea>', html)
    return {**dict(named), "text": [unescape(text) for text in texts]}


def stepped(client: Client, document: Document, form: dict[str, Any], **step: str) -> str:
    return client.post(repair_page(document), {**form, **step}).content.decode()


def split(client: Client, document: Document) -> dict[str, Any]:
    """Split the cell of two rows at its lines; return the form that is drawn then."""
    form = form_of(client.get(repair_page(document)).content.decode())
    at = form["text"].index("4 g 2 g")
    form["text"][at] = "4 g\r\n2 g"
    return form_of(stepped(client, document, form, step="rows", chosen="1.2"))


def repaired(client: Client, document: Document) -> str:
    form = {**split(client, document), "reason": WHY}
    kept = client.post(repair_page(document), form, follow=True).content.decode()
    assert "Table repaired on page 1." in kept
    return kept


def test_a_table_is_repaired_published_by_another_and_quoted(
    document: Document, alice: User, bob: User, settings: Settings
) -> None:
    settings.TWO_PERSON_PUBLISH = True
    staff, second = member(alice, STAFF, PUBLISHERS), member(bob, PUBLISHERS)
    assert repair_page(document) in page(staff, "read", document.pk, 1)
    shown = staff.get(repair_page(document)).content.decode()
    assert page_of("picture", document.pk, 1) in shown
    assert 'rowspan="2"' in shown and "Age: Child; Dose: 10 mg; Most a day: 4 g 2 g" in shown
    repaired(staff, document)
    indexed(document)
    assert DOUBT not in codes(document)
    reading = page(staff, "read", document.pk, 1)
    assert f"Repaired by {alice}" in reading and WHY in reading

    approve = page_of("approve", document.pk)
    assert "you corrected this document" in staff.get(approve).content.decode()
    refused = second.post(approve, {"other": ""}).content.decode()
    assert "Compare each correction" in refused and "A table was repaired." in refused
    row = Correction.objects.get()
    second.post(approve, {"other": "", "compared": [row.pk]})
    document.refresh_from_db()
    assert document.lifecycle == Lifecycle.PUBLISHED

    turn = ask(alice, "What is the dose of zelomycin for a child with chest infection?")
    answer = client_of(alice)
    told = answer.get(f"/conversations/{turn.conversation_id}/").content.decode()
    assert "Child | 10 mg | 2 g" in [
        c.quote for claim in turn.claims.all() for c in claim.citations.all()
    ]
    assert "orrected by staff" in told


def test_the_api_tells_a_repaired_table_cell_by_cell(document: Document, alice: User) -> None:
    staff = member(alice, STAFF, PUBLISHERS)
    form = split(staff, document) | {"reason": WHY, "heads": "0"}
    staff.post(repair_page(document), form)
    caller = signed_in(User.objects.get(pk=alice.pk))
    (shown,) = get(caller, f"/api/v1/documents/{document.sha256}").json()["corrections"]
    assert shown["taken_back"] is False
    told = [(cell["text"], cell["is_header"]) for cell in shown["cells"]]
    assert ("2 g", False) in told and ("Dose", False) in told


def test_it_survives_a_new_reading_and_stays_in_force(document: Document, alice: User) -> None:
    repaired(member(alice, STAFF), document)
    made = derived(indexed(document))
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    call_command("reindex", document=[document.sha256])
    assert derived(indexed(document)) == made
    assert document.lifecycle == Lifecycle.PUBLISHED and DOUBT not in codes(document)


def test_lines_of_the_repaired_rows_stand_where_their_cells_did(
    document: Document, alice: User
) -> None:
    before = document.pages.get().blocks[block_of(document)]
    repaired(member(alice, STAFF), document)
    stored = indexed(document).pages.get()
    block = stored.blocks[block_of(document)]
    assert [row["cells"] for row in block["table"]["rows"]] == [
        ["Adult", "20 mg", "4 g"],
        ["Child", "10 mg", "2 g"],
    ]
    assert all(cell["box"] for cell in block["table"]["cells"])
    boxes = {cell["text"]: cell["box"] for cell in block["table"]["cells"]}
    old = {cell["text"]: cell["box"] for cell in before["table"]["cells"]}
    assert boxes["4 g"] == boxes["2 g"] == old["4 g 2 g"]
    assert [stored.text[row["start"] : row["end"]] for row in block["table"]["rows"]] == [
        "Adult | 20 mg | 4 g",
        "Child | 10 mg | 2 g",
    ]


def test_taking_it_back_brings_the_table_and_its_doubt_back(
    document: Document, alice: User
) -> None:
    text = document.pages.get().text
    staff = member(alice, STAFF)
    repaired(staff, document)
    indexed(document)
    assert document.pages.get().text != text
    row = Correction.objects.get()
    staff.post(page_of("take_back", document.pk, row.pk), {"reason": "One cell it is."})
    stored = indexed(document).pages.get()
    assert stored.text == text and DOUBT in codes(document)
    lines = list(LogEntry.objects.order_by("pk").values_list("change_message", flat=True))
    assert lines == ["Table repaired on page 1.", "Correction taken back on page 1."]
    event = AuditEvent.objects.filter(action="document.corrected").first()
    assert event is not None and "2 g" not in event.payload


def test_what_is_wrong_with_it_is_said_and_the_work_is_not_lost(
    document: Document, alice: User
) -> None:
    staff = member(alice, STAFF)
    untouched = form_of(staff.get(repair_page(document)).content.decode()) | {"reason": WHY}
    form = split(staff, document) | {"reason": WHY}
    for sent, told in (
        (form | {"reason": ""}, "required"),
        (form | {"seen": "0"}, "read again or corrected in the meantime"),
        (form | {"text": [""] * len(form["text"])}, "the table is empty"),
        (form | {"shape": form["shape"] + " 0.0.1.1."}, "arrived incomplete"),
        (form | {"shape": "0.0.999.999."}, "arrived incomplete"),
        (untouched, "the same as before"),
        (untouched | {"heads": "2"}, "a cell begins among the heads"),
        (form | {"step": "rows"}, "no cell is chosen"),
    ):
        shown = staff.post(repair_page(document), sent).content.decode()
        assert told in shown
        assert form_of(shown)["text"]
    kept = staff.post(repair_page(document), form | {"reason": ""}).content.decode()
    assert form_of(kept) == {key: form[key] for key in ("seen", "shape", "heads", "text")}
    assert not Correction.objects.exists()


def test_it_takes_the_right_to_change_the_document(document: Document, alice: User) -> None:
    form = split(member(alice, STAFF), document) | {"reason": WHY}
    for group in (CLINICIANS, AUDITORS):
        other = member(alice, group)
        assert other.get(repair_page(document)).status_code in (302, 403, 404)
        assert other.post(repair_page(document), form).status_code in (302, 403, 404)
    assert not Correction.objects.exists()
    staff = member(alice, STAFF)
    for number in (99, 0):  # 0 is no table
        assert staff.get(page_of("repair", document.pk, 1, number)).status_code == 404


def test_the_picker_shows_spanning_cells_and_leads_from_a_repaired_table_to_its_repair(
    document: Document, alice: User
) -> None:
    staff = member(alice, STAFF)
    correct = page_of("correct", document.pk, 1, f"b{block_of(document)}")
    picker = staff.get(correct).content.decode()
    assert re.search(r'<td rowspan="2"><a href="[^"]*">4 g 2 g</a></td>', picker)
    assert re.search(r'<th scope="col"><a href="[^"]*">Dose</a></th>', picker)
    cell = re.search(r'<td><a href="([^"]*)">20 mg</a>', picker)
    assert cell is not None
    staff.post(cell[1], {"as_read": "20 mg", "text": "25 mg", "reason": "A 5."})
    assert "25 mg" in split(staff, document)["text"]  # the repair begins with what was corrected
    repaired(staff, document)
    assert "Adult | 25 mg | 4 g\nChild | 10 mg | 2 g" in indexed(document).pages.get().text
    assert staff.get(correct).headers["Location"] == repair_page(document)
    assert Correction.objects.filter(is_current=True).count() == 1


def test_corrected_heads_hold_for_the_part_on_the_next_page(
    alice: User, db: None, tmp_path: Path
) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", *over_a_break(repeated=False, ruled=True))
    document = indexed(ingest(path.read_bytes(), filename="long.pdf"))
    first, second = document.pages.order_by("number")
    staff = member(alice, STAFF)
    address = page_of("repair", document.pk, 1, table_on(first))
    form = form_of(staff.get(address).content.decode())
    form["text"][form["text"].index("Dose")] = "Dose by mouth"
    staff.post(address, form | {"reason": "Half of the head was lost."})
    now = indexed(document).pages.get(number=2)
    assert now.text == second.text and now.looked is False
    heads = now.blocks[table_on(now)]["table"]["header"]
    assert heads == [label.replace("Dose", "Dose by mouth") for label in LONG_LABELS]
    said = PassageStatement.objects.filter(chunk__document=document)
    rows = [
        one.text
        for one in said
        if any(number == 2 for number, *_ in one.pieces) and "mg" in one.text
    ]
    assert rows and all("Dose by mouth: " in text for text in rows)
    shown = page(staff, "repair", document.pk, 2, table_on(now))
    assert "Dose by mouth: " in shown
    row = Correction.objects.get()
    staff.post(page_of("take_back", document.pk, row.pk), {"reason": "It was right."})
    assert indexed(document).pages.get(number=2).blocks == second.blocks


def test_a_repair_that_no_longer_fits_is_a_doubt_and_the_document_leaves_force(
    alice: User, db: None
) -> None:
    text = "# Zelomycin\n\n| Age | Dose |\n|---|---|\n| adult | 5 mg |\n"
    document = indexed(ingest(text))
    staff = member(alice, STAFF)
    form = form_of(staff.get(repair_page(document)).content.decode())
    form["text"][form["text"].index("adult")] = "over 18 years"
    staff.post(repair_page(document), form | {"reason": WHY})
    assert "over 18 years | 5 mg" in indexed(document).pages.get().text
    Document.objects.update(lifecycle=Lifecycle.PUBLISHED)
    read_as(document, text.replace("5 mg", "6 mg"))
    document.refresh_from_db()
    assert codes(document) == {"correction_unfit"}
    assert "adult | 6 mg" in document.pages.get().text
    assert document.lifecycle == Lifecycle.REVIEW
