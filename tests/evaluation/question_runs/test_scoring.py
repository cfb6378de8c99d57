"""Answers scored by patterns, label, kind and source, and the result card over them."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat.question.multiple_choice import written_out
from chat.types import Option
from evaluation.measures.types import AnswerClaim
from evaluation.metrics.statistics import interval
from evaluation.models import Question, ResultOutcome
from evaluation.question_runs.card_words import card_lines, card_sentence, measure_rows
from evaluation.question_runs.items import (
    NamedDocuments,
    option_words,
    options_apart,
    passages_shown,
)
from evaluation.question_runs.result_card import Card, Row, card_of, read_card
from evaluation.question_runs.scoring import (
    NO_DOCUMENT,
    NOT_HERE,
    Worth,
    label_of,
    scored,
    source_scores,
)
from evaluation.question_runs.selectors import card_read
from evaluation.question_runs.services import question_run_execute
from evaluation.question_runs.types import MeasuredItem
from evaluation.question_sets.types import ItemKind
from tests.chat.guidelines import publish_guideline
from tests.evaluation.question_runs.asking import ITEMS, run_of, stored_set

PATTERNS = {"decisive": (r"500\s*mg",), "wrong": ("250 mg",), "dangerous": ("5 g",)}


def answered(text: str, **known: Any) -> MeasuredItem:
    fields = {"question": "Q?", "kind": ItemKind.ANSWERABLE, "is_refused": False}
    return MeasuredItem(**{**fields, "claims": (AnswerClaim(text),), **known})


def refused(**known: Any) -> MeasuredItem:
    return answered("", **{"is_refused": True, "claims": (), **known})


@pytest.mark.parametrize(
    ("item", "worth"),
    [
        (answered("Give 500 mg.", patterns=PATTERNS), Worth.RIGHT),
        (answered("Give 250 mg.", patterns=PATTERNS), Worth.WRONG),
        (answered("Give 500 mg, or 5 g.", patterns=PATTERNS), Worth.DANGEROUS),
        (refused(patterns=PATTERNS), Worth.REFUSED),
        (answered("Give 500 mg."), Worth.UNCOMPARED),
        (refused(), Worth.REFUSED),
        (answered("Yes.", kind=ItemKind.UNANSWERABLE), Worth.WRONG),
        (answered("5 g", kind=ItemKind.UNANSWERABLE, patterns=PATTERNS), Worth.DANGEROUS),
        (refused(kind=ItemKind.UNANSWERABLE), Worth.RIGHT),
        (answered("Yes, it does.", kind=ItemKind.YES_NO, gold_label="yes"), Worth.RIGHT),
        (answered("No.", kind=ItemKind.YES_NO, gold_label="yes"), Worth.WRONG),
        (answered("It does.", kind=ItemKind.YES_NO, gold_label="yes"), Worth.UNCOMPARED),
        (answered("x", kind=ItemKind.MULTIPLE_CHOICE, gold_label="B", option="B"), Worth.RIGHT),
        (answered("x", kind=ItemKind.MULTIPLE_CHOICE, gold_label="B", option="A"), Worth.WRONG),
    ],
)
def test_what_an_answer_is_worth(item: MeasuredItem, worth: Worth) -> None:
    assert scored(item).worth == worth


def test_the_worths_are_those_of_the_database_the_worst_first() -> None:
    assert [str(each) for each in Worth] == ResultOutcome.values


def test_a_measure_without_a_value_says_why() -> None:
    assert scored(answered("Yes.")).not_run == {
        "documents found": "the question names no document",
        "outcome by patterns": "the question has no patterns",
        "label accuracy": "the question has no gold label",
    }
    unread = scored(answered("It does.", kind=ItemKind.YES_NO, gold_label="yes"))
    assert unread.not_run["label accuracy"] == "the answer names no label"
    assert not any("label" in name for name in unread.scores)


def test_a_refusal_has_no_label_and_counts_as_wrong_where_that_is_said() -> None:
    found = scored(refused(kind=ItemKind.YES_NO, gold_label="yes")).scores
    assert found["label accuracy, refused as wrong"] == 0.0
    assert "label accuracy, answered" not in found


def test_helped_by_the_excerpts_of_a_refusal() -> None:
    found = scored(refused(patterns=PATTERNS, excerpts=("Give 500 mg.",))).scores
    assert (found["refused"], found["helped"], found["full"]) == (1.0, 1.0, 0.0)


def test_a_refusal_for_a_broken_part_is_counted() -> None:
    for reason, failed in (
        ("VERIFIER_UNAVAILABLE", 1.0),
        ("BUDGET_EXCEEDED", 1.0),
        ("WEAK_EVIDENCE", 0.0),
    ):
        assert scored(refused(reason=reason)).scores["a part failed"] == failed


@pytest.mark.parametrize(
    ("text", "label"),
    [("Yes, it helps.", "yes"), ("NO", "no"), ("“Maybe", "maybe"), ("Nothing", ""), ("", "")],
)
def test_the_label_of_an_answer(text: str, label: str) -> None:
    assert label_of(answered(text, kind=ItemKind.YES_NO)) == label


def test_options_are_asked_with_the_question_once() -> None:
    question = Question(question="Which helps?", options=["Tea", "Rest"])
    apart = options_apart(question)
    assert apart == (Option("A", "Tea"), Option("B", "Rest"))
    asked = written_out(question.question, apart)
    assert asked == "Which helps? A) Tea B) Rest"
    assert options_apart(Question(question=asked, options=["Tea", "Rest"])) == ()
    assert options_apart(Question(question="Why?")) == ()


def test_an_option_is_named_with_its_text() -> None:
    question = Question(question="Which helps?", options=["Tea", "Rest"])
    assert option_words(question, "B") == "B) Rest"
    assert option_words(question, "") == ""
    assert option_words(Question(question="Does it?"), "yes") == "yes"


def test_passages_are_those_that_the_generator_was_shown() -> None:
    explained = {"hits": [{"chunk": "x"}]}  # a second search, for the reason of a refusal
    searches = [{"hits": [{"chunk": "b"}, {"chunk": "b"}]}, explained]
    assert passages_shown({"generation": {"keys": {"1": "a"}}, "searches": searches}) == ("a",)
    assert passages_shown({"generation": None, "searches": searches}) == ("b",)
    assert passages_shown({}) == ()


def test_a_card_has_each_mean_with_its_n_and_interval() -> None:
    rows = [
        Row({"answered": 1.0, "full": 1.0, "zeal": 3.0}, "right", 1000, 10),
        Row({"answered": 1.0, "full": 0.0}, "wrong", 3000, 20),
        Row({"answered": 0.0}, "refused", 2000, 0, {"full": "no patterns"}),
    ]
    card = card_of(rows, {"done": 3, "failed": 1})
    assert list(card.measures) == ["answered", "full", "zeal"]
    assert card.measures["answered"] == interval([1.0, 1.0, 0.0])
    assert card.measures["full"] == interval([1.0, 0.0])
    assert card.measures["full"].n == 2
    assert card.latency_ms == {"p50": 2000.0, "p95": pytest.approx(2000 + 0.9 * 1000)}
    assert card.tokens == {"whole": 30, "mean": 10.0}
    assert card.outcomes == {"refused": 1, "right": 1, "wrong": 1}
    assert card.not_run == {"full": {"no patterns": 1}}
    lines = list(card_lines(card))
    assert lines[0] == (
        "3 of 4 questions were asked, 2 answered, 1 refused; by patterns, labels or kind 1 right, "
        "1 wrong, 1 refused though answerable."
    )
    assert lines[2] == "Items: 3 done, 1 failed."
    assert "- No value: no patterns (1 item): full" in lines
    assert "Latency: p50 2.00 s, p95 2.90 s." in lines
    stored = json.loads(json.dumps(card.as_json(), sort_keys=True))
    assert read_card(stored) == card
    assert list(read_card(stored).measures) == list(card.measures)


CHECKER, MODEL = ({"name": name, "fingerprint": name} for name in ("checker", "llm"))


def plain_card(*judges: dict[str, str]) -> Card:
    """Two answers without pattern or label, both faithful."""
    scores = {"answered": 1.0, "claim_faithfulness": 1.0}
    rows = [
        Row(scores, "uncompared", 1, 0, {}, confidence, is_answerable=True, judged_by=judges)
        for confidence in (0.9, 0.8)
    ]
    return card_of(rows, {"done": 2})


def test_a_card_says_what_it_does_not_know() -> None:
    lines = list(card_lines(plain_card(CHECKER)))
    assert lines[0] == (
        "2 of 2 questions were asked, 2 answered, 0 refused; whether the answers are right is not "
        "known without patterns, labels or a judge."
    )
    assert "Wrongly answered: not known without unanswerable questions in the set." in lines
    assert "Wrongly refused: 0 of 2 answerable questions." in lines
    assert "AURC (lower is better): not known without patterns, labels or a judge." in lines
    assert any("lower bounds" in line for line in lines)
    assert "| claim faithfulness, at least | 1.0000 | 1.0000 to 1.0000 | 2 |" in lines
    by_model = "\n".join(card_lines(plain_card(MODEL)))
    assert "AURC (lower is better): 0.0000." in by_model
    assert "lower bounds" not in by_model


def test_a_played_judge_is_named() -> None:
    played = {"name": "ragas", "fingerprint": "ragas-0.4.3:word-for-word:encoder:3:4096"}
    assert "The judge is played" in "\n".join(card_lines(plain_card(played)))


def test_a_card_of_nothing() -> None:
    card = card_of([], {"pending": 2})
    assert (card.measures, card.latency_ms, card.tokens) == ({}, {}, {})
    assert "nan" not in "\n".join(card_lines(card)).lower()


NAME = "ragas_faithfulness"


def row(why: str = "") -> Row:
    scores = {"answered": 1.0} if why else {"answered": 1.0, NAME: 1.0}
    return Row(scores, "uncompared", 1, 0, {NAME: why} if why else {})


@pytest.mark.parametrize("why", ["failed: the judge took too long", "not run: no judge"])
def test_a_mean_with_gaps_says_how_many_were_judged(why: str) -> None:
    card = card_of([row()] * 5 + [row(why=why)] * 5, {"done": 10})
    (cells,) = [cells for cells in measure_rows(read_card(card.as_json())) if "RAGAS" in cells[0]]
    assert (cells[0], cells[1], cells[3]) == (
        "RAGAS faithfulness, of those judged", "1.0000", "5 of 10"
    )  # fmt: skip
    assert "RAGAS faithfulness 1.00 (only 5 of 10 were judged)" in card_sentence(card)


def test_an_item_that_has_no_value_is_no_gap() -> None:
    card = card_of([row()] * 5 + [row(why="the question was refused")] * 5, {"done": 10})
    (cells,) = [cells for cells in measure_rows(card) if "RAGAS" in cells[0]]
    assert (cells[0], cells[3]) == ("RAGAS faithfulness", "5")
    assert "RAGAS faithfulness 1.00." in card_sentence(card)


ITEM = MeasuredItem(
    "Q?",
    "answerable",
    is_refused=False,
    relevant=("a.pdf", "b.pdf", "gone.pdf"),
    page=3,
    in_force=frozenset({"a.pdf", "b.pdf"}),
    found=("x", "x", "a.pdf", "x", "y"),
    cited=(("a.pdf", 3), ("a.pdf", 4), ("x", 3), ("a.pdf", 3)),
)


def test_by_hand() -> None:
    ideal = 1 + 1 / math.log2(3)  # two relevant documents
    assert source_scores(ITEM)[0] == pytest.approx(
        {
            "document success@1": 0.0,
            "document recall@5": 1 / 2,
            "document nDCG@5": (1 / math.log2(3)) / ideal,  # a.pdf is second, x counts once
            "document recall@10": 1 / 2,
            "document nDCG@10": (1 / math.log2(3)) / ideal,
            "right document cited": 3 / 4,
            "right page cited": 2 / 3,
        }
    )


def test_what_can_not_be_told_says_why() -> None:
    assert source_scores(replace(ITEM, relevant=()))[1] == {"documents found": NO_DOCUMENT}
    assert source_scores(replace(ITEM, in_force=frozenset()))[1] == {"documents found": NOT_HERE}
    assert "right page cited" not in source_scores(replace(ITEM, page=None))[0]
    assert "right document cited" not in source_scores(replace(ITEM, is_refused=True))[0]
    nothing = source_scores(replace(ITEM, found=(), cited=()))[0]
    assert set(nothing.values()) == {0.0}


@pytest.mark.django_db
def test_of_a_run() -> None:
    document = publish_guideline(picture=False)
    named = [
        replace(ITEMS[0], key=key, relevant=(key,), page=1)
        for key in (document.filename, document.sha256)
    ]
    run = run_of(stored_set((*named, replace(ITEMS[0], relevant=("other.pdf",)))), measures=())
    question_run_execute(run)
    card = card_read(run)
    for measure in ("document success@1", "document nDCG@10", "right document cited"):
        assert (card.measures[measure].mean, card.measures[measure].n) == (1.0, 2)
    assert card.measures["right page cited"].n == 2
    assert card.not_run["documents found"] == {NOT_HERE: 1}


def test_a_document_is_named_by_its_file_with_its_ending_or_without(db: None) -> None:
    """Published sets name an abstract by its number, and its file is `12377809.xml`."""
    document = publish_guideline()
    stem = Path(document.filename).stem
    assert stem != document.filename
    for name in (document.filename, stem, document.sha256):
        assert NamedDocuments([name, "another"]).in_force == {name}
    assert not NamedDocuments([stem[:-1]]).in_force & {stem[:-1]}
