"""Questions written before they are asked: their patterns fit the documents' own words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.answers.questions import read_questions
from bench.datasets.written_guidelines import Guideline, main, unused_guidelines
from evaluation.measures.patterns import folded, matches
from evaluation.question_sets.patterned import Question
from tests.published import DATA

WRITTEN = DATA / "written"
FILES = sorted(Path(__file__).parent.glob("fresh_*.json"))

pytestmark = pytest.mark.skipif(
    not WRITTEN.is_dir(), reason=f"the guidelines are missing: {WRITTEN} is no folder"
)


@pytest.fixture(scope="module")
def guidelines() -> dict[str, Guideline]:
    """Return the guidelines by the names of their files."""
    return {f"{each.id}.html": each for each in unused_guidelines(WRITTEN)}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents") / "html"
    main(WRITTEN, folder)
    return folder


def answerable(path: Path, documents: Path) -> Iterator[Question]:
    yield from (q for q in read_questions(path, documents).questions if q.is_answerable)


def right_statements(question: Question, guideline: Guideline) -> list[str]:
    """Return the statements that match most, among passages that match every decisive pattern."""
    found: list[str] = []
    for _, statements in guideline.passages:
        texts = [folded(text) for text in statements]
        if matches(question.decisive, " ".join(texts)) == len(question.decisive):
            found += texts
    most = max((matches(question.decisive, text) for text in found), default=0)
    return [text for text in found if matches(question.decisive, text) == most]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_answer_stands_in_one_passage_and_is_not_called_wrong(
    path: Path, guidelines: dict[str, Guideline], documents: Path
) -> None:
    for question in answerable(path, documents):
        right = right_statements(question, guidelines[question.document])
        assert right, f"{question.id}: no passage of {question.document} matches"
        mistaken = [text for text in right if matches(question.wrong, text)]
        assert not mistaken, f"{question.id}: called wrong: {mistaken[0]}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_wrong_pattern_matches_something_that_could_be_shown(
    path: Path, guidelines: dict[str, Guideline], documents: Path
) -> None:
    passages = [passage for each in guidelines.values() for passage in each.passages]
    texts = [folded(text) for _, statements in passages for text in statements]
    for question in answerable(path, documents):
        for pattern in question.wrong:
            assert any(map(pattern.search, texts)), f"{question.id}: {pattern.pattern}"
