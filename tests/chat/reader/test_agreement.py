"""Test that a statement about another medicine or other people is never the answer."""

import re
from dataclasses import replace

import pytest

from chat.evidence.quotable import quotable_units
from chat.reader.agreement import in_agreement, is_about_medicine
from chat.reader.choose import sifted
from chat.types import Unit
from core.language.en.questions.asked import asked_medicines, asks_when_not
from tests.chat.evidence.hits import hits_for
from tests.corpora import publish

pytestmark = pytest.mark.django_db
GUIDE = """# Cough and pain in children
## Paracetamol
| Age | Dose |
| --- | --- |
| 6 to 11 years | 250 to 500 mg |
Avoid it with methotrexate.
## Cystitis
| Medicine | Dose |
| --- | --- |
| Trimethoprim | 200 mg |
| Nitrofurantoin | 100 mg |
Give trimethoprim or nitrofurantoin 50 mg at night.
Drink enough.
## Pregnancy
Give cefalexin 500 mg.
"""


def said(question: str) -> list[str]:
    units = quotable_units(hits_for(f"{question} {GUIDE}"), "")
    return [unit.text for unit in in_agreement(question, question, units)]


@pytest.fixture(autouse=True)
def guide() -> None:
    publish(GUIDE, population="")


@pytest.mark.parametrize(
    ("question", "has", "lacks"),
    [
        ("What dose of trimethoprim in cystitis?", ["Medicine: Trimethoprim; Dose: 200 mg",
         "Give trimethoprim or nitrofurantoin 50 mg at night."], ["Nitrofurantoin; Dose"]),
        ("paracetamol dose, 7 year old", ["Age: 6 to 11 years; Dose: 250 to 500 mg"], []),
        ("codeine linctus dose, 7 year old", [], ["250"]),
        ("When to avoid paracetamol?", ["Avoid it with methotrexate."], []),
        ("When to avoid codeine?", [], ["Avoid it with methotrexate."]),
    ],
)  # fmt: skip
def test_a_statement_is_of_the_medicine_that_it_names_or_stands_under(
    question: str, has: list[str], lacks: list[str]
) -> None:
    found = "\n".join(said(question))
    assert [words for words in has if words not in found] == []
    assert [words for words in lacks if words in found] == []


def test_a_medicine_is_known_by_the_short_form_that_a_guideline_prints() -> None:
    publish("# Warfarin\n\n## Bridging\n\nTherapeutic-dose LMWH from 24 hours after surgery.\n")
    units = [u for u in quotable_units(hits_for("Bridging"), "") if "LMWH" in u.text]
    for asked in ("low molecular weight heparin after surgery?", "dalteparin, heparin when?"):
        assert in_agreement(asked, asked, units), asked
    assert not in_agreement("apixaban after surgery?", "apixaban after surgery?", units)
    of_unfractionated = "unfractionated heparin after surgery?"
    assert not in_agreement(of_unfractionated, of_unfractionated, units)


@pytest.mark.parametrize("heading", ["Intrapartum antibiotics", "Suspected chorioamnionitis"])
def test_what_is_on_birth_may_be_for_a_pregnant_woman(heading: str) -> None:
    publish(f"# Newborns\n\n## {heading}\n\nUse gentamicin 5 mg/kg once a day.\n")
    units = [u for u in quotable_units(hits_for(heading), "") if "gentamicin" in u.text]
    asked = "in labour at 38 weeks, which antibiotics?"
    assert in_agreement(asked, asked, units)


@pytest.mark.parametrize("words", ["instead of", "alternative to", "other than"])
def test_what_is_given_instead_of_a_medicine_is_another_one(words: str) -> None:
    asked = f"cystitis, what {words} trimethoprim?"
    found = "\n".join(said(asked))
    assert "Nitrofurantoin; Dose: 100 mg" in found
    assert "Give trimethoprim or nitrofurantoin 50 mg at night." in found
    assert "Trimethoprim; Dose: 200 mg" not in found


def test_where_no_medicine_is_asked_about_none_is_left_out() -> None:
    assert len(said("How is cystitis treated?")) == len(quotable_units(hits_for(GUIDE), ""))


def test_what_says_nothing_of_pregnancy_is_not_for_it() -> None:
    assert said("What is given in pregnancy?") == ["Give cefalexin 500 mg."]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Dose of gentamicin in sepsis", {"gentamicin"}),
        ("gentamicin or amikacin?", {"gentamicin", "amikacin"}),
        ("Already on warfarin, what now?", set()),
        ("What instead of trimethoprim?", set()),
        ("penicillin allergy: dose of doxycycline", {"doxycycline"}),
        ("taking lithium and ibuprofen", set()),
        ("paracetamol overdose", set()),
        ("paracetamol overdose dose of acetylcysteine", {"acetylcysteine"}),
        ("paracetamol overdose acetylcysteine", {"acetylcysteine"}),
        ("overdose of paracetamol", set()),
        ("overdose of paracetamol dose of acetylcysteine", {"acetylcysteine"}),
        ("penicillin allergy doxycycline dose", {"doxycycline"}),
        ("penicillin allergy and on warfarin", set()),
        ("paracetamol overdose with codeine", set()),
        ("on warfarin dose of paracetamol", {"paracetamol"}),
        ("on warfarin and aspirin", set()),
        ("after a dose of adrenaline", set()),
        ("What is tachycardia?", set()),
        ("man on warfarin, dose of paracetamol?", {"paracetamol"}),
        ("acetylcysteine dose paracetamol OD 70 kg", {"acetylcysteine"}),
        ("amlodipine OD dose", {"amlodipine"}),
        ("do I add gentamicin on top of the tazocin", {"gentamicin"}),
        ("coumadin pt, vitamin K dose", {"phytomenadione"}),
        ("dose vancomycin pt 80kg?", {"vancomycin"}),
        ("dose of apixaban OD with amiodarone?", {"amiodarone", "apixaban"}),
        ("Target INR for vitamin K antagonists?", set()),
        ("narcan dose", {"naloxone"}),
        ("paracetamol overdose (poisoning) - acetylcysteine dose 70kg?", {"acetylcysteine"}),
    ],
)
def test_medicines_that_the_patient_takes_are_not_what_is_asked_about(
    question: str, asked: set[str]
) -> None:
    assert asked_medicines(question) == asked


def test_a_kind_of_a_medicine_is_that_medicine() -> None:
    (unit, *_) = quotable_units(hits_for(GUIDE), "")
    kind: Unit = replace(unit, text="Give phenoxymethylpenicillin 250 mg.", is_row=False)
    assert is_about_medicine(frozenset({"penicillin"}), kind)
    assert not is_about_medicine(frozenset({"codeine"}), kind)
    other = replace(unit, text="Give noradrenaline 4 mg.", is_row=False)
    assert not is_about_medicine(frozenset({"adrenaline"}), other)


def test_what_is_for_those_without_a_condition_is_not_for_those_with_it() -> None:
    publish("# High INR\n## High INR without major bleeding\nGive vitamin K 1 mg.")
    units = quotable_units(hits_for("vitamin K 1 mg"), "")
    assert any("1 mg" in unit.text for unit in units)
    for question in ("vitamin K in major bleeding", "bleeding, major, on warfarin: vitamin K"):
        assert not any("1 mg" in u.text for u in in_agreement(question, question, units))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("treatment of mild pneumonia, if penicillin allergic", {"Give A.", "In all, give D."}),
        ("low severity pneumonia treatment", {"Give A.", "In all, give D."}),
        ("low severity pneumonia penicillin allergic", {"Give A.", "In all, give D."}),
        ("moderate pneumonia treatment", {"Give B.", "In all, give D."}),
        ("non-severe pneumonia treatment", {"Give A.", "Give B.", "In all, give D."}),
        ("severe pneumonia treatment", {"Give C.", "In all, give D."}),
        ("pneumonia treatment", {"Give A.", "Give B.", "Give C.", "In all, give D."}),
    ],
)
def test_what_stands_under_another_severity_is_no_answer(question: str, expected: set[str]) -> None:
    text = (
        "# Pneumonia in adults\n## Low severity pneumonia\nGive A.\n## Moderate severity\nGive B.\n"
        "## High severity pneumonia\nGive C.\n## Everybody\nIn all, give D."
    )
    given = [said for said in agreeing(text, question) if re.search(r"\b[A-D]\.$", said)]
    assert sorted(given) == sorted(expected)


def agreeing(text: str, question: str) -> list[str]:
    """Publish a document; return its statements that agree with the question."""
    publish(text)
    return [
        unit.text for unit in in_agreement(question, question, quotable_units(hits_for(text), ""))
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("ketamine im dose, child", "4 mg/kg"),
        ("What IV dose of ketamine?", "1 mg/kg"),
        ("ketamine iv 8 kg infant", "1 mg/kg"),
    ],
)
def test_a_dose_by_another_route_is_left_out(question: str, expected: str) -> None:
    text = "# Ketamine\n| Route | Dose |\n| Intravenous | 1 mg/kg |\n| Intramuscular | 4 mg/kg |"
    for footnote in ("", "\n\nIV: intravenous. IM: intramuscular."):
        rows = [row for row in agreeing(text + footnote, question) if "Route" in row]
        assert [expected in row for row in rows] == [True]


@pytest.mark.parametrize(
    ("question", "is_left"),
    [
        ("adrenaline im dose, child", True),
        ("epinephrine im dose, child", True),
        ("noradrenaline dose, child", False),
        ("already on adrenaline, ketamine dose", False),
    ],
)
def test_a_medicine_is_the_same_by_its_other_name(question: str, is_left: bool) -> None:
    publish("# Emergency card\n| Drug | Dose |\n| --- | --- |\n| Epinephrine | IM: 0.01 mg/kg |")
    units = sifted(question, hits_for("Epinephrine IM 0.01 mg/kg")).units
    assert any("0.01 mg/kg" in unit.text for unit in units) is is_left


PAIN = """# Pain in children
Give ibuprofen 10 mg/kg by mouth.
Give paracetamol 15 mg/kg from 1 month of age.
Give ibuprofen 5 mg/kg to infants.
"""


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("ibuprofen dose 4 month old", ["Give ibuprofen 5 mg/kg to infants."]),
        ("paracetamol dose 4 month old", ["Give paracetamol 15 mg/kg from 1 month of age."]),
        ("ibuprofen dose 4 year old", ["Give ibuprofen 10 mg/kg by mouth."]),
        ("ibuprofen dose newborn", ["Give ibuprofen 5 mg/kg to infants."]),
    ],
)
def test_a_dose_for_children_is_for_nobody_under_a_year(question: str, shown: list[str]) -> None:
    parts = PAIN.strip().splitlines()
    for line in parts[1:]:
        publish(f"{parts[0]}\n{line}", population="children", title=f"Pain {line}")
    units = quotable_units(hits_for(f"{question} {PAIN}"), "")
    left = [unit.text for unit in in_agreement(question, question, units)]
    assert sorted(text for text in left if text in parts) == sorted(shown)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("contraindications to alteplase in stroke", True),
        ("When should I not give insulin in DKA?", True),
        ("who should not have enoxaparin", True),
        ("Is nitrofurantoin contraindicated at eGFR 50?", True),
        ("penicillin is contraindicated, what instead?", False),
        ("alternatives if there are contraindications to NSAIDs", False),
        ("when is the trough taken", False),
    ],
)
def test_whether_it_is_asked_when_not(question: str, asks: bool) -> None:
    assert asks_when_not(question) is asks


SEVERITIES = """# Severe and mild asthma
## Severe asthma
Table 1: Mild attacks

| Medicine | Dose |
| Salbutamol | 100 micrograms |
| Salbutamol, severe attack | 5 mg |
"""
BLED_BEFORE = "# INR on warfarin\n| INR | Intervention |\n| 9 | If no bleeding: stop it |"
NOT_BLEEDING = "# INR on warfarin\n| INR | Intervention |\n| 6 | If no bleeding: hold it |"
CYSTITIS = "# Cystitis\n## In pregnancy\nGive cefalexin 500 mg.\n## Others\nGive nitrofurantoin."
NEWBORNS = "# Neonatal infection\nGive benzylpenicillin 25 mg/kg, more often if the baby is ill."
CARD = "# Emergency card - Pediatric\nGive amiodarone 5 mg/kg."
KETOACIDOSIS = """# Insulin in ketoacidosis
## Insulin
Give insulin 0.1 units/kg/hour in ketoacidosis.

Do not give insulin in ketoacidosis until potassium is 3.5 mmol/L.

Stop the insulin infusion when ketones are below 0.6 mmol/L.
## Contraindications
Severe hypoglycaemia.
"""
ASTHMA = """# Asthma
## Treatment
Add ipratropium 500 micrograms in those who respond poorly to salbutamol.

Give salbutamol 5 mg by nebuliser.

Use oxazepam 15 mg instead of chlordiazepoxide in cirrhosis.
"""
KIDNEYS = """# Urinary infection
## Infants and children
Give trimethoprim 4 mg/kg for 3 days.
## Adults with renal impairment
Treat men for 10 days.
## Adults
Treat men with trimethoprim 200 mg for 7 days.
"""
SEXES = """# Lower urinary infection
## Women
Give pivmecillinam 400 mg for 3 days in lower urinary infection.
## Men
Give pivmecillinam 400 mg for 7 days in lower urinary infection.
## Everybody
Give pivmecillinam 200 mg to men and women with a low weight.
"""
HYPOGLYCAEMIA = """# Hypoglycaemia
## Patients who are conscious and able to swallow
Give 15 g of glucose by mouth.
## Patients who are unconscious or fasting
Give 100 mL of glucose 20% in hypoglycaemia.
"""
HIGH_INR = """# High INR
## Major bleeding
Give 35 units/kg at an INR of 4 to 6.
## High INR without major bleeding
Withhold one dose at an INR of 5 to 8.
"""
PREVENTION = """# Prevention of thrombosis
## Prophylaxis
Give enoxaparin 40 mg once daily.
"""


@pytest.mark.parametrize(
    ("text", "question", "has", "lacks"),
    [
        (SEVERITIES, "salbutamol dose, mild asthma", ["100 micro"], ["5 mg"]),
        (SEVERITIES, "salbutamol dose, severe asthma", ["5 mg"], ["100 micro"]),
        (BLED_BEFORE, "INR 9 on warfarin, no history of GI bleed, what do I do?", ["stop it"], []),
        (NOT_BLEEDING, "INR 6, minor bleeding, warfarin", [], ["hold it"]),
        (NOT_BLEEDING, "INR 6 with nosebleed", [], ["hold it"]),
        (NOT_BLEEDING, "INR 6, not bleeding", ["hold it"], []),
        ("# Otitis\nNo antibiotics.", "antibiotics in otitis?", ["No antibiotics."], []),
        (CYSTITIS, "antibiotic for cystitis in women who are not pregnant",
         ["nitrofurantoin"], ["cefalexin"]),
        (NEWBORNS, "benzylpenicillin dose, 5 day old baby", ["25 mg/kg"], []),
        (NEWBORNS, "6 week old, benzylpenicillin dose", [], ["25 mg/kg"]),
        (CARD, "amiodarone dose, adult", [], ["5 mg/kg"]),
        (CARD, "amiodarone dose", ["5 mg/kg"], []),
        (KETOACIDOSIS, "When should I not give insulin in ketoacidosis?",
         ["until potassium", "Severe hypoglycaemia"], ["0.1 units", "Stop the"]),
        (KETOACIDOSIS, "when to stop insulin in ketoacidosis?", ["Stop the"], ["0.1 units"]),
        (ASTHMA, "dose of salbutamol in asthma", ["salbutamol 5 mg"], ["ipratropium 500"]),
        (ASTHMA, "dose of chlordiazepoxide in cirrhosis", ["oxazepam 15 mg"], []),
        (KIDNEYS, "man with urinary infection, normal kidneys, which antibiotic",
         ["200 mg for 7 days"], ["4 mg/kg", "10 days"]),
        (SEXES, "man with lower urinary infection, pivmecillinam dose",
         ["7 days", "200 mg"], ["3 days"]),
        (SEXES, "pivmecillinam dose for a woman with lower urinary infection",
         ["3 days", "200 mg"], ["7 days"]),
        (HYPOGLYCAEMIA, "unconscious with hypoglycaemia, which glucose and how much",
         ["20%"], ["by mouth"]),
        (HYPOGLYCAEMIA, "conscious with hypoglycaemia, which glucose and how much",
         ["by mouth"], ["20%"]),
        (HIGH_INR, "INR 4.3 no bleeding what to do with the dose", ["Withhold"], ["35 units"]),
        (HIGH_INR, "INR 4.3 with major bleeding, dose?", ["35 units"], []),
        (PREVENTION, "dose of enoxaparin", ["40 mg"], []),
        (PREVENTION, "enoxaparin treatment dose for pulmonary embolism", [], ["40 mg"]),
    ],
)  # fmt: skip
def test_what_is_for_another_patient_or_purpose_is_left_out(
    text: str, question: str, has: list[str], lacks: list[str]
) -> None:
    found = "\n".join(agreeing(text, question))
    assert [words for words in has if words not in found] == []
    assert [words for words in lacks if words in found] == []
