"""Test in a real browser that a misread table is repaired, with and without scripts."""

from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

from corpus.models import Document
from corpus.services.indexing import document_index
from medrag_site.demo import demo_accounts
from tests.corpus.admin.test_admin_repairs import block_of, draw, indexed, repair_page
from tests.corpus.documents import ingest
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.site.browsing.browser import in_a_browser, served
from tests.site.browsing.walker import Walker

pytestmark = in_a_browser

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
