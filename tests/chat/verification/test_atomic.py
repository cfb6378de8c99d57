"""What is split, and above all what is not: a part that lost its condition says something else."""

from __future__ import annotations

import pytest

from chat.verification.atomic import MAX_ATOMS, atomic_statements

SPLIT = {
    "Give aspirin 300 mg and arrange an ECG.": ("Give aspirin 300 mg.", "Arrange an ECG."),
    "Give 5 mg of enoxaparin and check the platelets.": (
        "Give 5 mg of enoxaparin.", "Check the platelets.",
    ),
    "Give 500 mg amoxicillin, and arrange an X-ray.": (
        "Give 500 mg amoxicillin.", "Arrange an X-ray.",
    ),
    "Give aspirin 300 mg; give clopidogrel 300 mg; arrange an ECG.": (
        "Give aspirin 300 mg.", "Give clopidogrel 300 mg.", "Arrange an ECG.",
    ),
    "Give heparin. Check platelets on day 5.": ("Give heparin.", "Check platelets on day 5."),
    "Metformin is stopped and insulin is started.": (
        "Metformin is stopped.", "Insulin is started.",
    ),
    "Warfarin is stopped 5 days before surgery, whereas aspirin is continued.": (
        "Warfarin is stopped 5 days before surgery.", "Aspirin is continued.",
    ),
    "Adults should receive 500 mg and children should receive 250 mg.": (
        "Adults should receive 500 mg.", "Children should receive 250 mg.",
    ),
    "Give aspirin and use a drug that blocks ADP.": (
        "Give aspirin.", "Use a drug that blocks ADP.",
    ),
    # The subject goes with each.
    "Metformin reduces glucose and increases lactate.": (
        "Metformin reduces glucose.", "Metformin increases lactate.",
    ),
    "Salbutamol may be repeated and can be given by nebuliser.": (
        "Salbutamol may be repeated.", "Salbutamol can be given by nebuliser.",
    ),
    "Patients with renal impairment are at risk and should avoid NSAIDs.": (
        "Patients with renal impairment are at risk.",
        "Patients with renal impairment should avoid NSAIDs.",
    ),
    "The rash is found in healthy and immunosuppressed people and can even be severe.": (
        "The rash is found in healthy and immunosuppressed people.",
        "The rash can even be severe.",
    ),
    "eGFR is measured yearly and should be checked again.": (
        "eGFR is measured yearly.", "eGFR should be checked again.",
    ),
    # Each keeps its own `not`.
    "Do not start warfarin but continue aspirin.": ("Do not start warfarin.", "Continue aspirin."),
    "Do not give ibuprofen and do not give naproxen.": (
        "Do not give ibuprofen.", "Do not give naproxen.",
    ),
    "Do not give aspirin; give heparin.": ("Do not give aspirin.", "Give heparin."),
    "Warfarin should not be stopped and aspirin should be continued.": (
        "Warfarin should not be stopped.", "Aspirin should be continued.",
    ),
    "Patients should stop metformin and take insulin.": (
        "Patients should stop metformin.", "Patients should take insulin.",
    ),
    "No patient should take aspirin and should drive.": (
        "No patient should take aspirin.", "No patient should drive.",
    ),
    # A condition or population in front goes with each, and so does one behind the last.
    "In pregnancy, avoid ACE inhibitors and monitor blood pressure weekly.": (
        "In pregnancy, avoid ACE inhibitors.", "In pregnancy, monitor blood pressure weekly.",
    ),
    "In children, adolescents and adults with sepsis, give ceftriaxone 2 g and take cultures.": (
        "In children, adolescents and adults with sepsis, give ceftriaxone 2 g.",
        "In children, adolescents and adults with sepsis, take cultures.",
    ),
    "If the platelets are below 50, stop enoxaparin; call a haematologist or send blood.": (
        "If the platelets are below 50, stop enoxaparin; call a haematologist or send blood.",
    ),
    "If the platelets are below 50, stop enoxaparin; send a blood film.": (
        "If the platelets are below 50, stop enoxaparin.",
        "If the platelets are below 50, send a blood film.",
    ),
    "Stop metformin and check ketones if the patient vomits.": (
        "Stop metformin if the patient vomits.", "Check ketones if the patient vomits.",
    ),
    "Avoid NSAIDs and use paracetamol in pregnancy.": (
        "Avoid NSAIDs in pregnancy.", "Use paracetamol in pregnancy.",
    ),
    "Avoid NSAIDs in children and use paracetamol in pregnancy.": (
        "Avoid NSAIDs in children.", "Use paracetamol in pregnancy.",
    ),
    "In adults: give aspirin 300 mg and give clopidogrel 300 mg.": (
        "In adults: give aspirin 300 mg.", "In adults: give clopidogrel 300 mg.",
    ),
    # Lists.
    "Contraindications include asthma, heart block and hypotension.": (
        "Contraindications include asthma.",
        "Contraindications include heart block.",
        "Contraindications include hypotension.",
    ),
    "Contraindications: asthma; heart block (second degree, or third); hypotension.": (
        "Contraindications: asthma.",
        "Contraindications: heart block (second degree, or third).",
        "Contraindications: hypotension.",
    ),
    "Symptoms include fever, pain in the back and sides.": (
        "Symptoms include fever.", "Symptoms include pain in the back and sides.",
    ),
    "Avoid: aspirin; ibuprofen; naproxen.": (
        "Avoid: aspirin.", "Avoid: ibuprofen.", "Avoid: naproxen.",
    ),
    "Before surgery:\n- stop warfarin\n- check the INR": (
        "Before surgery: stop warfarin", "Before surgery: check the INR",
    ),
    "Give these:\n1. aspirin 300 mg\n2. clopidogrel 300 mg": (
        "Give these: aspirin 300 mg", "Give these: clopidogrel 300 mg",
    ),
}  # fmt: skip

WHOLE = (
    "Give aspirin 300 mg.",
    # Rows of tables.
    "eGFR: 30 to 45; dose: 500 mg; frequency: twice daily",
    "Weight: 50 to 70 kg; dose: give 5 mg and check levels; maximum: 20 mg",
    # Brackets and numbers.
    "Give 500 mg to 1,000 mg (and never more than 4 g, and check the liver) daily.",
    "Give salbutamol (5 mg; give ipratropium [500 micrograms and give oxygen]) by nebuliser.",
    "Give 10 mg and 20 mg tablets.",
    "Give between 5 mg and 10 mg.",
    "The target is between 90 and 95 %.",
    # Names that belong to one verb.
    "Give amoxicillin and clarithromycin.",
    "Monitor blood pressure, heart rate and respiratory rate.",
    "The interval between doses of gentamicin and vancomycin is 12 hours.",
    # A second verb without an object of its own.
    "Give enoxaparin 40 mg and stop when platelets fall.",
    "Start furosemide 40 mg and increase to 80 mg.",
    "Start metformin 500 mg daily; increase weekly.",
    "Give 5 mg daily; reduce to 2.5 mg in renal impairment.",
    "Give gentamicin and repeat the dose once.",
    "Give salbutamol 5 mg, then give ipratropium.",
    # A `not` that may deny both, or stand before a whole list.
    "Do not start heparin and stop warfarin.",
    "Never give potassium and give insulin.",
    "Contraindications are not asthma, heart block and hypotension.",
    # Conditions whose reach can't be told.
    "Stop enoxaparin if the patient bleeds and the platelets are below 50.",
    "Stop enoxaparin if the patient bleeds and give protamine.",
    "If the patient is pregnant and the platelets are low, stop enoxaparin.",
    "Measure the INR daily until it is stable and stop heparin.",
    "Avoid aspirin unless the platelets are above 50 and consider heparin.",
    "Metformin is contraindicated in renal failure and should be stopped.",
    "Stop warfarin and give aspirin to patients with renal impairment.",
    "Check glucose and give insulin before meals.",
    "Stop if: bleeding; platelets below 50.",
    "Give when all of these hold: fever; cough; age over 65.",
    "Risk factors are age, smoking and diabetes with nephropathy.",
    "Avoid NSAIDs but use paracetamol in pregnancy.",
    "Prescribe paracetamol by weight, and only while the oral route cannot be used.",
    "Avoid NSAIDs, while the patient is on warfarin.",
    "Patients should not stop metformin and take insulin.",
    "Stop enoxaparin or start heparin and check the platelets.",
    # Nouns that look like verbs, and lists that are none.
    "Programmes should take into account abilities, limitations, and changing needs.",
    "Patients with dementia need care and supervision to prevent them from harming others.",
    "Ask what types and amounts of activity are safe.",
    "You may have tests to find out what type of anaemia you have and how severe it is.",
    "The signs and symptoms of the illness are likely due to abnormal proteins and to fever.",
    "Common symptoms are pain in the back and sides.",
    "Symptoms may include small, fixed pupils.",
    "Heparin is effective and is the treatment of choice unless symptoms are mild.",
    "Teeth are delayed, and may not appear until adolescence.",
    "The mass may be violet and often does not respond.",
    "Causes include infection, exposure to chemicals, including some medicines.",
    "Table salt is made up of sodium and chlorine - the technical name is sodium chloride.",
    # What depends on a word before it.
    "Use a drug that lowers potassium and raises sodium.",
    "Neither aspirin is given and nor is heparin given.",
    "Give aspirin because heparin is stopped and warfarin is started.",
    # Sentences that lean on the one before.
    "Give heparin. It should be stopped before surgery.",
    "If the potassium is high, give calcium and stop ramipril. Otherwise give saline and wait.",
    "In pregnancy, avoid ACE inhibitors. Labetalol is preferred.",
    "Gentamicin: give 5 mg/kg once daily. Check levels after two doses.",
)


@pytest.mark.parametrize(("claim", "expected"), SPLIT.items(), ids=list(SPLIT))
def test_statements_that_stand_alone_are_parted(claim: str, expected: tuple[str, ...]) -> None:
    assert atomic_statements(claim) == expected


@pytest.mark.parametrize("claim", WHOLE)
def test_what_would_lose_its_sense_stays_whole(claim: str) -> None:
    assert atomic_statements(claim) == (claim,)


@pytest.mark.parametrize("claim", [*SPLIT, *WHOLE])
def test_a_statement_is_not_parted_again(claim: str) -> None:
    for atom in atomic_statements(claim):
        assert atomic_statements(atom) == (atom,)


@pytest.mark.parametrize("claim", [*SPLIT, *WHOLE])
def test_no_word_is_lost_or_made_up(claim: str) -> None:
    joints = {"and", "but", "whereas", "while"}
    words = {word.strip(".,;-").lower() for word in claim.split()} - {""}
    kept = {w.strip(".,;-").lower() for atom in atomic_statements(claim) for w in atom.split()}
    kept -= {""}
    assert kept <= words
    assert words - kept <= joints | {"1", "2"}  # numbers of items


def test_there_are_enough_cases() -> None:
    assert len(SPLIT) + len(WHOLE) >= 50


def test_nothing_and_too_much() -> None:
    assert atomic_statements("") == atomic_statements(" \n ") == ()
    page = " ".join(f"Give drug{n}." for n in range(MAX_ATOMS + 1))
    assert atomic_statements(page) == (page,)
    assert len(atomic_statements(page.rsplit(" ", 2)[0])) == MAX_ATOMS


HOSTILE = ("((((", "; ", ": a; ", "and ", "- \n", "Give x and ", "if a, ", "a is b and ")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("times", [150, 5000])
def test_hostile_texts_give_something(text: str, times: int) -> None:
    found = atomic_statements(text * times)
    assert 1 <= len(found) <= MAX_ATOMS
