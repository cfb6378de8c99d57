"""A question set over the tests' guideline, and its runs."""

from typing import Any

from evaluation.models import QuestionRun, QuestionSet
from evaluation.question_runs.freezing import RunOrder
from evaluation.question_runs.selectors import question_runs_listed
from evaluation.question_runs.services import question_run_create, question_run_execute
from evaluation.question_set_services import SetFacts, question_set_store
from evaluation.question_sets.types import Item, ItemKind, QuestionsRead
from tests.chat.guidelines import QUESTION, UNANSWERABLE

DECISIVE = {"decisive": (r"500\s*mg",), "wrong": (r"250\s*mg",)}
ITEMS = (
    Item("a-right", QUESTION, ItemKind.ANSWERABLE, gold_answer="500 mg", patterns=DECISIVE),
    Item(
        "b-wrong",
        "What dose of demonstracillin do adults with pneumonia get?",
        ItemKind.ANSWERABLE,
        patterns={"decisive": (r"900\s*mg",)},
    ),
    Item("c-refused", UNANSWERABLE, ItemKind.UNANSWERABLE),
    Item(
        "d-follows",
        "And for adults with pneumonia?",
        ItemKind.ANSWERABLE,
        before=("What is the dose of demonstracillin?",),
    ),
)


def stored_set(items: tuple[Item, ...] = ITEMS, *, name: str = "ward") -> QuestionSet:
    return question_set_store(QuestionsRead("guidelines", items), SetFacts(name), by=None)


def run_of(question_set: QuestionSet | None = None, **order: Any) -> QuestionRun:
    return question_run_create(question_set or stored_set(), RunOrder(**order), by=None)


def executed(question_set: QuestionSet | None = None, **order: Any) -> QuestionRun:
    """Return a run whose questions were all asked, as far as its order lets them."""
    run = run_of(question_set, **order)
    question_run_execute(run)
    return run


def listed(run: QuestionRun) -> QuestionRun:
    return question_runs_listed().get(pk=run.pk)
