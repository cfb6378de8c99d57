"""Walk through the main pages of each kind of user: no barrier, no error, at every size.

One site and one browser for all walks. `axe` checks each page by the rules of WCAG 2.1, A and AA:
at each width by all of them, in the dark only by those of contrast, since nothing else changes.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from chat.models import Citation, Conversation
from medrag_site.groups import CLINICIANS
from tests.chat.guidelines import DOSE, QUESTION
from tests.chat.sign_in.provider import CLIENT, SECRET, provider
from tests.chat.sign_in.test_second_factor import code_of
from tests.databases import fresh_database
from tests.site.browsing.browser import WAIT_S, browser, in_a_browser, served
from tests.site.browsing.jobs import JOBS, Shift
from tests.site.browsing.keyboard import Typist, job_of_a_clinician, printed
from tests.site.browsing.walker import WIDTHS, Walker, inhabited

pytestmark = in_a_browser

Walk = tuple[Walker, dict[str, str]]

WIDE = pytest.mark.exhaustive  # in every run only the width that pages fit worst
ONE = WIDTHS[-1:]
SCRIPTS = ("with", "without")
IS_ON_TOP = """
const { x, y, width, height } = arguments[0].getBoundingClientRect();
return document.elementFromPoint(x + width / 2, y + height / 2) === arguments[0]
"""
MISSPELLED = "How is pneunonia in adults treated?"


@pytest.fixture(scope="module")
def walk(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Walk]:
    """Make a site with data on every page, a browser, and the users' passwords."""
    folder = tmp_path_factory.mktemp("walks")
    with (
        django_db_blocker.unblock(),
        fresh_database(socket_dir),
        pytest.MonkeyPatch.context() as patch,
        override_settings(FILES_DIR=folder),
        provider() as hospital,
    ):
        patch.setenv("MEDRAG_TEST_FILES", str(folder))
        (folder / "oidc.toml").write_text(
            f'issuer = "{hospital.issuer}"\nclient_id = "{CLIENT}"\nclient_secret = "{SECRET}"\n'
            f'[groups]\ngl-doctors = "{CLINICIANS}"\n'
        )
        patch.setenv("MEDRAG_OIDC", str(folder / "oidc.toml"))
        passwords = inhabited()
        with served(folder / "web.log") as address, browser(folder) as driver:
            yield Walker(driver, address, files=folder), passwords


@pytest.mark.parametrize(
    ("person", "scripts", "widths"),
    [
        *((person, "with", ONE) for person in JOBS),
        ("staff", "without", ()),
        *(pytest.param(person, "without", (), marks=WIDE) for person in JOBS if person != "staff"),
        *(pytest.param(person, s, WIDTHS, marks=WIDE) for person in JOBS for s in SCRIPTS),
    ],
)
def test_who_works_in_the_administration(
    walk: Walk, tmp_path: Path, settings: Settings, person: str, scripts: str, widths: Sequence[int]
) -> None:
    walker, passwords = walk
    settings.FILES_DIR = walker.files  # the walker's site stores its files there
    shift = Shift(walker, passwords, widths, tmp_path, f"{person}-{scripts}-{len(widths)}")
    walker.shows(width=(widths or ONE)[0])
    with walker.scripts(scripts == "with"):
        JOBS[person](shift)
    assert not shift.wrong, "\n".join(shift.wrong)


@pytest.mark.parametrize("widths", [ONE, pytest.param(WIDTHS, marks=WIDE)])
def test_a_clinician(walk: Walk, widths: Sequence[int]) -> None:
    walker, passwords = walk
    walker.driver.delete_all_cookies()
    walker.goes_to("/sign-in/")
    assert walker.looks("sign-in", widths=widths) == []
    walker.signs_in("clinician", passwords["clinician"])
    assert walker.looks("home", widths=widths) == []
    takes_a_suggestion_by_keyboard(walker, widths)
    thread = Conversation.objects.exclude(user=None).order_by("created_at")[0]
    walker.goes_to(f"/conversations/{thread.pk}/")
    assert walker.looks("conversation", widths=widths) == []
    is_offered_another_spelling(walker, widths)
    walker.clicks("#sharing summary")
    if not walker.driver.find_elements(By.CSS_SELECTOR, "#sharing a"):
        walker.clicks("#sharing button")
    walker.sees("#sharing a")
    walker.goes_to(f"/conversations/{thread.pk}/shared/")
    assert walker.looks("shared", widths=widths) == []
    cited = Citation.objects.filter(claim__turn__conversation=thread)[0]
    for name in ("/guidelines/", "/conversations/", f"/source/citation/{cited.pk}/", "/nothing/"):
        walker.goes_to(name)
        if name == "/nothing/":
            walker.complaints()  # discards the console's 404
        assert walker.looks(name.strip("/").replace("/", "-"), widths=widths) == []


@pytest.mark.parametrize("width", [*(pytest.param(w, marks=WIDE) for w in WIDTHS[:2]), WIDTHS[2]])
def test_a_clinician_s_work_by_keyboard(walk: Walk, width: int) -> None:
    walker, passwords = walk
    walker.shows(width=width)
    typist = Typist(walker)
    job_of_a_clinician(typist, "clinician", passwords["clinician"])
    assert not typist.wrong, "\n".join(typist.wrong)
    shown = printed(walker)
    assert [one for one, is_shown in shown.items() if is_shown] == [
        ".turn h2", ".claim", "a.citation",
    ]  # fmt: skip
    assert walker.complaints() == []


def test_a_second_factor(walk: Walk) -> None:
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


def takes_a_suggestion_by_keyboard(walker: Walker, widths: Sequence[int]) -> None:
    walker.types("#id_question", "pneumonia els")
    walker.sees("#suggestions [role=option]", "Pneumonia elsewhere")
    assert walker.looks("suggestions", widths=widths) == []
    walker.types("#id_question", Keys.DOWN)
    box = walker.sees("#id_question[aria-activedescendant][aria-expanded=true]")
    assert walker.looks("suggestion-chosen", widths=widths) == []
    box.send_keys(Keys.ENTER)
    assert box.get_attribute("value") == "Pneumonia elsewhere"
    assert box.get_attribute("aria-expanded") == "false"
    assert walker.driver.current_url.endswith("/")  # nothing was asked


def is_offered_another_spelling(walker: Walker, widths: Sequence[int]) -> None:
    walker.types("#id_question", MISSPELLED + Keys.ENTER)
    walker.sees(".respelled", "Did you mean")
    assert walker.looks("respelled", widths=widths) == []
    walker.clicks(".respelled button")
    walker.sees(".turn h2", "How is pneumonia in adults treated?")


@pytest.mark.parametrize("scripts", SCRIPTS)
@pytest.mark.parametrize("width", [*(pytest.param(w, marks=WIDE) for w in WIDTHS[:2]), WIDTHS[2]])
def test_a_clinician_s_work(walk: Walk, width: int, scripts: str) -> None:
    walker, passwords = walk
    walker.shows(width=width)
    with walker.scripts(scripts == "with"):
        walker.signs_in("clinician", passwords["clinician"])
        wrong = asks_on(walker) + reads_and_says(walker) + finds_again(walker)
        wrong += walker.looks("work", widths=[width])
    assert not wrong, "\n".join(wrong)


def asks_on(walker: Walker) -> list[str]:
    """Ask, follow up, repeat without a part, ask in one collection, and in all."""
    walker.types("#id_question", QUESTION + Keys.TAB)
    walker.clicks("#ask button.primary")
    walker.sees(".turn.answered .claim", DOSE)
    asks(walker, "and for children?")
    walker.clicks(nth_turn(2) + " .chip")
    walker.sees(nth_turn(3) + " h2")
    walker.clicks("#id_question")
    Select(walker.sees("#id_collection")).select_by_visible_text("Elsewhere")
    asks(walker, QUESTION)
    walker.sees(nth_turn(4) + ".abstained .searched", "Searched only: Elsewhere.")
    wrong = walker.looks("narrowed", widths=[walker.width])
    walker.clicks(nth_turn(4) + " .searched button")
    walker.sees(nth_turn(5) + ".answered .claim", DOSE)
    return wrong


def reads_and_says(walker: Walker) -> list[str]:
    """Open a source and come back, give feedback, and share the conversation."""
    walker.clicks("a.citation")
    walker.sees("rect.painted")
    wrong = walker.looks("cited", widths=[walker.width])
    walker.clicks("a.back")
    walker.clicks(nth_turn(1) + " .feedback button[value=no]")
    walker.clicks(nth_turn(1) + " .feedback summary")
    walker.types(nth_turn(1) + " .feedback textarea", "Which route?")
    walker.clicks(nth_turn(1) + " .feedback details button")
    walker.sees(nth_turn(1) + " .feedback [role=status]", "Thank you.")
    walker.clicks("#sharing summary")
    if walker.has_scripts:
        box = walker.sees("#sharing button")
        in_view = WebDriverWait(walker.driver, WAIT_S)
        in_view.until(lambda driver: driver.execute_script(IS_ON_TOP, box), "it lies under another")
    walker.clicks("#sharing button")
    walker.sees("#sharing a")
    wrong += walker.looks("shared-by-link", widths=[walker.width])
    walker.clicks("#sharing a")
    walker.sees(".notice", "This is what colleagues read")
    return wrong + walker.looks("as-colleagues-read-it", widths=[walker.width])


def finds_again(walker: Walker) -> list[str]:
    """Rename the conversation, and find it by its new name."""
    walker.goes_to("/conversations/")
    walker.clicks(".manage summary")
    box = walker.sees(".manage input[name=title]")
    box.clear()
    box.send_keys(f"For ward {walker.width}" + Keys.ENTER)
    walker.sees(".threads a", f"For ward {walker.width}")
    walker.types("#q", f"ward {walker.width}" + Keys.ENTER)
    walker.sees("#q[value]")
    wrong = walker.looks("found-again", widths=[walker.width])
    walker.clicks(".threads a")
    walker.sees(nth_turn(5))
    return wrong


def asks(walker: Walker, question: str) -> None:
    before = len(walker.driver.find_elements(By.CSS_SELECTOR, ".turn"))
    walker.types("#id_question", question + Keys.TAB)
    walker.clicks("#ask button.primary")
    walker.sees(f"{nth_turn(before + 1)} h2", question)


def nth_turn(number: int) -> str:
    return f"#turns > .turn:nth-child({number})"


def test_the_hospital_s_own_sign_in(walk: Walk) -> None:
    """The pages of a sign-in that failed, and of a person without access."""
    walker, _ = walk
    walker.driver.delete_all_cookies()
    walker.goes_to("/sign-in/")
    walker.sees("a.button", "Sign in with your hospital account")
    wrong = walker.looks("sign-in-of-the-hospital")
    walker.goes_to("/sign-in/hospital/back/?error=access_denied")
    walker.sees("h1", "The hospital's sign-in did not work")
    walker.complaints()  # discards the console's error
    wrong += walker.looks("hospital-sign-in-failed")
    walker.goes_to("/sign-in/")
    walker.clicks("a.button")
    walker.sees("h1", "This site is not open to your account")
    walker.complaints()
    wrong += walker.looks("not-let-in")
    assert not wrong, "\n".join(wrong)
