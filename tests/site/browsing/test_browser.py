"""Test the whole way in a real browser, against a real web server and a real worker."""

from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from corpus.models import Document, JobState
from medrag_site.demo import demo_accounts
from tests.chat import guidelines
from tests.processes import ROOT, running
from tests.site.browsing.browser import UNHURRIED, WAIT_S, Visitor, in_a_browser, served

pytestmark = in_a_browser

SAMPLE = ROOT / "samples" / "guidelines" / "gentamicin-once-daily-adults.pdf"
QUESTION = "What is the first dose of gentamicin in adults?"
SCROLLS_SIDEWAYS = (
    "const page = document.documentElement; return page.scrollWidth > page.clientWidth"
)
DOSE_CITED = "//li[p[@class='claim'][contains(., '7 mg/kg')]]//a[@class='citation']"
UNANSWERABLE = "What is the boiling point of tungsten?"


def test_from_an_upload_to_a_cited_answer_and_a_refusal(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    passwords = {name: password for name, _, password in demo_accounts()}
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        with running("worker", log=tmp_path / "worker.log", **UNHURRIED):
            visitor.signs_in("staff", passwords["staff"])
            upload(visitor)
            publish(visitor)
        visitor.signs_in("clinician", passwords["clinician"])
        ask_and_read(visitor)
        look_at_the_source(visitor)
        ask_in_vain(visitor)
        assert visitor.complaints() == []


def upload(visitor: Visitor) -> None:
    visitor.goes_to("/admin/corpus/document/")
    visitor.clicks(".object-tools .addlink")
    visitor.driver.find_element(By.NAME, "uploads").send_keys(str(SAMPLE))
    visitor.clicks("input[type=submit][value=Upload]")
    visitor.sees(".upload-row", "gentamicin-once-daily-adults.pdf")
    visitor.sees(".upload-row .state.done", "Read")  # without a reload: the row polls
    document = Document.objects.get()
    assert (document.job.state, document.page_count) == (JobState.DONE, 3)


def publish(visitor: Visitor) -> None:
    visitor.goes_to("/admin/corpus/document/")
    visitor.clicks("input.action-select")
    visitor.clicks("select[name=action] option[value=publish]")
    visitor.clicks("button[name=index]")
    visitor.sees("h1", "Check and publish")
    for tick in visitor.driver.find_elements(By.NAME, "looked"):
        tick.click()
    visitor.clicks("input[type=submit][value=Publish]")
    visitor.sees(".messagelist .success", "Published")


def ask_and_read(visitor: Visitor) -> None:
    visitor.types("#id_question", QUESTION + Keys.ENTER)
    visitor.sees(".turn.answered h2", QUESTION)
    visitor.sees(".claim", "7 mg/kg")
    visitor.sees(".check", "Check the cited page before acting.")


def look_at_the_source(visitor: Visitor) -> None:
    visitor.waits_for(DOSE_CITED)
    visitor.driver.find_element(By.XPATH, DOSE_CITED).send_keys(Keys.ENTER)
    visitor.sees(".beside blockquote", "7 mg/kg")
    painted = visitor.sees("svg.picture rect.painted")
    size = painted.rect
    assert size["width"] > 50
    assert size["height"] > 5
    script = (
        "const box = arguments[0].getBoundingClientRect();"
        "return box.top >= 0 && box.bottom <= innerHeight"
    )
    in_view = WebDriverWait(visitor.driver, WAIT_S)
    in_view.until(lambda driver: driver.execute_script(script, painted))
    picture = "return fetch(document.querySelector('svg image').href.baseVal).then(r => r.status)"
    assert visitor.driver.execute_script(picture) == 200
    visitor.clicks("a.back")
    visitor.sees(".turn.answered h2", QUESTION)


def ask_in_vain(visitor: Visitor) -> None:
    before = visitor.driver.current_url
    visitor.types("#id_question", UNANSWERABLE)
    visitor.clicks("#ask button.primary")
    visitor.sees(".turn.abstained h2", UNANSWERABLE)
    visitor.sees(".turn.abstained .verdict", "No answer")
    assert visitor.driver.current_url == before  # swapped in, not reloaded
    assert len(visitor.driver.find_elements(By.CSS_SELECTOR, ".turn")) == 2
    assert visitor.driver.find_element(By.ID, "id_question").get_attribute("value") == ""
    focused = visitor.driver.switch_to.active_element
    assert focused.text == UNANSWERABLE  # for a screen reader


def test_a_search_is_narrowed_on_a_phone_without_scrolling_sideways(
    own_database: str, tmp_path: Path, driver: webdriver.Chrome
) -> None:
    password = {name: password for name, _, password in demo_accounts()}["clinician"]
    issuer = "Northfield University Hospitals, department of emergency and general medicine"
    guidelines.publish_guideline(issuer=issuer)
    guidelines.publish_guideline(title="Elsewhere", issuer="Southfield")
    metrics = {"width": 375, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    with served(tmp_path / "web.log") as address:
        visitor = Visitor(driver, address)
        visitor.signs_in("clinician", password)
        visitor.clicks(".narrowing summary")
        visitor.sees("#id_issuer")
        assert not driver.execute_script(SCROLLS_SIDEWAYS)
        Select(driver.find_element(By.ID, "id_issuer")).select_by_visible_text("Southfield")
        visitor.types("#id_question", guidelines.QUESTION + Keys.ENTER)
        visitor.sees(".turn", "Southfield")
        assert not driver.execute_script(SCROLLS_SIDEWAYS)
        visitor.sees(".menu", "New question")
        visitor.sees(".menu", "Guidelines")
        visitor.clicks(".searched button")
        visitor.sees(".turn ~ .turn")
        driver.execute_script("document.activeElement.blur()")
        note = driver.find_element(By.ID, "ask-note")
        WebDriverWait(driver, WAIT_S).until(lambda _: not note.is_displayed())
        visitor.clicks("#id_question")
        visitor.sees("#ask-note", "Leave out names")
        assert visitor.complaints() == []
