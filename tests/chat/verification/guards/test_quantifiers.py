"""Of how many, how often and how surely."""

import pytest

from chat.verification.guards import first_finding, quantifiers
from chat.verification.types import Cited, Label
from tests.chat.verification.guards.tables import Case, cases

TABLE = """
> Most adults recover within 3 days; a few need admission.
+ Most adults recover within 3 days.
+ Within 3 days, most adults recover.
+ The majority of adults recover within 3 days.
+ Adults usually recover within 3 days.
+ A few adults need admission.
+ Few adults need admission.
+ Most adults recover within 3 days and a few need admission.
! All adults recover within 3 days.
! Some adults recover within 3 days.
! A few adults recover within 3 days.
! Adults always recover within 3 days.
! Adults recover within 3 days.
! Most adults need admission.
! All adults need admission.
! Adults need admission.
! A few adults recover and most need admission.
> Nausea is common and usually mild; jaundice is rare.
+ Nausea is common.
+ Nausea is usually mild.
+ Jaundice is rare.
+ Jaundice occurs rarely.
! Nausea is always mild.
! Nausea is sometimes mild.
! Jaundice is common.
! Nausea is rare.
! Nausea is mild.
> Half of adults are well at 1 month and a third have a relapse.
+ A third of adults have a relapse.
+ At 1 month, half of adults are well.
! A third of adults are well at 1 month.
! Half of adults have a relapse.
! Most adults have a relapse.
! All adults are well at 1 month.
> Some people have a rash, and many have a headache.
+ Many people have a headache.
+ A rash sometimes occurs in some people.
! All people have a rash.
! Most people have a headache.
! Many people have a rash.
! People have a rash.
> Give oxygen to adults with shock.
+ Oxygen is given to adults with shock.
+ Oxygen should be given to adults with shock.
+ Oxygen must be given to adults with shock.
! Give oxygen to most adults with shock.
! Give oxygen to some adults with shock.
! Give oxygen to all adults with shock.
> All adults with sepsis should have blood cultures.
+ Every adult with sepsis should have blood cultures.
+ Adults with sepsis should have blood cultures.
+ Blood cultures in every patient with sepsis are recommended.
! Most adults with sepsis should have blood cultures.
! Some adults with sepsis should have blood cultures.
! All adults with sepsis must have blood cultures.
! All adults with sepsis may have blood cultures.
> A second dose must be given. A third dose may be given.
+ A second dose must be given.
+ A second dose has to be given.
! A third dose must be given.
! A second dose should be given.
! A second dose may be given.
> Consider a scan. Patients should rest.
+ A scan can be considered.
+ Patients should rest.
+ It is recommended that patients rest.
! A scan must be done.
! Patients must rest.
! Patients could rest.
> Relapse is seldom seen, and recovery is generally complete.
+ Recovery is usually complete.
+ Relapse is rarely seen.
! Relapse is often seen.
! Recovery is always complete.
! Recovery is seldom complete.
> Not all patients need antibiotics.
! All patients need antibiotics.
! Most patients need antibiotics.
> Take the tablets every 8 hours for a few days, most often with food.
+ Take the tablets every 8 hours for a few days.
+ The tablets are taken each 8 hours for a few days.
> Restock the box after each use, and report every reaction.
+ The box is restocked after every use.
+ All reactions are reported.
> Record the most recent weight, and the most likely cause.
+ The most recent weight is recorded.
"""
# Texts that were written after the rules; what is false falls to any guard.
UNSEEN = """
> Most episodes of vertigo settle within 48 hours, but some last for several weeks.
+ The majority of vertigo episodes settle within 48 hours.
+ Some episodes of vertigo last for several weeks.
+ Vertigo usually settles within 48 hours.
- All episodes of vertigo settle within 48 hours.
- Most episodes of vertigo last for several weeks.
- Episodes of vertigo last for several weeks.
- Few episodes of vertigo settle within 48 hours.
> Children with croup rarely need intubation; nearly all improve after one dose of dexamethasone.
+ Intubation is rarely needed by children with croup.
+ Nearly all children with croup improve after a single dose of dexamethasone.
+ Almost all improve after one dose of dexamethasone.
- Children with croup often need intubation.
- Few children with croup improve after a single dose of dexamethasone.
- Children with croup need intubation.
- Some children with croup improve after a single dose of dexamethasone.
> Consider prophylaxis in patients with recurrent infection. Always check renal function first.
+ Prophylaxis may be considered in patients with recurrent infection.
+ Renal function is always checked first.
+ Check renal function first.
- Give prophylaxis to all patients with recurrent infection.
- Prophylaxis must be given in recurrent infection.
- Patients with recurrent infection should have prophylaxis.
> Penicillin allergy is reported by many patients, but only a minority are truly allergic.
+ Many patients report penicillin allergy.
+ Only a minority of patients are truly allergic.
- Only a minority of patients report penicillin allergy.
- Most patients are truly allergic.
- Many patients are truly allergic.
> Delirium should be excluded in every older patient, and a scan may help in selected patients.
+ Exclude delirium in every older patient.
+ Exclude delirium in all older patients.
+ A scan may help in selected patients.
+ In selected patients a scan could help.
- A scan must be done in every older patient.
- A scan will help in all patients.
- Delirium may be excluded in some older patients.
> Symptoms can recur after stopping treatment and are generally mild.
+ Symptoms are usually mild and can recur after treatment is stopped.
- Symptoms always recur after stopping treatment.
- Symptoms are always mild.
- Symptoms will recur after stopping treatment.
"""


@pytest.mark.parametrize("case", cases(TABLE), ids=str)
def test_table(case: Case) -> None:
    finding = quantifiers.check(case.claim, case.cited)
    assert (finding is None) is (case.sign == "+")
    assert finding is None or finding.label is Label.CONTRADICTED


@pytest.mark.parametrize("case", cases(UNSEEN), ids=str)
def test_unseen(case: Case) -> None:
    if case.sign == "+":
        assert quantifiers.check(case.claim, case.cited) is None
    else:
        assert first_finding(case.claim, case.cited) is not None


@pytest.mark.parametrize("case", [each for each in cases(TABLE) if each.sign == "!"], ids=str)
def test_no_lie_gets_past_all_guards(case: Case) -> None:
    assert first_finding(case.claim, case.cited) is not None


SAME = [
    ("Most", "The majority of"),
    ("All", "Every one of the"),
    ("Some", "A proportion of"),
    ("Few", "Only a few"),
    ("Many", "Numerous"),
    ("Half of", "One in two"),
]


@pytest.mark.parametrize("one", SAME)
@pytest.mark.parametrize("other", SAME)
def test_words_of_one_kind_are_one_and_of_two_are_not(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    for said in one:
        for quoted in other:
            cited = Cited((f"{quoted} patients sleep badly in the first week.",))
            finding = quantifiers.check(f"In the first week {said} patients sleep badly.", cited)
            assert (finding is None) is (one == other), (said, quoted)


def test_what_stands_word_for_word_is_not_looked_at() -> None:
    quote = "Most patients sleep, and some do not."
    assert quantifiers.check(quote, Cited((quote,))) is None
