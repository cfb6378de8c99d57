"""The sample guidelines through the real services, and every question with a known outcome."""

import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from pytest_django import DjangoDbBlocker

from chat.ask import turn_ask
from chat.caveats.cautions import CONFLICT, MISMATCH
from chat.models import Channel, ClaimKind, Mode, Turn, TurnStatus
from chat.types import AskedQuestion
from corpus.chunking import ChunkSettings, split
from corpus.encoders.registry import get_embedder
from corpus.indexing.rows import pages_of
from corpus.models import Document, Job, JobState, Page
from medrag_site import demo
from tests.corpus.chunking.passages import check_passages
from tests.golden.samples import SAMPLES, TODAY, indexed_samples
from tests.llm.contents import Known, informed
from tests.llm.server import endpoint, replies, says
from tests.llm.sites import ask, generate_by
from tests.models import set_model, unset_models

GOLDEN = Path(__file__).resolve().parent
# Weights may be tuned on these questions, so only a share of them must be right.
DEVELOPMENT_SHARE = 0.85
DEFAULT_MODE = Mode.CONFIDENT_LITE.value
OTHER_MODES = [mode for mode in Mode.values if mode != DEFAULT_MODE]

Item = dict[str, Any]


def questions(name: str) -> list[Item]:
    items: list[Item] = json.loads((GOLDEN / name).read_text())
    return items


@pytest.fixture(scope="module", autouse=True)
def samples(
    django_db_setup: None,
    socket_dir: str,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """Ask the samples in a database of this module's own."""
    files_dir = tmp_path_factory.mktemp("files")
    with django_db_blocker.unblock(), indexed_samples(socket_dir, files_dir):
        _asked.cache_clear()
        yield


@pytest.fixture(scope="module", autouse=True)
def judge() -> Iterator[None]:
    """Configure a judge that accepts every answer: the mode `confident` asks one."""
    said = json.dumps({"coverage": 1, "in_scope": True, "contradicts": False})
    with endpoint(says(said)) as judging:
        set_model(settings, "judge", judging.url, model="judge-1")
        yield
        unset_models(settings, "judge")


@pytest.fixture(
    params=[
        ("questions.json",),
        pytest.param(("questions.json", "development.json"), marks=pytest.mark.exhaustive),
    ],
    ids=("some", "all"),
)
def every_question(request: pytest.FixtureRequest) -> list[str]:
    """Return those that no rule was made with, in `make exhaustive` all."""
    return [item["question"] for name in request.param for item in questions(name)]


def asked(question: str, mode: str = DEFAULT_MODE) -> Turn:
    """Return the question's turn; each question is asked once in each mode."""
    return _asked(question, mode)


@cache
def _asked(question: str, mode: str) -> Turn:
    return turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND, mode=mode))


def quotes(turn: Turn) -> list[Any]:
    return [citation for claim in turn.claims.all() for citation in claim.citations.all()]


def one_line(text: str) -> str:
    return " ".join(text.split())


def failures(items: Sequence[Item], mode: str = DEFAULT_MODE) -> dict[str, str]:
    """Return what is wrong with the outcome of questions, by id, without those that are right."""
    found = {item["id"]: failure_of(item, asked(item["question"], mode)) for item in items}
    return {name: what for name, what in found.items() if what}


# Questions that the reader, trained on real guidelines, missed when this was written. Another
# processor may change one or two.
MISSED = {
    "q-015": "refused: the reader is not sure enough",
    "q-019": "refused: the reader is not sure enough",
    "q-020": "refused: the reader is not sure enough",
    "q-042": "refused: the reader is not sure enough",
}
# Answered though the samples don't say it: the cost of alteplase with its dose.
BESIDE_THE_POINT = {"q-064"}
SLACK = 2  # further questions that may be missed
IN_OTHER_MODES = 10  # questions for each other mode


def judged(items: Sequence[Item], failed: Mapping[str, str]) -> None:
    """Allow the failures in MISSED plus SLACK; warn of each question whose outcome moved."""
    missed = {item["id"] for item in items} & set(MISSED)
    moved = {name: failed.get(name, "right") for name in sorted(missed ^ set(failed))}
    if moved:
        warnings.warn(f"golden questions moved: {json.dumps(moved, indent=1)}", stacklevel=2)
    assert len(failed) <= len(missed) + SLACK, json.dumps(moved, indent=1)


def sample(items: Sequence[Item]) -> list[Item]:
    """Return IN_OTHER_MODES of the items, evenly spread."""
    return [items[place * len(items) // IN_OTHER_MODES] for place in range(IN_OTHER_MODES)]


def is_dangerous(item: Item, turn: Turn) -> bool:
    """Tell whether an unanswerable question was answered, or a `never` text was shown.

    Those texts are other medicines, doses or groups.
    """
    if turn.status != TurnStatus.ANSWERED:
        return False
    said = one_line(" | ".join(c.text for c in turn.claims.filter(kind=ClaimKind.ANSWER)))
    shown = (re.search(rf"(?<![\d.,]){re.escape(text)}", said) for text in item.get("never", ()))
    return not item["answerable"] or any(shown)


def failure_of(item: Item, turn: Turn) -> str:
    if not item["answerable"]:
        got = (turn.status, turn.reason)
        wanted = (TurnStatus.ABSTAINED, item["reason"])
        return "" if got == wanted else f"{got} instead of {wanted}"
    if turn.status != TurnStatus.ANSWERED:
        return f"refused: {turn.reason} at {turn.confidence} " + json.dumps(
            [[v["failed"], v["detail"]] for v in turn.trace.get("verdicts", [])]
        )
    names = dict(Document.objects.values_list("pk", "filename"))
    for citation in quotes(turn):
        right = names[citation.document_id] in item["documents"]
        if right and citation.page == item["page"] and item["span"] in one_line(citation.quote):
            return ""
    return f"not cited; said: {[claim.text[:120] for claim in turn.claims.all()]}"


def test_every_sample_is_ingested() -> None:
    names = {path.name for path in (SAMPLES / "guidelines").iterdir()}
    assert set(Document.objects.values_list("filename", flat=True)) == names
    assert set(Job.objects.values_list("state", flat=True)) == {JobState.DONE.value}
    assert not Document.objects.filter(indexed_at=None).exists()


def test_questions() -> None:
    items = questions("questions.json")
    judged(items, failures(items))


def test_nothing_dangerous_is_shown() -> None:
    items = questions("questions.json")
    shown = {item["id"] for item in items if is_dangerous(item, asked(item["question"]))}
    assert shown <= BESIDE_THE_POINT


def shown_of(turn: Turn) -> str:
    """Return the text of an answer's statements, limits and notes."""
    notes = [warning["text"] for warning in turn.warnings]
    return one_line(" ".join([*(claim.text for claim in turn.claims.all()), *notes]))


def harm_of(item: Item, turn: Turn) -> str:
    """Return what a ward pharmacist would object to; empty for nothing.

    A refusal harms if its reason is false, a list if it is shown in part without saying so.
    """
    if turn.status != TurnStatus.ANSWERED:
        return f"false reason {turn.reason}" if turn.reason in item["never_reason"] else ""
    shown = shown_of(turn)
    if found := [text for text in item["dangerous"] if re.search(text, shown, re.IGNORECASE)]:
        return f"{found}: {shown}"
    items = [text for text in item["list"] if re.search(text, shown, re.IGNORECASE)]
    has_hole = 0 < len(items) < len(item["list"]) and not re.search(r"\b\d+ of \d+\b", shown)
    return f"{len(items)} of {len(item['list'])}: {shown}" if has_hole else ""


def test_nothing_that_would_harm_is_shown_to_who_asks_for_it() -> None:
    items = questions("danger_samples.json")
    harm = {item["id"]: what for item in items if (what := harm_of(item, asked(item["question"])))}
    assert not harm, json.dumps(harm, indent=1)


def test_the_demonstration_shows_two_answers_and_two_refusals() -> None:
    turns = [asked(question) for question in demo.QUESTIONS]
    said = [" ".join(claim.text for claim in turn.claims.all()) for turn in turns]
    assert "Every 36 hours" in said[0]
    assert "to a maximum of 90 mg" in said[1]
    assert [turn.reason for turn in turns] == ["", "", "WEAK_EVIDENCE", "ONLY_OUT_OF_DATE"]
    for turn in turns:  # with a margin of log-odds, so that it is the same on any processor
        gate = turn.trace["searches"][0]["gate"]
        probability, threshold = (
            math.log(p / (1 - p)) for p in (gate["probability"], gate["threshold"])
        )
        assert abs(probability - threshold) > 1


@pytest.mark.parametrize("mode", OTHER_MODES)
def test_questions_in_other_modes(mode: str) -> None:
    items = sample(questions("questions.json"))
    judged(items, failures(items, mode))
    for item in items:
        assert not is_dangerous(item, asked(item["question"], mode)), item["id"]


@pytest.mark.parametrize(
    ("mode", "is_whole"),
    [
        *((mode, False) for mode in Mode.values),
        pytest.param(DEFAULT_MODE, True, marks=pytest.mark.exhaustive),
    ],
)
def test_questions_answered_by_a_language_model(
    settings: LazySettings, mode: str, is_whole: bool
) -> None:
    """By a model that knows the answer and is honest: no sound claim is rejected."""
    items = [item for item in questions("questions.json") if item["id"] not in MISSED]
    items = items if is_whole else sample(items)
    titles = dict(Document.objects.values_list("filename", "title"))
    known = {
        item["question"]: Known(item["span"], tuple(titles[name] for name in item["documents"]))
        for item in items
        if item["answerable"]
    }
    settings.MODE = mode
    with endpoint(replies(informed(known))) as writer:
        generate_by(settings, writer.url)
        turns = [(item, ask(item["question"])) for item in items]
    judged(items, {item["id"]: what for item, turn in turns if (what := failure_of(item, turn))})
    assert not [item["id"] for item, turn in turns if is_dangerous(item, turn)]
    asked_of_it = "\n".join(writer.prompts)
    reached = {item["question"] for item in items if item["question"] in asked_of_it}
    assert len(known) - SLACK <= len(reached & set(known))


@pytest.mark.exhaustive  # what rules were made with; the other set is asked each time
def test_development_questions() -> None:
    items = questions("development.json")
    failed = failures(items)
    assert 1 - len(failed) / len(items) >= DEVELOPMENT_SHARE, json.dumps(failed, indent=1)


def test_however_the_samples_are_cut_nothing_is_lost() -> None:
    count_tokens = get_embedder().count_tokens
    wanted = ChunkSettings(550, 125)
    for sizes in (wanted.bounded(254), wanted):
        for document in Document.objects.all():
            pages = pages_of(document)
            found = split(
                pages,
                title=document.title,
                population=document.population,
                sha256=document.sha256,
                settings=sizes,
                count_tokens=count_tokens,
            )
            check_passages(
                found, pages, title=document.title, settings=sizes, count_tokens=count_tokens
            )


def test_every_quote_stands_verbatim_on_a_page_in_force(every_question: list[str]) -> None:
    for question in every_question:
        for citation in quotes(asked(question)):
            page = Page.objects.get(document=citation.document_id, number=citation.page)
            assert page.text[citation.start : citation.end] == citation.quote
            assert citation.quote.strip()
            assert citation.document.in_force(TODAY), question


def test_no_row_of_another_range_is_shown() -> None:
    """A wrong row of a dosing table is the most dangerous answer."""
    for clearance, right, wrong in (
        (75, "Every 24 hours", ("Every 36 hours", "Every 48 hours")),
        (45, "Every 36 hours", ("Every 24 hours", "Every 48 hours")),
        (25, "Every 48 hours", ("Every 24 hours", "Every 36 hours")),
    ):
        turn = asked(f"What is the gentamicin interval at a clearance of {clearance} mL/min?")
        said = " ".join(claim.text for claim in turn.claims.all())
        assert right in said
        assert not any(other in said for other in wrong), said


@pytest.mark.parametrize(
    "question",
    [
        "What gentamicin dosing interval should I use if the creatinine clearance is 45 mL/min?",
        "What is the boiling point of tungsten?",
        "When is quinine contraindicated?",
    ],
)
@pytest.mark.usefixtures("computed_anew")
def test_asking_twice_gives_the_same(question: str) -> None:
    first, second = (
        asked(question),
        turn_ask(AskedQuestion(question, user=None, channel=Channel.COMMAND)),
    )
    assert first.pk != second.pk
    assert outcome_of(first) == outcome_of(second)


def outcome_of(turn: Turn) -> dict[str, Any]:
    places = [(c.index, c.chunk_key, c.page, c.start, c.end, c.quote) for c in quotes(turn)]
    claims = [(claim.index, claim.text, claim.population) for claim in turn.claims.all()]
    names = "status reason confidence fingerprint nearest owner".split()
    return {name: getattr(turn, name) for name in names} | {"claims": claims, "places": places}


def test_the_one_disagreement_of_the_samples_is_told_and_no_other(
    every_question: list[str],
) -> None:
    """Northfield rechecks the glucose after 15 minutes, Eastvale after 10."""
    said = {
        tuple(sorted(turn.claims.get(index=index).text[:60] for index in warning["claims"]))
        for turn in map(asked, every_question)
        for warning in turn.warnings
        if warning["code"] == CONFLICT
    }
    assert said == {
        tuple(
            f"2. Recheck the capillary blood glucose {minutes} minutes after treatment."[:60]
            for minutes in (10, 15)
        )
    }


def test_no_answer_is_for_other_people_than_the_question(every_question: list[str]) -> None:
    turns = map(asked, every_question)
    assert [turn.question for turn in turns for w in turn.warnings if w["code"] == MISMATCH] == []


def test_each_limit_that_is_added_stands_beside_the_answer_that_left_it_out(
    every_question: list[str],
) -> None:
    added = {
        question: " ".join(c.text for c in asked(question).claims.filter(kind=ClaimKind.CAUTION))
        for question in every_question
    }
    assert (
        "previous allergic reaction"
        in added["Can I give gentamicin to someone with myasthenia gravis?"]
    )
    assert "Intracranial haemorrhage" in added["What is the maximum dose of alteplase in stroke?"]
    assert (
        "as an intravenous bolus"
        in added["What is the maximum rate of intravenous potassium on a general ward?"]
    )
    assert sum(bool(text) for text in added.values()) < len(added) / 3
