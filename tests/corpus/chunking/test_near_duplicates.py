"""Test which passages say the same thing, and which only seem to."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.language.en.statements.meaning import LABEL_DIGITS, meaning_label
from corpus.encoders.registry import get_embedder
from corpus.services.indexing import document_index
from tests.corpus.documents import ingest
from tests.tables import cases

GIVE = "Give gentamicin 5 mg/kg once daily by infusion over 30 minutes."


@pytest.mark.parametrize(("meaning", "one", "other"), cases(__file__, "meanings.tsv"))
def test_only_what_says_the_same_has_one_label(meaning: str, one: str, other: str) -> None:
    assert (meaning_label(one) == meaning_label(other)) == (meaning == "same")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "Gentamicin guideline"}, {"title": "Gentamicin policy (2024)"}),
        ({"title": "Gentamicin v1.2"}, {"title": "Gentamicin, version 2"}),
        ({"section_path": ("3.1 Dose",)}, {"section_path": ("4. Dose",)}),
        ({"title": "Sepsis", "section_path": ("Antibiotics",)},
         {"title": "Antibiotics", "section_path": ("Sepsis",)}),
        ({"population": "Adults"}, {"population": "adults "}),
    ],
)  # fmt: skip
def test_what_stands_above_may_differ_in_what_is_said_of_the_document(
    one: dict[str, str], other: dict[str, str]
) -> None:
    assert meaning_label(GIVE, **one) == meaning_label(GIVE, **other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "Gentamicin"}, {"title": "Amikacin"}),
        ({"title": "Sepsis in adults"}, {"title": "Sepsis in children"}),
        ({"title": "Protocol 12"}, {"title": "Protocol 13"}),
        ({"section_path": ("Renal failure",)}, {"section_path": ()}),
        ({"section_path": ("Oral",)}, {"section_path": ("Intravenous",)}),
        ({"section_path": ("Give",)}, {"section_path": ("Do not give",)}),
        ({"section_path": ("Under 50 kg",)}, {"section_path": ("Over 50 kg",)}),
        ({"section_path": ("Under 50 kg",)}, {"section_path": ("Under 5 kg",)}),
        ({"section_path": ("< 50 kg",)}, {"section_path": ("> 50 kg",)}),
        ({"section_path": ("Switch A to B",)}, {"section_path": ("Switch B to A",)}),
        ({"section_path": ("Dose (not oral)",)}, {"section_path": ("Dose (oral)",)}),
        *(
            ({"section_path": (one,)}, {"section_path": (other,)})
            for one, other in (
                ("5 mg tablets", "1 mg tablets"),
                ("2 years and over", "12 years and over"),
                ("2.5 mg tablets", "7.5 mg tablets"),
                ("1 or more risk factors", "3 or more risk factors"),
                ("Local anaesthetic", "Anaesthetic"),
                ("Treatment in hospital", "Treatment"),
                ("Factor V deficiency", "Factor deficiency"),
            )
        ),
        ({"population": "adult"}, {"population": "child"}),
        ({"population": "adult"}, {"population": ""}),
        ({"population": "adult"}, {"title": "adult"}),
    ],
)
def test_the_same_words_under_other_headings_are_something_else(
    one: dict[str, str], other: dict[str, str]
) -> None:
    assert meaning_label(GIVE, **one) != meaning_label(GIVE, **other)


def test_likeness_of_vectors_would_link_what_differs() -> None:
    """Why vectors don't decide: a dose, a "not" or an order of steps hardly changes one."""
    embedder = get_embedder()

    def cosine(one: str, other: str) -> float:
        first, second = embedder.encode([one, other])
        return float(first @ second)

    advice = "Measure the level before the second dose. Do not give it in myasthenia gravis."
    text = f"Gentamicin guideline | Dose | adult\n{GIVE} {advice}"
    for change in (("before", "after"), ("5 mg", "50 mg"), ("Do not", "Do"), ("adult", "child")):
        assert cosine(text, text.replace(*change)) > 0.95


@pytest.mark.django_db
def test_indexing_labels_the_passages_of_two_files_alike() -> None:
    text = "# Gentamicin guideline\n\n## Dose\n\nGive it daily.\n\n## Level\n\nGive {dose} mg.\n"
    labels = []
    for content in (text.format(dose=5), text.format(dose="5.0") + "\n", text.format(dose=50)):
        document = ingest(content)
        document_index(document.pk)
        labels.append(list(document.chunks.order_by("index").values_list("twins", flat=True)))
    first, copy, other = labels
    assert first == copy
    assert len(set(first)) == 2
    assert [one == two for one, two in zip(first, other, strict=True)] == [True, False]


def test_one_character_more_in_any_number_tells_them_apart() -> None:
    text = "Give 12.5 mg of it, then 250 mL over 4 h, at most 3 times in 24 hours."
    for place in [place for place, c in enumerate(text) if c.isdigit()]:
        for digit in "0123456789":
            changed = text[:place] + digit + text[place + 1 :]
            more = text[:place] + digit + text[place:]
            assert (meaning_label(changed) == meaning_label(text)) == (digit == text[place])
            assert meaning_label(more) != meaning_label(text), more


def test_a_word_more_or_less_tells_them_apart() -> None:
    """Every word counts but articles, listed or not."""
    words = "Stop the infusion at once when the level rises and call the registrar on duty".split()
    whole = meaning_label(" ".join(words))
    for place, word in enumerate(words):
        without = meaning_label(" ".join(words[:place] + words[place + 1 :]))
        assert (without == whole) == (word == "the"), word


def test_the_label_is_the_same_in_every_process() -> None:
    program = "from core.language.en.statements.meaning import meaning_label"
    call = f"{program}; print(meaning_label({GIVE!r}, title='T v2'))"
    found = {
        subprocess.run(
            [sys.executable, "-c", call],
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).resolve().parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1", "42")
    }
    assert found == {meaning_label(GIVE, title="T v2")}
    assert len(found.pop()) == LABEL_DIGITS


@pytest.mark.parametrize("text", ["", " \n ", ".", "•", "\u0000", "x" * 100_000, ". " * 50_000])
def test_any_text_has_a_label(text: str) -> None:
    assert len(meaning_label(text, title=text, section_path=(text,))) == LABEL_DIGITS
