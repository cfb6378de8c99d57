"""Test how similar two documents are, where they differ, and which one may replace."""

import random
from typing import Any

import pytest

from corpus.models import Document, Lifecycle
from corpus.parsing.types import Page
from corpus.review.versions import (
    SKETCH,
    ChangeKind,
    SectionChange,
    compare,
    numbers_of,
    shingles,
    signature,
    text_similarity,
    title_similarity,
)
from corpus.selectors import predecessors_suggested
from corpus.services.indexing import document_index
from tests.corpora import pages_of, shelf
from tests.corpus.documents import guideline, ingest
from tests.people import narrow
from tests.tables import rows

pytestmark = pytest.mark.django_db

OLD = """# Gentamicin 2023
## 1 Dose
Give 5 mg/kg once daily.
Round to the nearest 40 mg.
## 2 Intervals
| Clearance | Interval |
| Over 60 | 24 h |
| 40 to 59 | 36 h |
| Under 20 | Ask |
## 3 Monitoring
Take a level after 18 hours.
---
## 4 Stopping
Stop after 5 days.
"""


def changes(old: str, new: str) -> dict[str, SectionChange]:
    found = compare(pages_of(old), pages_of(new))
    return {change.path[-1] if change.path else "": change for change in found}


def rebuilt(change: SectionChange) -> tuple[str, str]:
    old = "".join(text for op, text in change.pieces if op != "added")
    new = "".join(text for op, text in change.pieces if op != "removed")
    return old, new


def test_the_same_document_has_not_changed() -> None:
    found = compare(pages_of(OLD), pages_of(OLD))
    assert {change.kind for change in found} == {ChangeKind.SAME}
    assert len(found) == 5
    assert not any(change.numbers_changed for change in found)


def test_a_new_number_of_heading_page_or_version_is_no_change() -> None:
    new = OLD.replace("2023", "2025").replace("## 4 Stop", "## 5 Stop").replace("\n---", "")
    assert {change.kind for change in compare(pages_of(OLD), pages_of(new))} == {ChangeKind.SAME}


def test_a_changed_dose_is_marked_word_by_word_and_flagged() -> None:
    change = changes(OLD, OLD.replace("5 mg/kg", "7 mg/kg"))["1 Dose"]
    assert change.kind is ChangeKind.CHANGED
    assert change.numbers_changed
    assert change.pieces == (
        ("same", "Give "),
        ("removed", "5"),
        ("added", "7"),
        ("same", " mg/kg once daily.\nRound to the nearest 40 mg.\n"),
    )


def test_other_words_with_the_same_numbers_are_not_flagged() -> None:
    change = changes(OLD, OLD.replace("Give", "Administer"))["1 Dose"]
    assert (change.kind, change.numbers_changed) == (ChangeKind.CHANGED, False)


@pytest.mark.parametrize(("old", "new"), rows(__file__, "changed_numbers.jsonl"))
def test_numbers_their_units_signs_and_order_count(old: str, new: str) -> None:
    assert numbers_of(old) != numbers_of(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [("5 mg", "5 mg"), ("Give 5 patients tea", "Tea for 5 people"), ("IL-6", "IL-6")],
)
def test_spacing_and_words_do_not(old: str, new: str) -> None:
    assert numbers_of(old) == numbers_of(new)


def test_a_table_is_compared_row_by_row() -> None:
    new = OLD.replace("| 40 to 59 | 36 h |", "| 40 to 59 | 48 h |\n| 20 to 39 | 72 h |")
    change = changes(OLD, new)["2 Intervals"]
    assert change.numbers_changed
    assert ("removed", "36") in change.pieces
    assert ("added", "48") in change.pieces
    assert ("added", "20 to 39 | 72 h\n") in change.pieces
    assert change.pieces[0] == ("same", "Clearance | Interval\nOver 60 | 24 h\n40 to 59 | ")
    assert change.pieces[-1] == ("same", "Under 20 | Ask\n")


def test_what_was_added_and_removed_stands_in_its_place() -> None:
    new = OLD.replace("## 3 Monitoring\nTake a level after 18 hours.\n", "")
    found = compare(pages_of(OLD), pages_of(f"{new}## 5 Contact\nCall pharmacy."))
    same, gone, new_ = ChangeKind.SAME, ChangeKind.REMOVED, ChangeKind.ADDED
    assert [change.kind for change in found] == [same, same, same, gone, same, new_]
    assert [change.path[-1] for change in found[3:]] == ["3 Monitoring", "4 Stopping", "5 Contact"]
    removed = found[3]
    assert (removed.new_text, removed.numbers_changed) == ("", True)
    assert removed.pieces == (("removed", "Take a level after 18 hours."),)
    assert found[-1].pieces == (("added", "Call pharmacy."),)


def test_the_same_text_elsewhere_or_under_another_heading_is_moved() -> None:
    renamed = changes(OLD, OLD.replace("3 Monitoring", "3 Levels"))["3 Levels"]
    assert (renamed.kind, renamed.numbers_changed) == (ChangeKind.MOVED, False)
    first, second = "## 1 Dose\nGive it.\n", "## 2 Route\nBy vein.\n"
    found = compare(pages_of("# A\n" + first + second), pages_of("# A\n" + second + first))
    assert sorted(change.kind for change in found) == [
        ChangeKind.MOVED,
        ChangeKind.SAME,
        ChangeKind.SAME,
    ]


def test_two_sections_of_one_name_stay_apart() -> None:
    text = "# A\n## Dose\nGive 1 mg.\n## Dose\nGive 2 mg."
    found = compare(pages_of(text), pages_of(text.replace("2 mg", "3 mg")))
    assert [change.kind for change in found] == [
        ChangeKind.SAME,
        ChangeKind.SAME,
        ChangeKind.CHANGED,
    ]


def test_a_section_that_goes_over_a_page_is_one() -> None:
    one = "# A\nBefore.\nAfter."
    two = "# A\nBefore.\n---\nAfter."
    assert {change.kind for change in compare(pages_of(one), pages_of(two))} == {ChangeKind.SAME}


@pytest.mark.parametrize("pages", [(), (Page(1, "", ()),)])
def test_nothing_to_compare(pages: tuple[Page, ...]) -> None:
    assert compare(pages, pages) == ()
    (title, *_) = compare(pages, pages_of(OLD))
    assert title.kind is ChangeKind.ADDED


def test_pieces_always_give_back_both_texts() -> None:
    random_ = random.Random(7)
    words = "give 5 10 mg of the drug daily stop when ill".split()

    def text() -> str:
        lines = [" ".join(random_.choices(words, k=random_.randint(1, 9))) for _ in range(8)]
        sections = zip("PQRS", lines[:4], lines[4:], strict=True)
        return "# A\n" + "\n".join(f"## {head}\n{a}\n{b}" for head, a, b in sections)

    for _ in range(60):
        old, new = text(), text()
        found = compare(pages_of(old), pages_of(new))
        assert found == compare(pages_of(old), pages_of(new))
        for change in found:
            before, after = rebuilt(change)
            assert before.split() == change.old_text.split()
            assert after.split() == change.new_text.split()


# Likeness


def words(seed: int, count: int) -> list[str]:
    random_ = random.Random(seed)
    return [f"w{random_.randrange(5000)}" for _ in range(count)]


def test_the_sketch_estimates_the_share_of_shingles_in_common() -> None:
    base = words(1, 3000)
    for share in (0.0, 0.3, 0.6, 0.9, 1.0):
        other = base[: int(3000 * share)] + words(2, int(3000 * (1 - share)))
        first, second = [" ".join(base)], [" ".join(other)]
        a, b = shingles(first), shingles(second)
        true = len(a & b) / len(a | b)
        assert abs(text_similarity(signature(first), signature(second)) - true) < 0.12


def test_a_sketch_is_small_sorted_positive_and_the_same_every_time() -> None:
    text = [" ".join(words(3, 900))]
    sketch = signature(text)
    assert sketch == signature(text) == sorted(set(sketch))
    assert len(sketch) == SKETCH
    assert 0 <= sketch[0] <= sketch[-1] < 2**63
    assert signature(["Give demonstracillin 5 mg."]) == signature(["GIVE  demonstracillin\n5 mg"])
    assert signature(["one", "two"]) == [signature(["one two"])[0]]


def test_without_words_nothing_is_alike() -> None:
    assert signature([]) == signature(["", " - "]) == []
    assert text_similarity([], []) == text_similarity([], [1]) == 0.0


@pytest.mark.parametrize(
    ("first", "second", "likeness"),
    [
        ("Gentamicin dosing v2.1", "Gentamicin dosing guideline, version 3 (2025)", 1.0),
        ("Pneumonia in adults", "Pneumonia in children", 1 / 3),
        ("Asthma", "Sepsis", 0.0),
        ("Guideline 2024", "Guideline 2025", 0.0),  # no words are left to compare
        ("", "Asthma", 0.0),
    ],
)
def test_titles_are_compared_without_version_and_year(
    first: str, second: str, likeness: float
) -> None:
    assert title_similarity(first, second) == pytest.approx(likeness)


def test_a_rewritten_line_is_no_shuffle_of_both() -> None:
    old = "Above 38 a score of 7 or more, a high lactate or new confusion marks high risk."
    new = "Above 38 any patient about whom a relative or a nurse is worried may have sepsis."
    (change,) = compare(pages_of(old), pages_of(new))
    assert [op for op, _ in change.pieces][:3] == ["same", "removed", "added"]
    assert change.pieces[0][1].split() == ["Above", "38"]


def test_small_changes_stay_word_by_word() -> None:
    (change,) = compare(pages_of("5 mg every 4 hours"), pages_of("10 mg every 6 hours"))
    removed = [text for op, text in change.pieces if op == "removed"]
    assert removed == ["5", "4"]


@pytest.mark.parametrize(
    ("old", "new"), [("2 years and over", "12 years and over"), ("5 mg tablets", "10 mg tablets")]
)
def test_a_quantity_in_a_heading_is_no_section_number(old: str, new: str) -> None:
    found = compare(pages_of(f"## {old}\nTake one."), pages_of(f"## {new}\nTake one."))
    assert ChangeKind.SAME not in {change.kind for change in found}


TEXT = guideline("# Gentamicin", sections=12)


def made(name: str, text: str = "", **fields: Any) -> Document:
    values = {"title": name, "collection": shelf(), "lifecycle": Lifecycle.PUBLISHED} | fields
    sha256 = name.encode().hex().ljust(64, "0")[:64]
    return Document.objects.create(
        sha256=sha256, size_bytes=1, signature=signature([text]) if text else [], **values
    )


def suggested(document: Document) -> list[str]:
    return [suggestion.document.title for suggestion in predecessors_suggested(document)]


def test_reading_a_document_keeps_its_sketch() -> None:
    document = ingest(TEXT)
    document_index(document.pk)
    document.refresh_from_db()
    pages = document.pages.order_by("number").values_list("text", flat=True)
    assert document.signature == signature(pages)
    assert document.signature


def test_a_like_title_and_a_like_text_are_offered_with_reasons() -> None:
    made("Gentamicin dosing v1", TEXT)
    made("Aminoglycosides", TEXT)
    made("Sepsis", "Take blood cultures first. Then give fluids quickly.")
    new = made("Gentamicin dosing v2", TEXT + "Ask a pharmacist.", lifecycle=Lifecycle.DRAFT)
    first, second = predecessors_suggested(new)
    assert (first.document.title, second.document.title) == ("Gentamicin dosing v1", "Aminoglycosides")  # noqa: E501  # fmt: skip
    assert first.score > 0.9 > second.score > 0.5
    assert first.why.startswith("the same title, 9")
    assert second.why.endswith("% of the wording in common")


@pytest.mark.parametrize("lifecycle", [x for x in Lifecycle if x != Lifecycle.PUBLISHED])
def test_only_what_is_published_can_be_replaced(lifecycle: Lifecycle) -> None:
    made("Gentamicin v1", TEXT, lifecycle=lifecycle)
    assert suggested(made("Gentamicin v2", TEXT, lifecycle=Lifecycle.DRAFT)) == []


def test_a_document_is_no_version_of_itself_nor_of_what_is_unlike() -> None:
    new = made("Gentamicin", TEXT)
    made("Gentamicin and the kidney in old age", "Measure the creatinine twice a week.")
    assert suggested(new) == []


def test_another_population_is_never_likely() -> None:
    made("Gentamicin", TEXT, population="children")
    (only,) = predecessors_suggested(made("Gentamicin v2", TEXT, population="adult"))
    assert only.score == 0.5
    assert "another population" in only.why


@pytest.mark.parametrize(("old", "new"), [("Adults", " adults "), ("", "adults"), ("adults", "")])
def test_the_same_population_or_one_not_said_is_as_likely_as_ever(old: str, new: str) -> None:
    made("Gentamicin", TEXT, population=old)
    (only,) = predecessors_suggested(made("Gentamicin v2", TEXT, population=new))
    assert only.score > 0.9
    assert "population" not in only.why


def test_the_own_collection_stands_first() -> None:
    made("Gentamicin 2020", TEXT, collection=shelf("other"))
    made("Gentamicin old", TEXT)
    new = made("Gentamicin 2025", TEXT, lifecycle=Lifecycle.REVIEW)
    assert suggested(new) == ["Gentamicin old", "Gentamicin 2020"]


def test_what_is_not_open_to_all_is_offered_to_nobody_outside() -> None:
    made("Gentamicin secret", TEXT, collection=shelf("blood"))
    narrow(shelf("blood"), "searchers", "Haematology")
    assert suggested(made("Gentamicin 2025", TEXT)) == []
    inside = made("Gentamicin 2026", TEXT, collection=shelf("blood"), lifecycle=Lifecycle.DRAFT)
    assert suggested(inside)[0] == "Gentamicin secret"


def test_five_at_most_for_few_queries(django_assert_max_num_queries: Any) -> None:
    for number in range(30):
        made(f"Gentamicin, edition {number}", TEXT)
    new = made("Gentamicin", TEXT, lifecycle=Lifecycle.DRAFT)
    with django_assert_max_num_queries(3):
        assert len(predecessors_suggested(new)) == 5
