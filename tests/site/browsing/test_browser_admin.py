"""Test corpus staff in a real browser: many files, passage view, second person, two versions."""

import time
from io import BytesIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from corpus.models import Document, JobState, Lifecycle
from corpus.services.documents import collection_default, document_ingest
from corpus.services.indexing import document_index
from corpus.services.lifecycle import document_publish, document_submit
from medrag_site.demo import demo_accounts
from tests.processes import ROOT, running
from tests.site.browsing.browser import UNHURRIED, Visitor, in_a_browser, served

pytestmark = in_a_browser

PDF = ROOT / "samples" / "guidelines" / "gentamicin-once-daily-adults.pdf"
OLD = """# Croup in children

## Treatment

Give dexamethasone 150 micrograms per kg by mouth as one dose. Keep the child calm.

## Discharge

Send the child home after 2 hours without stridor at rest. Give the leaflet to the parents.
"""
NEW = OLD.replace("150 micrograms", "300 micrograms").replace("2 hours", "4 hours")
UPLOAD = "/admin/corpus/document/add/"
AWAY_S = 4.0  # longer than the interval of polling

# Drop files on a page as a browser does; they are the files of a field that the driver fills.
DROP = """
const files = document.getElementById("carried").files;
const carried = new DataTransfer();
for (const file of files) carried.items.add(file);
const zone = document.querySelector(".drop");
for (const name of ["dragenter", "dragover", "drop"]) {
  zone.dispatchEvent(new DragEvent(name, {bubbles: true, cancelable: true, dataTransfer: carried}));
}
document.getElementById("carried").remove();
"""
CARRY = """
const field = document.createElement("input");
Object.assign(field, {type: "file", id: "carried", multiple: true});
document.body.append(field);
"""


def test_staff_take_guidelines_in_and_a_second_person_publishes(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEDRAG_TWO_PERSON_PUBLISH", "true")
    passwords = {name: password for name, _, password in demo_accounts()}
    old = publish_old_version()
    with (
        served(tmp_path / "web.log") as address,
        running("worker", log=tmp_path / "worker.log", **UNHURRIED),
    ):
        visitor = Visitor(driver, address)
        visitor.signs_in("staff", passwords["staff"])
        drop_three_files(visitor, files_in(tmp_path))
        new = Document.objects.get(filename="croup-v2.md")
        the_uploader_may_not_publish(visitor, new)
        point_at_passages(visitor, Document.objects.get(media_type="application/pdf"))
        disable_a_passage(visitor)
        visitor.signs_in("publisher", passwords["publisher"])
        compare_and_publish(visitor, new)
    old.refresh_from_db()
    assert (old.lifecycle, old.superseded_by) == (Lifecycle.SUPERSEDED, new)
    refused_file, no_network = "responded with a status of 422", "ERR_INTERNET_DISCONNECTED"
    foreseen = (refused_file, no_network, "htmx:afterRequest", "htmx:sendError")
    complaints = visitor.complaints()
    assert [line for line in complaints if not any(part in line for part in foreseen)] == []


def publish_old_version() -> Document:
    document = Document(collection=collection_default(), title="Croup in children", version="1")
    document_ingest(
        document, upload=BytesIO(OLD.encode()), uploaded_by=None, filename="croup-v1.md"
    )
    document_index(document.pk)
    by = User.objects.get(username="publisher")
    document_submit(document, by=by)
    document_publish(document, by=by, today=timezone.localdate())
    return document


def files_in(folder: Path) -> list[Path]:
    """Write a PDF, a copy under another name, a new version, and a file that is no PDF."""
    content = {
        "gentamicin.pdf": PDF.read_bytes(),
        "again.pdf": PDF.read_bytes(),
        "croup-v2.md": NEW.encode(),
        "photo.pdf": b"\x89PNG\r\n\x1a\n" + bytes(64),
    }
    for name, content_ in content.items():
        (folder / name).write_bytes(content_)
    return [folder / name for name in content]


def drop_three_files(visitor: Visitor, files: list[Path]) -> None:
    visitor.goes_to(UPLOAD)
    before = visitor.driver.current_url
    visitor.driver.execute_script(CARRY)
    field = visitor.driver.find_element(By.ID, "carried")
    field.send_keys("\n".join(str(path) for path in files))
    visitor.driver.execute_script(DROP)
    visitor.driver.switch_to.active_element.send_keys(Keys.ENTER)  # the focus is on Upload
    visitor.sees(".upload-row.refused", "Here already, as")
    visitor.sees(".upload-row.refused .why", "its content is something else")
    lose_the_network(visitor.driver, AWAY_S)
    visitor.sees(".offer", "A new version of Croup in children (1)?")
    for name in ("croup-v2.md", ".pdf"):
        row = f"//li[contains(., '{name}')]//span[contains(@class, 'state done')]"
        visitor.waits_for(row)
    assert visitor.driver.current_url == before  # without a reload
    assert Document.objects.filter(job__state=JobState.DONE).count() == 3


def lose_the_network(driver: webdriver.Chrome, seconds: float) -> None:
    """Take the browser offline, so that requests for progress fail and are repeated."""
    driver.set_network_conditions(offline=True, latency=0, throughput=0)
    time.sleep(seconds)
    driver.delete_network_conditions()


def the_uploader_may_not_publish(visitor: Visitor, document: Document) -> None:
    visitor.goes_to(f"/admin/corpus/document/{document.pk}/change/")
    visitor.clicks(".way-on button[formaction$='submit/']")
    visitor.sees(".messagelist .success", "Sent to review")
    visitor.clicks(".way-on a[href$='approve/']")
    visitor.sees(".errornote", "you uploaded this document")
    assert not visitor.driver.find_elements(By.CSS_SELECTOR, "input[value=Publish]")


def point_at_passages(visitor: Visitor, document: Document) -> None:
    """By mouse and by keyboard, from the passage to the picture and back."""
    visitor.goes_to(f"/admin/corpus/document/{document.pk}/read/1/")
    driver = visitor.driver
    picture = "return fetch(document.querySelector('svg image').href.baseVal).then(r => r.status)"
    assert driver.execute_script(picture) == 200
    visitor.sees(".block td", "Northfield")  # a real table
    passage = visitor.sees(".passage")
    ActionChains(driver).scroll_to_element(passage).move_to_element(passage).perform()
    painted = visitor.sees("svg rect.hot")
    assert "c0" in (painted.get_attribute("data-in") or "")
    block = driver.find_element(By.CSS_SELECTOR, ".block[data-shows='b1'] .anchor")
    driver.execute_script("arguments[0].focus()", block)
    visitor.sees("svg rect.hot[data-in~='b1']")
    place = driver.find_element(By.CSS_SELECTOR, "svg rect[data-in~='b2']")
    ActionChains(driver).move_to_element(place).perform()
    visitor.sees(".block.hot[data-shows='b2']")


def disable_a_passage(visitor: Visitor) -> None:
    visitor.clicks(".passage summary")
    visitor.types(".passage textarea", "The table was read wrongly.")
    visitor.clicks(".passage details button")
    visitor.sees(".passage.disabled .why", "by staff: The table was read wrongly.")
    visitor.sees(".passage.disabled del")
    visitor.clicks(".passage.disabled button")
    visitor.sees(".messagelist .success", "Searches find it again")


def compare_and_publish(visitor: Visitor, new: Document) -> None:
    visitor.goes_to(f"/admin/corpus/document/{new.pk}/approve/")
    chosen = visitor.sees("input[name=other][value]:checked")
    assert chosen.get_attribute("value")  # the old version is preselected, being certain
    visitor.clicks(".checklist summary")
    visitor.sees(".here .passage", "300 micrograms")  # loaded into the list
    visitor.clicks(".candidate a[href*='compare']")
    visitor.sees(".change.numbers del .number", "150")
    visitor.sees(".change.numbers ins .number", "300")
    visitor.driver.back()
    visitor.clicks("input[type=submit][value=Publish]")
    visitor.sees(".messagelist .success", "Published: Croup in children")
    visitor.sees(".way-on", "It took the place of Croup in children (1)")
