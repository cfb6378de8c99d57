"""Test that the question's words are marked in an excerpt, and that no text becomes markup."""

import pytest

from chat.web.marking import marked


@pytest.mark.parametrize(
    ("text", "question", "shown"),
    [
        ("Give 5 mg of zelomycin.", "zelomycin dose", "Give 5 mg of <mark>zelomycin</mark>."),
        ("Children aged 5", "child, 5", "<mark>Children</mark> aged <mark>5</mark>"),
        ("6.0 to 6.4, or 6.8.", "K 6.8", "6.0 to 6.4, or <mark>6.8</mark>."),
        ("Above 6.8", "6 or 8", "Above 6.8"),
        ("What is given", "What is it?", "What is given"),
        ("<b>dose</b> & more", "dose", "&lt;b&gt;<mark>dose</mark>&lt;/b&gt; &amp; more"),
        ("", "dose", ""),
    ],
)
def test_marked(text: str, question: str, shown: str) -> None:
    assert marked(text, question) == shown
