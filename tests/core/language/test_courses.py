"""Questions on failure and relapse are read with what was treated."""

import pytest

from core.language.en.threads.courses import in_course
from core.language.en.threads.types import Asked
from tests.tables import cases


@pytest.mark.parametrize(("before", "question", "read"), cases(__file__, "courses.tsv"))
def test_what_comes_after_is_asked_of_what_was_treated(
    before: str, question: str, read: str
) -> None:
    asked = [Asked(before, before, was_answered=True)]
    assert in_course(question, asked) == ("" if read == "-" else read)
    assert not in_course(question, [])


def test_a_second_such_question_goes_back_to_the_same_treatment() -> None:
    failing = "what if metronidazole does not work?"
    treated = Asked("treatment of the first episode of pouchitis", "", was_answered=True)
    turns = [treated, Asked(failing, in_course(failing, [treated]), was_answered=False)]
    assert in_course("relapse?", turns) == "Treatment of pouchitis, relapse?"
