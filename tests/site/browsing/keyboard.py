"""Use a page with the keyboard only: Tab, Enter and words, and check the focus after each."""

from collections.abc import Iterator

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.chat.guidelines import QUESTION
from tests.site.browsing.walker import Walker

MOST_STOPS = 60  # of the Tab key on a page

# Whether the focused element has a ring, is in the window and is not covered at its centre, or, for
# a link over several lines, at the centre of its first line.
IS_SEEN = """
const one = document.activeElement;
if (one === document.body) return "";  // between the end of the page and its top
const drawn = getComputedStyle(one);
const box = one.getClientRects()[0];
if (!box) return "it is nowhere";
if (drawn.outlineStyle === "none" || !parseFloat(drawn.outlineWidth)) return "it has no ring";
if (box.top < 0 || box.bottom > innerHeight) return "it is out of the window";
const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
if (one !== top && !one.contains(top)) return `it lies under ${top && top.outerHTML.slice(0, 80)}`;
return ""
"""
AT = "return document.activeElement.matches(arguments[0])"
WAS_HERE = """
const one = document.activeElement;
if (one === document.body) return false;
const before = one.hasAttribute("data-reached");
one.setAttribute("data-reached", "");
return before
"""
NEVER_REACHED = """
const all = "a[href], button, input:not([type=hidden]), select, textarea, summary";
return [...document.querySelectorAll(all)]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled)
  .filter((one) => !one.hasAttribute("data-reached"))
  .map((one) => one.outerHTML.slice(0, 120))
"""
IS_SHOWN = (
    "return [...document.querySelectorAll(arguments[0])].some((one) => one.checkVisibility())"
)
SECOND, THIRD = "#turns > .turn:nth-child(2)", "#turns > .turn:nth-child(3)"


class Typist:
    """A walker with a keyboard only."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.driver = walker.driver
        focused = {"enabled": True}  # as if the window were in front
        self.driver.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", focused)
        self.wrong: list[str] = []  # elements that Tab skips, or whose focus is invisible

    def presses(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def is_at(self, selector: str) -> bool:
        return bool(self.driver.execute_script(AT, selector))

    def at(self) -> WebElement:
        return self.driver.switch_to.active_element

    def tabs_to(self, selector: str) -> WebElement:
        """Tab until the focus is on the element; every stop on the way must be visible."""
        for _ in self.stops():
            if self.is_at(selector):
                return self.at()
        raise AssertionError(f"{selector} is not reached from the keyboard")

    def stops(self) -> Iterator[WebElement]:
        for _ in range(MOST_STOPS):
            self.presses(Keys.TAB)
            if why := self.driver.execute_script(IS_SEEN):
                self.wrong.append(f"{self.at().get_attribute('outerHTML')}: {why}")
            yield self.at()

    def goes_round(self) -> None:
        """Tab through the whole page, which has to reach every link and field."""
        for _ in self.stops():
            if self.driver.execute_script(WAS_HERE):
                break
        missed = self.driver.execute_script(NEVER_REACHED)
        self.wrong += [f"{one}: Tab never comes to it" for one in missed]


def job_of_a_clinician(typist: Typist, name: str, password: str) -> None:
    """Sign in, ask, open a source, come back, ask on, take a part away, print."""
    walker = typist.walker
    walker.driver.delete_all_cookies()
    walker.goes_to("/sign-in/")
    typist.presses(name, Keys.TAB, password, Keys.ENTER)  # the first box has the focus
    walker.sees("#id_question:focus")
    typist.presses(QUESTION, Keys.ENTER)
    walker.sees(".turn.answered h2", QUESTION)
    typist.tabs_to("a.citation")
    thread = walker.driver.current_url.split("#")[0]
    typist.presses(Keys.ENTER)
    walker.sees("rect.painted")
    typist.tabs_to("a.back")
    typist.presses(Keys.ENTER)
    walker.sees(".turn.answered h2", QUESTION)
    assert walker.driver.current_url.split("#")[0] == thread
    typist.tabs_to("#id_question")
    typist.presses("and for children?", Keys.ENTER)
    walker.sees(f"{SECOND} h2:focus", "and for children?")
    typist.tabs_to(f"{SECOND} .chip")
    said = typist.at().get_attribute("aria-label") or ""
    assert said.startswith("Ask again without ")
    typist.presses(Keys.ENTER)
    walker.sees(f"{THIRD} h2:focus")
    left_out = said.removeprefix("Ask again without ")
    chips = walker.driver.find_elements(By.CSS_SELECTOR, f"{THIRD} .chip")
    assert left_out not in [one.text.removesuffix(" ×") for one in chips]
    typist.goes_round()


def printed(walker: Walker) -> dict[str, bool]:
    """Return which parts of the conversation are printed, by selector."""
    walker.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = {
        one: bool(walker.driver.execute_script(IS_SHOWN, one))
        for one in (".turn h2", ".claim", "a.citation", ".chip", ".composer", ".bar")
    }
    walker.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    return shown
