"""Test the limits beside a quoted statement that an answer leaves out."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from chat.caveats.cautions import OMISSION, omission_caution
from chat.caveats.omissions import MAX_SHOWN, omitted
from chat.evidence.quotable import quotable_units
from chat.models import ClaimKind
from chat.types import DraftClaim
from chat.verification.verify import verify
from core.language.en.statements.limits import Limit, is_limiting_heading, limit_of
from corpus.models import Chunk
from retrieval.types import Hit
from tests.chat.evidence.hits import claim_of, hits_for, quote_of
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.tables import cases, yes

pytestmark = pytest.mark.django_db

GENTAMICIN = """# Gentamicin in adults
## Dose
Give gentamicin 5 mg/kg once daily by infusion in severe infection of the abdomen or the urinary tract. Review the need for it every day together with the results of all cultures, and write the day on the chart.
However, in a patient on dialysis a single dose of 3 mg/kg is given.
Keep the ampoules below 25 degrees in the pharmacy.
## Contraindications
- Myasthenia gravis
- Allergy to an aminoglycoside
## Audit
The pharmacist looks at twenty courses each year and never at fewer.
"""  # noqa: E501 - a paragraph is one line
QUESTION = "What is the dose of gentamicin?"
SENTENCE = "Give gentamicin 5 mg/kg once daily by infusion"


def claim(hits: tuple[Hit, ...], words: str) -> DraftClaim:
    """Return the first quotable unit whose quote holds `words`, as a claim."""
    return next(
        DraftClaim(unit.text, unit.quotes)
        for unit in quotable_units(hits, "")
        if words in unit.quotes[0].text
    )


def left_out(question: str, *said: str) -> list[str]:
    hits = hits_for(question)
    found = omitted([claim(hits, words) for words in said], hits, question=question)
    assert all(verdict.supported for verdict in verify(found))
    assert all(draft.kind is ClaimKind.CAUTION for draft in found)
    return [draft.text for draft in found]


def test_contraindications_after_the_section_and_the_sentence_that_limits() -> None:
    publish(GENTAMICIN)
    assert left_out(QUESTION, SENTENCE) == [
        "Contraindications:\nMyasthenia gravis\nAllergy to an aminoglycoside",
        "However, in a patient on dialysis a single dose of 3 mg/kg is given.",
    ]


def test_contraindications_of_a_medicine_that_no_list_knows_may_name_one() -> None:
    forbidden = "Do not give zostavarin in pregnancy or with ciclosporin."
    publish(
        "# Zostavarin for shingles\n## Dose\nGive zostavarin 800 mg every 8 hours in shingles.\n"
        f"## Contraindications\n{forbidden}\n\nCiclosporin is stored in the fridge, never frozen.\n"
    )
    assert left_out("dose of zostavarin in shingles", "Give zostavarin") == [
        f"Contraindications: {forbidden}"
    ]


def test_what_is_quoted_already_is_not_left_out() -> None:
    publish(GENTAMICIN)
    found = left_out(QUESTION, SENTENCE, "Myasthenia gravis", "However, in a patient")
    assert found == ["Contraindications: Allergy to an aminoglycoside"]


def test_half_of_a_statement_leaves_out_the_other() -> None:
    text = "Give nitrofurantoin 100 mg twice daily. Do not give it at term."
    publish(f"# Urine infection in pregnancy\n## Treatment\n{text}")
    (hit, *_) = hits = hits_for("nitrofurantoin dose")
    half = claim_of(hit, "Give nitrofurantoin 100 mg twice daily.")
    (caution,) = omitted([half], hits, question="nitrofurantoin dose")
    assert caution.text == text


def test_footnotes_of_the_quoted_row_and_of_no_other() -> None:
    publish(
        "# Urine infection\n## Treatment\n| Medicine | Dose |\n| Nitrofurantoin* | 100 mg |\n"
        "| Trimethoprim† | 200 mg |\n^ * Only if the eGFR is 45 mL/min or more.\n"
        "^ † Check the potassium on day 4."
    )
    (hit, *_) = hits = hits_for("nitrofurantoin dose in urine infection")
    row = DraftClaim("Nitrofurantoin: 100 mg", (quote_of(hit, "Nitrofurantoin* | 100 mg"),))
    found = omitted([row], hits, question="nitrofurantoin dose in urine infection")
    assert [draft.text for draft in found] == ["* Only if the eGFR is 45 mL/min or more."]
    whole = claim(hits, "Nitrofurantoin*")
    assert omitted([whole], hits, question="nitrofurantoin dose") == ()


@pytest.mark.parametrize(("said", "after", "limits"), cases(__file__, "beside.tsv", str, str, yes))
def test_what_bears_on_a_statement(said: str, after: str, limits: bool) -> None:
    publish(f"# Care on the ward\n## Practice\n{said}\n{after}")
    assert left_out(said, said) == ([after] if limits else [])


@pytest.mark.parametrize(
    ("question", "limits"),
    [
        ("ibuprofen dose", True),
        ("ibuprofen dose in a child", True),
        ("ibuprofen dose in an adult", False),
        ("ibuprofen dose for a 40 year old", False),
    ],
)
def test_limits_for_other_people_than_asked_are_not_added(question: str, limits: bool) -> None:
    note = "Do not give ibuprofen to children under 3 months."
    publish(f"# Fever\n## Practice\nGive ibuprofen by weight.\n{note}")
    if question.endswith("child"):
        note = "Do not give ibuprofen to children with chickenpox."
        publish(f"# Chickenpox and fever\n## Practice\nGive ibuprofen seldom.\n{note}")
        assert left_out(question, "Give ibuprofen seldom.") == [note]
    else:
        assert left_out(question, "Give ibuprofen by weight.") == ([note] if limits else [])


def test_another_section_and_another_document_are_not_read() -> None:
    note = "Do not give ibuprofen with an ulcer."
    publish(f"# Pain\n## Dose\nGive ibuprofen 400 mg.\n## History\n{note}")
    publish(f"# Ulcers\n## Dose\n{note}")
    assert left_out("ibuprofen dose", "Give ibuprofen 400 mg.") == []


def test_a_disabled_passage_is_not_read() -> None:
    publish(GENTAMICIN)
    Chunk.objects.filter(text__contains="Myasthenia").update(disabled_at=timezone.now())
    hits = tuple(hit for hit in hits_for(QUESTION) if "Myasthenia" not in hit.text)
    found = omitted([claim(hits, SENTENCE)], hits, question=QUESTION)
    assert "Myasthenia" not in " ".join(draft.text for draft in found)


def test_a_section_that_was_not_retrieved_is_read_from_the_store() -> None:
    publish(GENTAMICIN)
    hits = tuple(hit for hit in hits_for(QUESTION) if "Myasthenia" not in hit.text)
    found = omitted([claim(hits, SENTENCE)], hits, question=QUESTION)
    assert found[0].text.startswith("Contraindications:\nMyasthenia gravis")
    assert all(verdict.supported for verdict in verify(found))


def test_of_many_limits_three_are_shown_and_the_others_told() -> None:
    lines = "\n".join(f"Do not give gentamicin in disease number {n}." for n in range(8))
    publish(f"# Gentamicin\n## Dose\nGive gentamicin 5 mg/kg.\n## Contraindications\n{lines}")
    asked = ("gentamicin dose", "Give gentamicin 5 mg/kg.")
    assert left_out(*asked) == left_out(*asked)
    assert len(left_out(*asked)) == 8
    turn = ask(question="What is the dose of gentamicin?")
    assert turn.claims.filter(kind=ClaimKind.CAUTION).count() == MAX_SHOWN
    (told,) = [warning for warning in turn.warnings if warning["code"] == OMISSION]
    assert told["text"].startswith("5 more cautions stand in the source: Gentamicin")
    assert "Contraindications" in told["text"]


def test_what_is_forbidden_by_the_name_of_the_section_is_a_limit_wherever_it_stands() -> None:
    rule = "Do not give pharmacological prophylaxis to a patient with active bleeding."
    publish(
        f"# Thrombosis\n## Risk assessment\nAssess the risk on admission.\n{rule}\n"
        "Do not delay the assessment.\n"
        "## Pharmacological prophylaxis\nGive demonstraparin 40 mg once daily."
    )
    found = left_out("demonstraparin dose", "Give demonstraparin 40 mg once daily.")
    assert found == [rule]


ALTEPLASE = """# Alteplase
## Dose
Give alteplase 0.9 mg/kg.
## Contraindications to alteplase
- Haemorrhage on imaging.
- INR above 1.7.
- Warfarin within the previous 5 days.
- Major surgery within the previous 14 days.
- Pericarditis.
"""


def test_a_list_of_limits_is_whole_and_has_no_hole() -> None:
    publish(ALTEPLASE)
    (whole,) = left_out("alteplase dose", "Give alteplase")
    assert whole.splitlines()[1:] == [
        line.removeprefix("- ") for line in ALTEPLASE.splitlines() if line.startswith("- ")
    ]


def test_the_limit_of_this_patient_stands_alone_in_front_of_the_list() -> None:
    publish(ALTEPLASE)
    first, whole = left_out("alteplase dose, takes warfarin", "Give alteplase")
    assert first == "Contraindications to alteplase: Warfarin within the previous 5 days."
    assert "Pericarditis." in whole


@pytest.mark.parametrize(
    ("others", "is_shown"), [("", True), ("## Contraindications to thiopental\n- Asthma\n", False)]
)
def test_the_only_contraindications_beside_a_dose_are_shown_however_far(
    others: str, is_shown: bool
) -> None:
    between = "".join(f"## Step {n}\nWait and see, and write it down.\n" for n in range(9))
    publish(
        f"# Ketamine sedation\n## Contraindications\n- Active respiratory infection\n- Porphyria\n"
        f"{others}{between}## Procedure\nGive ketamine 1 mg/kg by slow injection."
    )
    found = left_out("ketamine dose", "Give ketamine")
    whole = "Contraindications:\nActive respiratory infection\nPorphyria"
    assert (found == [whole]) is is_shown


def test_contraindications_of_one_guideline_do_not_stand_for_those_of_another() -> None:
    steps = "".join(f"## Step {n}\nWait and see, and write it down.\n" for n in range(9))
    for medicine, limit in (("ketamine", "Porphyria"), ("propofol", "Egg allergy")):
        between = steps if medicine == "ketamine" else ""
        publish(
            f"# {medicine.title()} sedation\n## Contraindications\n- {limit}\n- Shock\n{between}"
            f"## Procedure\nGive {medicine} 1 mg/kg by slow injection."
        )
    found = left_out("dose of propofol and of ketamine", "Give propofol", "Give ketamine")
    assert any("Egg allergy" in text for text in found)
    assert any("Porphyria" in text for text in found)


def test_text_without_headings() -> None:
    publish("Give ibuprofen 400 mg.\nAvoid ibuprofen with an ulcer.", title="Ibuprofen")
    assert left_out("ibuprofen dose", "Give ibuprofen") == ["Avoid ibuprofen with an ulcer."]


def test_four_queries_and_none_for_nothing() -> None:
    publish(GENTAMICIN)
    hits = hits_for(QUESTION)
    claims = [claim(hits, SENTENCE)]
    with CaptureQueriesContext(connection) as queries:
        omitted(claims, hits, question=QUESTION)
    assert len(queries) == 4
    with CaptureQueriesContext(connection) as queries:
        assert omitted([], hits, question=QUESTION) == ()
    assert len(queries) == 0


def test_the_warning_gives_the_place_and_no_text() -> None:
    publish(GENTAMICIN, version="4.1")
    hits = hits_for(QUESTION)
    (first, *_) = omitted([claim(hits, SENTENCE)], hits, question=QUESTION)
    stored = omission_caution(first).as_dict()
    assert stored["code"] == "omission"
    assert "Gentamicin in adults, version 4.1, Contraindications, page 1" in stored["text"]
    assert "Myasthenia" not in stored["text"]


LIMITS = [
    ("Do not give it at term.", Limit.CONTRAINDICATION),
    ("It is contraindicated in asthma.", Limit.CONTRAINDICATION),
    ("Give it, and never repeat it.", Limit.CONTRAINDICATION),
    ("Call a doctor if symptoms do not improve.", None),
    ("It does not act for an hour.", None),
    ("Use it unless there is an ulcer.", Limit.EXCEPTION),
    ("Give at most 4 g.", Limit.EXCEPTION),
    ("It does not cover children.", Limit.EXCEPTION),
    ("Give 250 mg in renal impairment.", Limit.POPULATION),
    ("The dose in children is 10 mg/kg.", Limit.POPULATION),
    ("Monitor the pulse.", Limit.MONITORING),
    ("Check the potassium on day 4.", Limit.MONITORING),
    ("Give it by mouth.", None),
    ("The ward has a phone.", None),
]


@pytest.mark.parametrize(("text", "limit"), LIMITS)
def test_kinds_of_limits(text: str, limit: Limit | None) -> None:
    assert limit_of(text) is limit


def test_headings_that_limit() -> None:
    for heading in ("Contraindications", "4 Cautions", "Exceptions", "Warnings and precautions"):
        assert is_limiting_heading(heading)
    for heading in ("Dose", "Treatment", "Monitoring", "Audit"):
        assert not is_limiting_heading(heading)
