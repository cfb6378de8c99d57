"""A visitor who checks each page at each width, and the site for the walks."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from axe_core_python.selenium import Axe
from django.contrib.auth.models import Group, User
from selenium import webdriver

from corpus.models import Collection, Document, Job, JobState, Lifecycle
from medrag_site.demo import demo_accounts
from medrag_site.groups import ADMINISTRATORS, CLINICIANS, PUBLISHERS
from tests.chat.guidelines import UNANSWERABLE, ask, publish_guideline
from tests.corpora import publish
from tests.people import person
from tests.site.browsing.browser import Visitor

WIDTHS = (1280, 768, 390)
RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)
SQUEEZED = """
const shown = [...document.querySelectorAll(".bar :is(a, button, .badge, .who)")];
return shown.filter((one) => one.offsetHeight > 48).map((one) => one.innerText)
"""  # a line is 44 pixels high
FINISHED = "for (const one of document.getAnimations()) one.finish()"
HAS_AXE = "return 'axe' in window"


class Walker(Visitor):
    """A visitor who checks each page with `axe`, at all widths, in light and dark."""

    axe = Axe()
    has_scripts = True
    width = WIDTHS[0]

    def __init__(self, driver: webdriver.Chrome, address: str, *, files: Path) -> None:
        super().__init__(driver, address)
        self.files = files  # the site's folder of uploads

    def looks(self, name: str, *, widths: Sequence[int] = WIDTHS) -> list[str]:
        """Return what is wrong with the open page; empty if nothing is.

        Leaves the page at the first width. `axe` needs scripts, so they are on meanwhile; scripts
        of a page loaded without them still don't run.
        """
        found = []
        self._runs_scripts(True)
        for width in widths:
            self.shows(width=width, scheme="light")
            found += [f"{name} at {width}: {barrier}" for barrier in self._barriers(RULES)]
            if self.driver.execute_script(SCROLLS_SIDEWAYS):
                found.append(f"{name} at {width} scrolls sideways")
            if squeezed := self.driver.execute_script(SQUEEZED):
                found.append(f"{name} at {width} squeezes {squeezed} at its top")
            self._keeps(f"{name}-{width}-light")
            self.shows(width=width, scheme="dark")
            found += [f"{name} at {width}, dark: {b}" for b in self._barriers(CONTRAST)]
            self._keeps(f"{name}-{width}-dark")
        self.shows(width=widths[0], scheme="light")
        self._runs_scripts(self.has_scripts)
        return found + self.complaints()

    def shows(self, *, width: int, scheme: str = "light") -> None:
        self.width = width
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": key, "value": value} for key, value in features.items()]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.execute_script(FINISHED)  # ends the transitions of colours

    @contextlib.contextmanager
    def scripts(self, on: bool, /) -> Iterator[None]:
        """Switch the pages' own scripts on or off within the block."""
        self.has_scripts = on
        self._runs_scripts(on)
        try:
            yield
        finally:
            self.has_scripts = True
            self._runs_scripts(True)

    def _runs_scripts(self, on: bool, /) -> None:
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def _barriers(self, rules: dict[str, Any]) -> list[str]:
        if not self.driver.execute_script(HAS_AXE):
            self.driver.execute_script(self.axe.axe_script)
        options = {"runOnly": rules, "resultTypes": ["violations"]}
        script = (
            "axe.run(arguments[0]).then((found) => "
            "arguments[1](found.violations.map(({ id, nodes }) => "
            "nodes.map(({ target, failureSummary }) => `${id} ${target} ${failureSummary}`))))"
        )
        found: list[list[str]] = self.driver.execute_async_script(script, options)
        return [barrier for of_a_rule in found for barrier in of_a_rule]

    def _keeps(self, name: str) -> None:
        if folder := os.environ.get("MEDRAG_TEST_SCREENSHOTS"):
            self.driver.save_screenshot(f"{folder}/{name}.png")


def inhabited() -> dict[str, str]:
    passwords = {name: password for name, _, password in demo_accounts()}
    passwords["administrator"] = "administrator-secret"
    administrator = User.objects.create_user(
        "administrator", password=passwords["administrator"], is_staff=True
    )
    administrator.groups.set(Group.objects.filter(name__in=[ADMINISTRATORS, CLINICIANS]))
    User.objects.create_superuser("superuser", password="superuser-secret")
    person("second", PUBLISHERS)
    passwords |= {name: f"{name}-secret" for name in ("superuser", "second")}
    publish_guideline(issuer="Northfield")
    publish_guideline(title="Pneumonia elsewhere", issuer="Southfield", population="child")
    publish_guideline(title="Withdrawn", lifecycle=Lifecycle.WITHDRAWN)
    publish("# Asthma\nGive salbutamol 5 mg.", collection="elsewhere")
    failed = publish_guideline(title="Damaged", lifecycle=Lifecycle.DRAFT, indexed_at=None)
    Job.objects.filter(document=failed).update(state=JobState.FAILED)
    clinician = User.objects.get(username="clinician")
    first = ask(clinician)
    ask(clinician, UNANSWERABLE, conversation=first.conversation)
    return passwords


def places() -> dict[str, Any]:
    """Return the values for the parameters of the pages' addresses."""
    return {
        "document": Document.objects.order_by("pk")[0].pk,
        "failed": Document.objects.get(title="Damaged").pk,
        "withdrawn": Document.objects.get(title="Withdrawn").pk,
        "collection": Collection.objects.order_by("pk")[0].pk,
    }
