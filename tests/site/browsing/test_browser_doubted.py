"""Test in a real browser that a deck with doubts is looked through and published by key."""

import time
from io import BytesIO
from pathlib import Path

import pypdfium2
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from corpus.models import Document, Lifecycle
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from medrag_site.demo import demo_accounts
from tests.corpus.admin.test_admin_repairs import block_of, draw, indexed, repair_page
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.processes import ROOT
from tests.site.browsing.browser import in_a_browser, served
from tests.site.browsing.keyboard import Typist
from tests.site.browsing.walker import Walker

pytestmark = in_a_browser

GUIDELINES = ROOT / "samples" / "guidelines"
DECK_PAGES = 12
A_LOOK_S = 0.7  # more than the haste that the page ignores
MESSAGE = "A sign before a number was probably misread: it may be ≥, ≤ or another bound."


def deck(title: str) -> Document:
    """Index a PDF of twelve pages, each with a value in doubt in its second block."""
    made = pypdfium2.PdfDocument.new()
    while len(made) < DECK_PAGES:
        made.import_pages(pypdfium2.PdfDocument(GUIDELINES / "sepsis-adults-v2.pdf"), [0])
    content = BytesIO()
    made.save(content)
    content.write(f"\n% {title}".encode())  # so that no two decks are the same file
    document = Document(collection=collection_default(), title=title)
    content.seek(0)
    document_ingest(document, upload=content, uploaded_by=None, filename=f"{title}.pdf")
    document_index(document.pk)
    Document.objects.filter(pk=document.pk).update(title=title)  # not what stands on its pages
    for page in document.pages.all():
        span = {name: page.blocks[1][name] for name in ("start", "end")}
        page.doubts = [{"code": "sign_misread", "message": MESSAGE, "grade": "value", **span}]
        page.save()
    return document


def looked(document: Document) -> int:
    return document.pages.filter(looked=True).count()


def test_a_deck_is_looked_through_and_published(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    passwords = {name: password for name, _, password in demo_accounts()}
    first, second = deck("Sepsis deck"), deck("Second deck")
    with served(tmp_path / "web.log") as address:
        walker = Walker(driver, address, files=tmp_path)
        walker.signs_in("publisher", passwords["publisher"])
        walker.goes_to("/admin/")
        walker.clicks(".waiting a[href$='/doubted/']")
        walker.sees("h1", "Sepsis deck, page 1")
        wrong = walker.looks("doubted", widths=(1280, 390))
        by_keyboard(walker, first)
        without_scripts(walker, second)
    assert wrong == []


def by_keyboard(walker: Walker, document: Document) -> None:
    typist = Typist(walker)
    for number in range(2, DECK_PAGES + 1):
        presses(typist, "r")
        walker.sees("h1", f"page {number}")
    assert looked(document) == DECK_PAGES - 1
    presses(typist, "b")
    walker.sees("h1", f"page {DECK_PAGES - 1}")
    walker.sees(".looking .ticked", "Looked at by publisher")
    presses(typist, "n")
    walker.sees("h1", f"page {DECK_PAGES}")
    presses(typist, "z")
    walker.sees(".enlarge:checked ~ svg")
    walker.clicks(".keys input")  # switched off
    presses(typist, "n", Keys.ESCAPE)
    walker.sees("h1", f"page {DECK_PAGES}")
    walker.clicks(".keys input")
    walker.driver.refresh()
    typist.tabs_to(".looking button.default")
    assert typist.wrong == []
    typist.presses(Keys.ENTER)
    walker.sees(".check", "12 pages in doubt were looked at")
    assert walker.looks("offered", widths=(1280, 390)) == []
    walker.clicks("input[type=submit][value=Publish]")
    walker.sees(".messagelist .success", "Published: Sepsis deck")
    document.refresh_from_db()
    assert document.lifecycle == Lifecycle.PUBLISHED
    walker.sees("h1", "Second deck, page 1")


def without_scripts(walker: Walker, document: Document) -> None:
    with walker.scripts(False):
        walker.driver.refresh()
        walker.clicks(".picture label")
        walker.sees(".enlarge:checked ~ svg")
        walker.clicks(".looking button.default")
        walker.sees("h1", "Second deck, page 2")
        walker.clicks(".looking a[href*='/doubted/3/']")
        walker.sees("h1", "Second deck, page 3")
        assert not walker.driver.find_elements(By.CSS_SELECTOR, ".keys:not([hidden])")
    assert looked(document) == 1


def presses(typist: Typist, *keys: str) -> None:
    """Press keys on a page that has been open for a moment, as a person who looked at it does."""
    time.sleep(A_LOOK_S)
    typist.presses(*keys)


WIDTHS = (1280, 390)


def test_a_table_is_repaired_with_and_without_scripts(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    passwords = {name: password for name, _, password in demo_accounts()}
    path = fixtures.make_pdf(tmp_path / "a.pdf", draw)
    document = ingest(path.read_bytes(), filename="zelomycin.pdf")
    document_index(document.pk)
    with served(tmp_path / "web.log") as address:
        walker = Walker(driver, address, files=tmp_path)
        walker.signs_in("staff", passwords["staff"])
        splits_and_keeps(walker, document)
        assert "Child | 10 mg | 2 g" in indexed(document).pages.get().text
        walker.driver.refresh()
        walker.sees(".block .help", "Repaired by staff")
        assert walker.looks("repaired", widths=WIDTHS) == []
        with walker.scripts(False):
            removes_a_row(walker, document)
        assert "Child" not in indexed(document).pages.get().text


def splits_and_keeps(walker: Walker, document: Document) -> None:
    walker.goes_to(repair_page(document))
    field = next(
        field
        for field in walker.driver.find_elements(By.NAME, "text")
        if field.get_attribute("value") == "4 g 2 g"
    )
    field.clear()
    field.send_keys("4 g\n2 g")
    walker.clicks("input[name=chosen][value='1.2']")
    walker.clicks("button[value=rows]")
    walker.sees(".quoted-rows", "Age: Child; Dose: 10 mg; Most a day: 2 g")
    assert walker.looks("repair", widths=WIDTHS) == []
    walker.driver.find_element(By.NAME, "reason").send_keys("Two rows were read as one.")
    walker.clicks(".submit-row .default")
    walker.sees(".messagelist .success", "Table repaired on page 1.")


def removes_a_row(walker: Walker, document: Document) -> None:
    walker.goes_to(f"/admin/corpus/document/{document.pk}/read/1/correct/b{block_of(document)}/")
    walker.clicks("input[name=chosen][value='2.0']")
    walker.clicks("button[value=row_removed]")
    walker.sees(".quoted-rows", "Age: Adult")
    walker.driver.find_element(By.NAME, "reason").send_keys("Another table's row.")
    walker.clicks(".submit-row .default")
    walker.sees(".messagelist .success", "Table repaired on page 1.")
