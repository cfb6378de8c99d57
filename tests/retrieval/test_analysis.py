"""Abbreviations are spelled out where they stand for one thing."""

import pytest

from retrieval.analysis import expansions, spelled_out


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("MAP target on noradrenaline", ["mean arterial pressure"]),
        ("crcl 25 mL/min", ["creatinine clearance"]),
        ("When has DKA resolved?", ["diabetic ketoacidosis"]),
        ("PCC dose and INR", ["prothrombin complex concentrate", "international normalised ratio"]),
        ("map of the hospital", []),  # a word in small letters
        ("give iv fluids in pe lessons", []),
        ("MAP (mean arterial pressure) target", []),  # spelled out already
        ("DKA or DKA", ["diabetic ketoacidosis"]),
        ("", []),
    ],
)
def test_expansions(question: str, words: list[str]) -> None:
    assert [expansion.words for expansion in expansions(question)] == words


def test_spelled_out_keeps_what_was_typed() -> None:
    assert spelled_out("MAP target") == "MAP (mean arterial pressure) target"
    assert spelled_out("no abbreviation") == "no abbreviation"
