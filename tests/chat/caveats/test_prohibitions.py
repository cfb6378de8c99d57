"""A prohibition that holds for the patient stands before any dose, in answers and refusals."""

import pytest
from django.conf import LazySettings

from chat.caveats.cautions import PASSED, PROHIBITION
from chat.caveats.prohibitions import (
    bands,
    doses_despite,
    forbidding,
    only_passed,
    prohibitions,
    rows_of_values,
)
from chat.evidence.quotable import quotable_units
from chat.models import Turn, TurnStatus
from chat.types import DraftClaim, Quote
from core.language.en.statements.prohibitions import Described, row_forbids
from tests.chat.evidence.hits import hits_for
from tests.chat.guidelines import ask
from tests.corpora import publish

pytestmark = pytest.mark.django_db
CLOTS = """# Prevention of clots

## Dose

| Creatinine clearance | Enoxaparin |
| --- | --- |
| 30 or more | 40 mg once daily |
| 15 to 29 | 20 mg once daily |

## When not

Do not give pharmacological prophylaxis to a patient with a platelet count below 50 x 10⁹/L.

Avoid NSAIDs in renal impairment.
"""
PLATELETS = "Platelets: below 50; Treatment dose: Do not give; Prophylaxis: Half of the dose"
URINE = """# Urinary tract infection with poor kidneys

## Nitrofurantoin

Nitrofurantoin is contraindicated when eGFR is below 30 mL/min.

| Antibiotic | eGFR 30 to 44 | eGFR 15 to 29 |
| --- | --- | --- |
| Nitrofurantoin | 100 mg twice daily for 3 days only | Contraindicated |
| Pivmecillinam | 400 mg once, then 200 mg | 200 mg |
"""


def asked(question: str) -> Turn:
    return ask(question=question)


def forbidden(question: str) -> list[str]:
    return [each.text for each in prohibitions(question, "", hits_for(f"{question} prophylaxis"))]


def test_what_names_no_medicine_forbids_in_a_guideline_that_does() -> None:
    publish(CLOTS)
    assert forbidden("can I give enoxaparin if platelets are 40?") == [
        "When not: Do not give pharmacological prophylaxis to a patient with a platelet count "
        "below 50 x 10⁹/L."
    ]
    assert forbidden("can I give enoxaparin if platelets are 140?") == []
    assert len(forbidden("can I give enoxaparin, no bleeding, platelets 40?")) == 1
    assert forbidden("can I give apixaban if platelets are 40?") == []
    # Another class is forbidden there, not what is asked about.
    assert forbidden("enoxaparin in renal impairment ok?") == []
    assert forbidden("naproxen in renal impairment ok?") == [
        "When not: Avoid NSAIDs in renal impairment."
    ]
    # A question that names no medicine shares words with much.
    assert forbidden("can I give prophylaxis to a patient with a pharmacological allergy?") == []


def test_a_refusal_leads_with_what_forbids_it() -> None:
    publish(CLOTS)
    turn = asked("Who signs for enoxaparin at night when platelets are 40?")
    assert turn.status == TurnStatus.ABSTAINED
    first = turn.nearest[0]
    assert first["excerpt"][first["best"]].startswith("When not: Do not give")
    (told,) = [each for each in turn.warnings if each["code"] == PROHIBITION]
    assert "platelet count below 50" in told["text"]
    assert told["documents"] == [first["sha256"]]


def test_a_row_forbids_by_one_of_its_cells() -> None:
    publish(
        "# Cystitis in pregnancy\n\n## Antibiotics\n\n"
        "| Antibiotic | Dose | Avoid |\n| --- | --- | --- |\n"
        "| Nitrofurantoin | 100 mg twice daily | from 36 weeks until birth |\n"
        "| Cefalexin | 500 mg three times daily | after anaphylaxis |\n"
    )  # fmt: skip

    def rows(question: str) -> list[str]:
        found = prohibitions(question, "", hits_for(question), is_refused=True)
        return [each.text.partition("; ")[0] for each in found]

    assert rows("is nitrofurantoin ok at 37 weeks of pregnancy?") == ["Antibiotic: Nitrofurantoin"]
    assert rows("is nitrofurantoin ok at 20 weeks of pregnancy?") == []
    assert rows("is cefalexin ok at 37 weeks of pregnancy?") == []
    assert prohibitions("is nitrofurantoin ok at 37 weeks of pregnancy?", "", hits_for("x")) == ()


def test_a_cell_forbids_by_what_stands_behind_its_semicolon() -> None:
    publish(
        "# Hiccups\n\n## Medicines\n\n| Medicine | Dose | Avoid in |\n| --- | --- | --- |\n"
        "| Chlorpromazine | 25 mg | Epilepsy; age under 18 years; glaucoma |\n"
    )

    def count(question: str) -> int:
        return len(prohibitions(question, "", hits_for(question), is_refused=True))

    assert count("chlorpromazine for hiccups in a 16 year old?") == 1
    assert count("chlorpromazine for hiccups in a 36 year old?") == 0


def test_an_answer_leads_with_what_forbids_it() -> None:
    publish(CLOTS)
    turn = asked("What dose of enoxaparin for a creatinine clearance of 45, platelets 40?")
    shown = [claim.text for claim in turn.claims.order_by("index")]
    assert shown[0].startswith("When not: Do not give")
    assert "40 mg once daily" in shown[1]
    (told,) = [each for each in turn.warnings if each["code"] == PROHIBITION]
    assert told["text"] == (
        "For this patient it is forbidden or limited by statement 1. Doses that don't mention this:"
        " statement 2."
    )
    assert told["claims"] == [1, 2]


def test_a_ban_on_another_medicine_is_none_on_the_doses_beside_it() -> None:
    publish(CLOTS + "\nAvoid clopidogrel if the platelet count is below 60 x 10⁹/L.\n")
    question = "enoxaparin dose, platelets 55, creatinine clearance of 45"
    units = [
        unit
        for unit in quotable_units(hits_for(question), question)
        if "40 mg once daily" in unit.text or "clopidogrel" in unit.text
    ]
    assert len(units) == 2
    claims = [DraftClaim(unit.text, unit.quotes, caption=unit.caption) for unit in units]
    assert doses_despite(question, "", claims, ()) == ((), ())


@pytest.mark.parametrize(
    ("question", "row", "forbids"),
    [
        ("treatment dose of heparin, platelets 30", PLATELETS, True),
        ("dose of heparin for prophylaxis, platelets 30", PLATELETS, False),
        ("heparin, platelets 30", PLATELETS, False),
        ("prophylaxis with heparin, platelets 12", PLATELETS.replace("Half", "Do not give"), True),
        ("treatment dose of heparin, platelets 90", PLATELETS, False),
        ("colistin, eGFR 12", "eGFR: 10 to 19; Colistin: Avoid", True),
        ("colistin, eGFR 25", "eGFR: 10 to 19; Colistin: Avoid", False),
    ],
)
def test_the_row_of_a_band_forbids_by_its_cells(question: str, row: str, forbids: bool) -> None:
    assert row_forbids(Described.of(question), row.split("; ")) is forbids


def test_a_bound_that_is_passed_is_shown_with_the_band_of_the_patient() -> None:
    publish(URINE)
    question = "is nitrofurantoin ok with eGFR 38?"
    (unit, *_) = [each.text for each in bands(question, hits_for(question))]
    assert "Antibiotic: Nitrofurantoin; eGFR 30 to 44: 100 mg twice daily" in unit
    assert bands("is nitrofurantoin ok with eGFR 60?", hits_for(question)) == ()

    claim = DraftClaim("Nitrofurantoin is contraindicated when eGFR is below 30 mL/min.", ())
    assert only_passed(question, [claim])
    assert not only_passed("is nitrofurantoin ok with eGFR 20?", [claim])
    row = DraftClaim("Nitrofurantoin: 100 mg twice daily; Avoid: when eGFR is below 30 mL/min", ())
    assert not only_passed(question, [row])


def test_it_is_told_where_nothing_permits_it() -> None:
    publish(URINE)
    turn = asked("is nitrofurantoin ok with eGFR 60?")
    assert [claim.text for claim in turn.claims.all()] == [
        "Nitrofurantoin is contraindicated when eGFR is below 30 mL/min."
    ]
    assert PASSED in [each["code"] for each in turn.warnings]
    turn = asked("is nitrofurantoin ok with eGFR 38?")
    assert turn.status == TurnStatus.ANSWERED
    first = turn.claims.order_by("index")[0].text
    assert "3 days only" in first


COUNTS = """# Clozapine

## Dose

| Creatinine clearance | Clozapine |
| --- | --- |
| 30 or more | 12.5 mg once daily, then by response |
| Below 30 | 6.25 mg once daily |

## Blood counts

| Neutrophils (x 10⁹/L) | Clozapine |
| --- | --- |
| Above 2.0 | Continue |
| 1.5 to 2.0 | Blood count twice a week |
| Below 1.5 | Stop |

What raises the count is given by haematologists.

| Neutrophils (x 10⁹/L) | Filgrastim |
| --- | --- |
| Below 0.5 | 5 micrograms/kg |
"""


def test_the_row_of_a_value_that_no_claim_speaks_of_is_found() -> None:
    publish(COUNTS)
    dose = DraftClaim("Creatinine clearance: 30 or more; Clozapine: 12.5 mg once daily", ())

    def rows(question: str, claim: DraftClaim = dose) -> list[str]:
        return [each.text for each in rows_of_values(question, "", hits_for(COUNTS), [claim])]

    (row,) = rows("dose of clozapine, neutrophils 0.4?")
    assert row.endswith("Neutrophils (x 10⁹/L): Below 1.5; Clozapine: Stop")
    (row,) = rows("clozapine with neutrophils of 1.7")
    assert "twice a week" in row
    assert rows("dose of clozapine?") == []
    assert rows("dose of olanzapine, neutrophils 0.4?") == []
    assert rows("dose of clozapine, sodium 1.2?") == []
    said = DraftClaim("Check clozapine where neutrophils fall.", ())
    assert rows("dose of clozapine, neutrophils 0.4?", said) == []


def test_the_row_of_a_value_stands_before_a_dose_that_does_not_know_it() -> None:
    table = "| Platelets | LMWH |\n| --- | --- |\n| Above 50 | Give |\n| 50 or less | Omit |\n"
    publish(CLOTS.partition("## When not")[0] + "## Low counts\n\n" + table)
    turn = asked("enoxaparin dose if creatinine clearance is 20 and platelets are 21?")
    assert turn.status == TurnStatus.ANSWERED
    first, second = [claim.text for claim in turn.claims.order_by("index")]
    assert first == "Platelets: 50 or less; LMWH: Omit"
    assert second.endswith("Enoxaparin: 20 mg once daily")


STROKE = """# Stroke

## Dose

The dose of alteplase is 0.9 mg/kg, to a maximum of 90 mg.

## Contraindications to thrombolysis

- Platelet count below 100 x 10⁹/L, or INR above 1.7.
- Major surgery within the previous 14 days.
"""


@pytest.mark.parametrize(
    "question", ["can I give alteplase, INR 1.9?", "can I thrombolyse with platelets of 90?"]
)
def test_a_limit_of_what_is_asked_leads_by_its_class_and_heading(question: str) -> None:
    publish(STROKE)
    assert "INR above 1.7" in prohibitions(question, "", hits_for(STROKE))[0].text


def test_a_limit_beside_an_answer_leads_where_no_passage_found_has_it() -> None:
    publish(STROKE)
    hit = hits_for(STROKE)[-1]
    limit = DraftClaim(hit.text, (Quote(hit, 1, 0, len(hit.text), hit.text),))
    assert forbidding("can I give alteplase, INR 1.9?", "", [limit]) == (limit,)
    assert forbidding("can I give alteplase, INR 1.2?", "", [limit]) == ()


def test_a_site_that_blocks_on_a_limit_left_out_blocks_on_one_that_forbids(
    settings: LazySettings,
) -> None:
    publish(STROKE.replace("- Major surgery within the previous 14 days.\n", ""))
    question = "What is the dose of alteplase, INR 1.9?"
    turn = asked(question)
    assert turn.status == TurnStatus.ANSWERED
    assert "INR above 1.7" in turn.claims.order_by("index")[0].text
    settings.OMISSIONS = "block"
    assert asked(question).status == TurnStatus.ABSTAINED


SEDATION = """# Esketamine sedation for children

## Dose

Esketamine 1 mg/kg is given slowly into a vein for sutures of a child of 1 year or more.

The dose for a child may be repeated once.

## Contraindications

- Active respiratory tract infection
- Age less than 12 months due to airway complications
- Glaucoma

## Who signs

Night staff sign for esketamine sedation of children in the ledger.
"""
PROPHYLAXIS = """# Infections in HIV

## Co-trimoxazole prophylaxis

If CrCl is 15 to 30 ml/min use half the dose; if CrCl is below 15 ml/min CTX should be avoided.
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who signs for esketamine at night, chest infection?", "Active respiratory tract"),
        ("Who signs for esketamine at night for a baby of 9 months?", "Age less than 12 months"),
        ("Who signs for esketamine at night, child of 3 years?", ""),
        ("Who signs for esketamine at night, no chest infection?", ""),
    ],
)
def test_what_could_hold_leads_a_refusal_whatever_is_asked(question: str, said: str) -> None:
    publish(SEDATION)
    found = prohibitions(question, "", hits_for(question), is_refused=True)
    assert [said in each.text for each in found] == ([True] if said else [])


@pytest.mark.parametrize(("clearance", "count"), [(12, 1), (20, 0), (60, 0)])
def test_what_stands_under_a_medicine_is_about_it(clearance: int, count: int) -> None:
    publish(PROPHYLAXIS)
    question = f"CrCl {clearance}, can she have cotrimoxazole prophylaxis?"
    assert len(forbidden(question)) == count


def test_the_documents_of_a_refusal_are_searched_for_what_forbids_it(
    settings: LazySettings,
) -> None:
    settings.RETRIEVAL = "k=1"
    publish(SEDATION)
    turn = asked("Who countersigns the ledger for esketamine for a baby of 9 months?")
    assert turn.status == TurnStatus.ABSTAINED
    (told,) = [each for each in turn.warnings if each["code"] == PROHIBITION]
    assert "Age less than 12 months" in told["text"]


def test_a_refusal_whose_further_search_fails_keeps_its_reason_and_passages(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **fields: object) -> None:
        raise RuntimeError

    settings.RETRIEVAL = "k=1"
    publish(SEDATION)
    question = "Who countersigns the ledger for esketamine for a baby of 9 months?"
    whole = asked(question)
    monkeypatch.setattr("chat.pipeline.refusals.find", fail)
    turn = asked(question)
    assert (turn.status, turn.reason) == (whole.status, whole.reason)
    assert turn.nearest
    assert PROHIBITION not in [each["code"] for each in turn.warnings]
    assert "could not be searched for: RuntimeError" in str(turn.trace["notes"])
