"""A walk of each kind of person over their main pages: no barrier, no error, at every size.

One site and one browser for all of them. `axe` looks at each page by the rules of WCAG 2.1, A and
AA: at both widths by all of them, in the dark by those of contrast, the only ones it can change.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from axe_core_python.selenium import Axe
from django.contrib.auth.models import Group, User
from django.test import override_settings
from pytest_django import DjangoDbBlocker
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chat.models import Citation, Conversation, Turn
from corpus.models import Collection, Document, Job, JobState, Lifecycle
from evaluation.models import QuestionRun
from evaluation.question_runs.services import question_runs_execute_due
from medrag_site.accounts import ADMINISTRATORS, demo_accounts
from tests.chat.guidelines import DOSE, QUESTION, UNANSWERABLE, ask, publish_guideline
from tests.databases import fresh_database
from tests.evaluation.question_runs.asking import run_of
from tests.site.browsing.browser import Visitor, browser, in_a_browser, served
from tests.site.sign_in.test_second_factor import code_of

pytestmark = in_a_browser

WIDTHS = (1280, 390)
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)
FINISHED = "for (const one of document.getAnimations()) one.finish()"
MISSPELLED = "How is pnuemonia in adults treated?"
ADMIN = {
    "staff": [
        "/admin/",
        "/admin/corpus/document/",
        "/admin/corpus/document/add/",
        "/admin/corpus/document/{document}/change/",
        "/admin/corpus/document/{document}/read/1/",
        "/admin/corpus/document/{document}/read/1/correct/b1/",
        "/admin/corpus/document/{failed}/step/discard/",
        "/admin/corpus/document/{withdrawn}/step/reinstate/",
        "/admin/corpus/collection/{collection}/change/",
        "/admin/retrieval/lexiconentry/",
    ],
    "auditor": [
        "/admin/",
        "/admin/chat/turn/",
        "/admin/chat/turn/{turn}/change/",
        "/admin/chat/auditevent/",
        "/admin/chat/review/",
        "/admin/chat/feedback/",
    ],
    "evaluator": [
        "/admin/",
        "/admin/evaluation/questionset/",
        "/admin/evaluation/questionset/add/",
        "/admin/evaluation/questionrun/",
        "/admin/evaluation/questionrun/add/",
        "/admin/evaluation/questionrun/{run}/change/",
    ],
    "administrator": [
        "/admin/",
        "/admin/auth/user/",
        "/admin/auth/user/add/",
        "/admin/auth/user/{user}/change/",
        "/admin/axes/accessattempt/",
    ],
}


class Walker(Visitor):
    """A visitor who looks at each page in both widths, in light and dark, with `axe` beside."""

    def looks(self, name: str) -> list[str]:
        """What is wrong with the page that is open; nothing if all is well."""
        found = []
        for width in WIDTHS:
            self._shows(width=width, scheme="light")
            found += [f"{name} at {width}: {barrier}" for barrier in self._barriers(RULES)]
            if self.driver.execute_script(SCROLLS_SIDEWAYS):
                found.append(f"{name} at {width} scrolls sideways")
            self._keeps(f"{name}-{width}-light")
            self._shows(width=width, scheme="dark")
            found += [f"{name} at {width}, dark: {b}" for b in self._barriers(CONTRAST)]
            self._keeps(f"{name}-{width}-dark")
        self._shows(width=WIDTHS[0], scheme="light")
        return found + self.complaints()

    def _shows(self, *, width: int, scheme: str) -> None:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": key, "value": value} for key, value in features.items()]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.execute_script(FINISHED)  # colours that fade into each other

    def _barriers(self, rules: dict[str, Any]) -> list[str]:
        options = {"runOnly": rules, "resultTypes": ["violations"]}
        violations = Axe().run(self.driver, options=options)["violations"]
        return [
            f"{v['id']} {n['target']} {n['failureSummary']}" for v in violations for n in v["nodes"]
        ]

    def _keeps(self, name: str) -> None:
        if folder := os.environ.get("MEDRAG_TEST_SCREENSHOTS"):
            self.driver.save_screenshot(f"{folder}/{name}.png")


@pytest.fixture(scope="module")
def walk(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Walker, dict[str, str]]]:
    """A site with something on every page, a browser, and the passwords of its people."""
    folder = tmp_path_factory.mktemp("walks")
    with (
        django_db_blocker.unblock(),
        fresh_database(socket_dir),
        pytest.MonkeyPatch.context() as patch,
        override_settings(FILES_DIR=folder),
    ):
        patch.setenv("MEDRAG_TEST_FILES", str(folder))
        passwords = inhabited()
        with served(folder / "web.log") as address, browser(folder) as driver:
            yield Walker(driver, address), passwords


def inhabited() -> dict[str, str]:
    passwords = {name: password for name, _, password in demo_accounts()}
    passwords["administrator"] = "administrator-secret"
    administrator = User.objects.create_user(
        "administrator", password=passwords["administrator"], is_staff=True
    )
    administrator.groups.add(Group.objects.get(name=ADMINISTRATORS))
    publish_guideline(issuer="Northfield")
    publish_guideline(title="Pneumonia elsewhere", issuer="Southfield", population="child")
    publish_guideline(title="Withdrawn", lifecycle=Lifecycle.WITHDRAWN)
    failed = publish_guideline(title="Damaged", lifecycle=Lifecycle.DRAFT, indexed_at=None)
    Job.objects.filter(document=failed).update(state=JobState.FAILED)
    clinician = User.objects.get(username="clinician")
    first = ask(clinician)
    ask(clinician, UNANSWERABLE, conversation=first.conversation)
    run_of()
    question_runs_execute_due()
    return passwords


def places() -> dict[str, Any]:
    """What stands in the addresses of `ADMIN`."""
    return {
        "document": Document.objects.order_by("pk")[0].pk,
        "failed": Document.objects.get(title="Damaged").pk,
        "withdrawn": Document.objects.get(title="Withdrawn").pk,
        "collection": Collection.objects.order_by("pk")[0].pk,
        "turn": Turn.objects.order_by("created_at")[0].pk,
        "run": QuestionRun.objects.get().pk,
        "user": User.objects.get(username="clinician").pk,
    }


@pytest.mark.parametrize("person", ADMIN)
def test_who_works_in_the_administration(walk: tuple[Walker, dict[str, str]], person: str) -> None:
    walker, passwords = walk
    walker.signs_in(person, passwords[person])
    wrong = []
    for address in ADMIN[person]:
        path = address.format(**places())
        walker.goes_to(path)
        assert walker.sees("h1, #site-name").is_displayed()
        assert walker.driver.current_url.endswith(path)
        wrong += walker.looks(f"{person}{address.replace('/', '-').format(**places())}")
    assert not wrong, "\n".join(wrong)


def test_a_clinician(walk: tuple[Walker, dict[str, str]]) -> None:
    walker, passwords = walk
    walker.driver.delete_all_cookies()
    walker.goes_to("/sign-in/")
    assert walker.looks("sign-in") == []
    walker.signs_in("clinician", passwords["clinician"])
    assert walker.looks("home") == []
    takes_a_suggestion_by_keyboard(walker)
    thread = Conversation.objects.exclude(user=None).order_by("created_at")[0]
    walker.goes_to(f"/conversations/{thread.pk}/")
    assert walker.looks("conversation") == []
    is_offered_another_spelling(walker)
    walker.clicks("#sharing summary")
    walker.clicks("#sharing button")
    walker.sees("#sharing a")
    walker.goes_to(f"/conversations/{thread.pk}/shared/")
    assert walker.looks("shared") == []
    cited = Citation.objects.filter(claim__turn__conversation=thread)[0]
    for name in ("/guidelines/", "/conversations/", f"/source/citation/{cited.pk}/", "/nothing/"):
        walker.goes_to(name)
        if name == "/nothing/":
            walker.complaints()  # that it is missing
        assert walker.looks(name.strip("/").replace("/", "-")) == []


def test_a_second_factor(walk: tuple[Walker, dict[str, str]]) -> None:
    walker, passwords = walk
    publisher = User.objects.get(username="publisher")
    walker.signs_in("publisher", passwords["publisher"])
    walker.goes_to("/second-factor/")
    walker.sees("#id_password")
    wrong = walker.looks("second-factor-set-up")
    walker.types("#id_code", code_of(publisher, at=time.time()))
    walker.types("#id_password", passwords["publisher"] + Keys.ENTER)
    walker.sees("h1", "Your recovery codes")
    wrong += walker.looks("recovery-codes")
    walker.goes_to("/second-factor/")
    wrong += walker.looks("second-factor")
    walker.driver.delete_all_cookies()
    walker.goes_to("/sign-in/")
    walker.types("#id_username", "publisher")
    walker.types("#id_password", passwords["publisher"] + Keys.ENTER)
    walker.sees("h1", "Your code")
    wrong += walker.looks("sign-in-code")
    walker.types("#id_code", "wrong" + Keys.ENTER)
    walker.sees("[role=alert]", "does not match")
    assert not wrong + walker.looks("sign-in-code-wrong")


def takes_a_suggestion_by_keyboard(walker: Walker) -> None:
    walker.types("#id_question", "pneumonia els")
    walker.sees("#suggestions [role=option]", "Pneumonia elsewhere")
    assert walker.looks("suggestions") == []
    walker.types("#id_question", Keys.DOWN)
    box = walker.sees("#id_question[aria-activedescendant][aria-expanded=true]")
    assert walker.looks("suggestion-chosen") == []
    box.send_keys(Keys.ENTER)
    assert box.get_attribute("value") == "Pneumonia elsewhere"
    assert box.get_attribute("aria-expanded") == "false"
    assert walker.driver.current_url.endswith("/")  # nothing was asked


def is_offered_another_spelling(walker: Walker) -> None:
    walker.types("#id_question", MISSPELLED + Keys.ENTER)
    walker.sees(".respelled", "Did you mean")
    assert walker.looks("respelled") == []
    walker.clicks(".respelled button")
    walker.sees(".turn h2", "How is pneumonia in adults treated?")


def test_a_clinician_without_javascript(walk: tuple[Walker, dict[str, str]]) -> None:
    walker, passwords = walk
    switch = "Emulation.setScriptExecutionDisabled"
    walker.driver.execute_cdp_cmd(switch, {"value": True})
    try:
        walker.signs_in("clinician", passwords["clinician"])
        for turn in (".turn", ".turn ~ .turn"):
            walker.types("#id_question", QUESTION)
            walker.clicks("#ask button.primary")
            walker.sees(f"{turn}.answered .claim", DOSE)
        assert len(walker.driver.find_elements(By.CSS_SELECTOR, ".turn")) == 2
        assert not walker.driver.find_element(By.ID, "suggestions").is_displayed()
        walker.clicks(".feedback button")
        walker.sees(".feedback [role=status]", "Thank you.")
        walker.clicks("a.citation")
        walker.sees("rect.painted")
    finally:
        walker.driver.execute_cdp_cmd(switch, {"value": False})
