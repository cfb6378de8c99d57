"""Figures of the release stand in one file, as their pages tell them, and of the gate they name."""

import re
from collections.abc import Iterator

import pytest

from bench.training.choice import THRESHOLD
from chat.reader.answerable import answerable
from chat.reader.weights import weights
from medrag_site.assurance.hazards import FOLDER, hazards
from medrag_site.assurance.model_cards import model_cards
from medrag_site.assurance.release_figures import Figure, release_figures, with_figures
from medrag_site.configuration.answers import Thresholds
from medrag_site.configuration.page import meanings
from tests.test_docs import DOCUMENTS, ROOT, text_of

# A number that is said to be the gate's: `gate 0.44`, `built in: 0.44`, `built-in 0.44`.
OF_THE_GATE = re.compile(
    r"(?:\bgate(?: of| from| at|,? threshold)?|\bbuilt[ -]in:?|\bgate opens from) (0\.\d+)"
)
NOT_OF_TODAY = ("CHANGELOG.md", "evaluation.md")  # what was measured before stands there


@pytest.mark.parametrize("name", sorted(release_figures()))
def test_each_figure_stands_on_its_page_as_it_is_told(name: str) -> None:
    figure = release_figures()[name]
    assert figure.row in text_of(ROOT / figure.at)
    said = {float(figure.count)} if figure.of else {figure.share, round(100 * figure.share, 3)}
    assert said & set(map(float, re.findall(r"\d+(?:\.\d+)?", figure.row)))
    assert 0 < figure.value < 1


def test_the_system_s_own_figures_are_of_the_gate_that_is_shipped() -> None:
    for name in ("full", "dangerous", "gate-right", "gate-wrong"):
        assert release_figures()[name].gate == weights().threshold, name


def test_a_figure_of_another_gate_says_so() -> None:
    figure = Figure("Right", "0.1", "all", "none", "docs/evaluation.md", "", 1, 2)
    now = weights()
    told = {
        (now.threshold, now.version): "",
        (0.36, now.version): "not counted again",
        (now.threshold, "cascade-0"): "not counted again",
    }
    for (gate, version), expected in told.items():
        state = Figure(**{**vars(figure), "gate": gate, "weights": version}).state
        assert ("not counted again" in state) == bool(expected)
    assert with_figures("{figure dangerous}.") == "2 of 50 (gate 0.44)."


@pytest.mark.django_db
def test_no_figure_is_written_by_hand() -> None:
    cards = (FOLDER / "model_cards.toml").read_text(encoding="utf-8")
    assert "ValueJson" not in cards
    assert not re.findall(r"\d+ of \d+|\b0\.\d{2,}|\d %", cards.replace("90 % confidence", ""))
    for text in [*model_cards().values(), *(each.left for each in hazards())]:
        assert "{figure" not in text
    told = {each.id: each.left for each in hazards()}
    assert release_figures()["dangerous"].short in told["H20"]


def gate_numbers() -> Iterator[tuple[str, str]]:
    pages = [path for path in DOCUMENTS if path.name not in NOT_OF_TODAY]
    texts = {path.name: text_of(path) for path in [*pages, *FOLDER.glob("*.toml")]}
    texts["MEDRAG_THRESHOLDS"] = meanings(Thresholds)["gate"]
    for name, text in texts.items():
        for number in OF_THE_GATE.findall(re.sub(r"\s+", " ", text)):
            yield name, number


def test_every_number_of_the_gate_is_that_of_the_code() -> None:
    now = weights().threshold
    assert now == THRESHOLD
    found = list(gate_numbers())
    assert {"answers.md", "settings.md", "MEDRAG_THRESHOLDS"} <= {name for name, _ in found}
    measured = {figure.gate for figure in release_figures().values()}
    for name, number in found:
        allowed = measured if name in ("hazards.md", "figures.toml") else {now}
        assert float(number) in allowed, (name, number)
    answers = text_of(ROOT / "docs" / "answers.md")
    assert f"0.5 + t/2: {0.5 + now / 2:.2f} with" in answers
    assert f"threshold is {answerable().threshold:.2f}" in answers
    assert f"t = {answerable().threshold:.2f}" in answers


def test_the_first_page_of_the_evaluation_has_the_figure_of_the_shipped_gate() -> None:
    page = text_of(ROOT / "docs" / "evaluation.md").split("## On one page")[1]
    first = page.split("|---|---|---|---|---|---|\n")[1].splitlines()[0]
    full = release_figures()["full"]
    assert f"gate {full.gate:g} | answered fully" in first
    assert f"| {full.value:.3f} |" in first
    assert f"| {full.of} |" in first
