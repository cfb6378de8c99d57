"""Do the whole jobs of those who work in the administration, step by step as they click.

A job is done once, at the first width; where it stops, the page is checked at each width. Without
widths, only its console is read. It works without scripts too, by loading a page again where
scripts would.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.contrib.auth.models import User
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from corpus.models import Document, Job, JobState
from corpus.services.indexing import document_index
from evaluation.models import QuestionRun
from evaluation.question_runs.services import question_runs_execute_due
from tests.chat.guidelines import DOSE, NEAR, QUESTION, ask
from tests.site.browsing.walker import Walker, places

SAVE = ".submit-row input.default"
OPENED = "#result_list tbody th a"
OLD = """# Croup, {name}

## Treatment

Give dexamethasone 150 micrograms per kg by mouth as one dose. Keep the chjld calm.

## Discharge

Send the child home after 2 hours without stridor at rest. Give the leaflet to the parents.
"""
CHANGED = {"150 micrograms": "300 micrograms", "chjld": "child", "2 hours": "4 hours"}
BESIDES = {
    "staff": (
        "/admin/corpus/document/{failed}/step/discard/",
        "/admin/corpus/document/{withdrawn}/step/reinstate/",
        "/admin/corpus/collection/{collection}/change/",
        "/admin/retrieval/lexiconentry/",
    ),
    "auditor": (
        "/admin/chat/review/",
        "/admin/chat/feedback/",
        "/admin/chat/calibrationrecord/",
        "/admin/evaluation/dayfigures/quality/",
    ),
    "administrator": ("/admin/axes/accessattempt/", "/admin/hazards/", "/admin/password_change/"),
}


@dataclass(frozen=True, slots=True)
class Shift:
    """A job in progress: browser, passwords, widths to check, and the faults found so far."""

    walker: Walker
    passwords: dict[str, str]
    widths: Sequence[int]
    folder: Path
    name: str  # part of the name of everything that this shift makes
    wrong: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def begins(self, person: str) -> None:
        self.walker.signs_in(person, self.passwords[person])
        self.walker.clicks("a[href='/admin/']")
        self.stops(f"{person}-start")

    def stops(self, at: str) -> None:
        """Check the page, once for each name of a place."""
        if at in self.seen:
            return
        self.seen.add(at)
        found = self.walker.looks(f"{self.name}-{at}", widths=self.widths) if self.widths else []
        self.wrong.extend(found + self.walker.complaints())

    def opens(self, address: str, at: str) -> None:
        self.walker.clicks(f"a[href='{address}']")
        self.stops(at)

    def awaits(self, selector: str, words: str) -> None:
        """Wait for an element that a script brings; without scripts, load the page again first."""
        if not self.walker.has_scripts:
            self.walker.driver.refresh()
        self.walker.sees(selector, words)

    def hears(self, words: str) -> None:
        self.walker.sees(".messagelist", words)

    def looks_besides(self, person: str) -> None:
        for address in BESIDES[person]:
            path = address.format(**places())
            self.walker.goes_to(path)
            assert self.walker.driver.current_url.endswith(path)
            self.stops(path.strip("/").replace("/", "-"))


def staff(shift: Shift) -> None:
    """Upload a guideline, correct it, have it published, replace it, withdraw it."""
    walker = shift.walker
    shift.begins("staff")
    first = _upload(shift, "first", OLD.format(name=shift.name))
    walker.clicks(f".upload-row a[href='/admin/corpus/document/{first.pk}/change/']")
    shift.stops("read")
    _correct_a_word(shift)
    _read_by_the_worker(first)
    walker.goes_to(f"/admin/corpus/document/{first.pk}/change/")
    walker.clicks(".way-on button[formaction$='submit/']")
    shift.hears("Sent to review")
    shift.begins("second")
    walker.clicks(".waiting a[href*='publish']")
    shift.stops("to-publish")
    walker.clicks(f"{OPENED}[href*='/{first.pk}/']")
    _publish(shift, "first")
    shift.begins("staff")
    newer = OLD.format(name=shift.name)
    for before, after in CHANGED.items():
        newer = newer.replace(before, after)
    second = _upload(shift, "second", newer)
    shift.awaits(".offer", "A new version of Croup")
    walker.clicks(".offer a[href*='compare']")
    walker.sees(".change.numbers ins .number", "300")
    shift.stops("compared")
    walker.goes_to(f"/admin/corpus/document/{second.pk}/change/")
    _publish(shift, "second")
    walker.sees(".way-on", "It took the place of")
    walker.clicks(".way-on a[href*='withdraw']")
    shift.stops("withdrawing")
    walker.types("[name=reason]", "The dose is wrong.")
    walker.clicks("input[type=submit][value=Withdraw]")
    shift.hears("Withdrawn: Croup")
    shift.stops("recalled")
    shift.looks_besides("staff")


def auditor(shift: Shift) -> None:
    """Find an answer, read how it came about, run it again, verify the log, see a recall."""
    walker = shift.walker
    ask(User.objects.get(username="clinician"))  # so that a replay finds no difference
    shift.begins("auditor")
    shift.opens("/admin/chat/turn/", "answers")
    walker.types("#searchbar", QUESTION + Keys.ENTER)
    walker.sees("#searchbar[value]")
    walker.clicks(OPENED)
    walker.sees(".provenance h2", "What was asked")
    shift.stops("answer")
    walker.clicks("input[type=submit][value^=Replay]")
    walker.sees(".provenance", "The same outcome, the same statements, the same citations.")
    shift.stops("replayed")
    walker.driver.back()
    walker.clicks(".provenance a[href*='auditevent']")
    walker.sees("#result_list", "turn.answered")
    shift.stops("events")
    walker.clicks("input[value='Verify the whole log']")
    walker.sees(".verdict.sound")
    shift.stops("verified")
    walker.goes_to("/admin/")
    walker.clicks("a[href='/admin/corpus/document/']")
    walker.sees("#searchbar")
    walker.goes_to(f"/admin/corpus/document/{places()['document']}/change/")
    walker.clicks(".way-on a[href*='recall']")
    walker.sees("h1", "Recall")
    shift.stops("recall")
    shift.looks_besides("auditor")


def evaluator(shift: Shift) -> None:
    """Upload questions, run them twice, read the card and an item, compare the runs."""
    walker = shift.walker
    shift.begins("evaluator")
    shift.opens("/admin/evaluation/questionset/", "sets")
    walker.clicks(".object-tools a[href$='/add/']")
    shift.stops("set-uploading")
    asked = [
        {"id": f"{shift.name} {one}", "question": one, "expected_answer": said}
        for one, said in ((QUESTION, DOSE), (NEAR, "By an X-ray."))
    ]
    _gives_a_file(shift, "upload", f"{shift.name}.json", json.dumps(asked))
    walker.types("[name=name]", shift.name)
    walker.clicks(SAVE)
    shift.hears("is stored. Questions: 2.")
    shift.stops("set")
    pks = [_run(shift, number) for number in (1, 2)]
    walker.clicks(".field-items_link a")
    shift.stops("items")
    walker.clicks(OPENED)
    shift.stops("item")
    walker.goes_to("/admin/evaluation/questionrun/")
    for pk in pks:
        walker.clicks(f"input.action-select[value='{pk}']")
    Select(walker.sees("select[name=action]")).select_by_value("compare_two")
    walker.clicks("button[name=index]")
    walker.sees("h1", "Two runs compared")
    shift.stops("runs-compared")


def administrator(shift: Shift) -> None:
    """Create an account in a group, reset its password, and read the figures of answers."""
    walker = shift.walker
    shift.begins("administrator")
    walker.clicks("a[href='/admin/auth/user/add/']")
    shift.stops("account-adding")
    walker.types("#id_username", shift.name)
    for box in ("#id_password1", "#id_password2"):
        walker.types(box, "first-of-nurses")
    walker.clicks(SAVE)
    shift.hears("was added successfully")
    walker.sees(".field-password_hint", "Only a superuser")
    Select(walker.sees("#id_groups")).select_by_visible_text("Clinicians")
    shift.stops("account")
    walker.clicks(SAVE)
    shift.hears("was changed successfully")
    shift.stops("accounts")
    shift.looks_besides("administrator")
    shift.begins("superuser")
    walker.clicks("a[href='/admin/auth/user/']")
    walker.types("#searchbar", shift.name + Keys.ENTER)
    walker.sees("#searchbar[value]")
    walker.clicks(OPENED)
    walker.clicks(".field-password a")
    walker.sees("#id_password1")
    shift.stops("password")
    walker.types("#id_password1", "second-of-nurses")
    walker.types("#id_password2", "second-of-nurses" + Keys.ENTER)
    shift.hears("Password changed successfully")
    walker.goes_to("/admin/")
    shift.opens("/admin/evaluation/dayfigures/quality/", "quality")
    walker.signs_in(shift.name, "second-of-nurses")


JOBS = {one.__name__: one for one in (staff, auditor, evaluator, administrator)}


def _upload(shift: Shift, name: str, text: str) -> Document:
    walker = shift.walker
    walker.goes_to("/admin/")
    walker.clicks(".waiting a.button")
    filename = f"{shift.name}-{name}.md"
    _gives_a_file(shift, "uploads", filename, text)
    shift.stops("chosen")
    walker.clicks("input[type=submit][value=Upload]")
    walker.sees(".upload-row .help", filename)  # the stored file's row, not the upload's
    document = Document.objects.get(filename=filename)
    shift.stops("waits")
    _read_by_the_worker(document)
    shift.awaits(f"#job-{document.pk}", "Read")
    return document


def _gives_a_file(shift: Shift, box: str, filename: str, text: str) -> None:
    path = shift.folder / filename
    path.write_text(text, encoding="utf-8")
    shift.walker.driver.find_element(By.NAME, box).send_keys(str(path))


def _read_by_the_worker(document: Document) -> None:
    """Index the document in this process, without the queue."""
    document_index(document.pk)
    assert Job.objects.get(document=document).state == JobState.DONE


def _correct_a_word(shift: Shift) -> None:
    walker = shift.walker
    walker.clicks(".way-on a[href*='/read/']")
    walker.sees(".block", "chjld")
    shift.stops("beside-the-pages")
    walker.clicks("a[href*='/correct/b2/']")
    shift.stops("correcting")
    box = walker.sees("textarea[name=text]")
    said = str(box.get_attribute("value"))
    box.clear()
    box.send_keys(said.replace("chjld", "child"))
    walker.types("[name=reason]", "A letter was read wrongly.")
    walker.clicks("input[type=submit][value=Correct]")
    shift.hears("Corrected on page 1")
    shift.stops("corrected")


def _publish(shift: Shift, name: str) -> None:
    """From a document's page, compare its corrections and publish it."""
    walker = shift.walker
    walker.clicks(".way-on a[href$='approve/']")
    walker.sees("h1", "Check and publish")
    shift.stops(f"publishing-{name}")
    for tick in walker.driver.find_elements(By.CSS_SELECTOR, "input[type=checkbox][required]"):
        tick.click()
    walker.clicks("input[type=submit][value=Publish]")
    shift.hears("Published: Croup")


def _run(shift: Shift, number: int) -> int:
    walker, name = shift.walker, f"{shift.name} {number}"
    walker.goes_to("/admin/evaluation/questionset/")
    walker.types("#searchbar", shift.name + Keys.ENTER)
    walker.sees("#searchbar[value]")
    walker.clicks(OPENED)
    walker.clicks("a[href*='questionrun/add/']")
    walker.types("[name=name]", name)
    shift.stops("run-starting")
    walker.clicks(SAVE)
    shift.hears("is started. Questions: 2.")
    if number == 1:
        shift.stops("run-goes-on")
    question_runs_execute_due()
    shift.awaits(".field-state", "Done")
    shift.stops("run-done")
    return QuestionRun.objects.get(name=name).pk
