"""Test that what says it is not for the patient comes last, with its own words."""

import pytest
from django.utils import timezone

from chat.caveats.barred import barred, denied, only_after_anaphylaxis, unaware
from chat.selectors import audited_turns, every_collection
from chat.types import DraftClaim
from chat.web.presentation import shown_turns
from core.language.en.patients.allergies import allergies
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.tables import cases


@pytest.mark.parametrize(("question", "text", "words"), cases(__file__, "barred.tsv"))
def test_only_words_on_the_patient_bar(question: str, text: str, words: str) -> None:
    assert barred(question, [DraftClaim(text, ())]).get(0, "") == words


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("pyelonephritis, anaphylaxis to penicillin", ("penicillin",)),
        ("penicillin-allergic, cellulitis", ("penicillin",)),
        ("penicillin = anaphylaxis for her", ("penicillin",)),
        ("peanut allergy, anaphylaxis adrenaline dose", ()),
        ("allergic to nuts; dose of adrenaline", ()),
        ("no known penicillin allergy, cellulitis", ()),
        ("not allergic to penicillin but to trimethoprim allergic", ("trimethoprim",)),
        ("denies allergy to co-amoxiclav", ()),
        ("no asthma, allergic to penicillin", ("penicillin",)),
        ("no fever penicillin allergy, which antibiotic", ("penicillin",)),
        ("no iv access pen allergic", ("penicillin",)),
        ("not on warfarin penicillin allergic", ("penicillin",)),
        ("no drug allergies, penicillin allergy as a child", ("penicillin",)),
        ("no penicillin or gentamicin allergy", ()),
    ],
)
def test_an_allergy_is_to_the_medicine_that_it_is_said_of(
    question: str, names: tuple[str, ...]
) -> None:
    assert allergies(question) == names


@pytest.mark.parametrize(
    ("question", "is_told"),
    [
        ("cystitis, no prostate symptoms", True),
        ("cystitis, without prostate pain", True),
        ("cystitis, denies prostatitis", False),
        ("cystitis, no suspected prostate involvement", False),  # certainly not he
        ("cystitis, nil fever", False),
        ("cystitis, no suspected stone", False),
        ("cystitis, prostate symptoms", False),
    ],
)
def test_what_excludes_something_like_what_is_denied_is_told(question: str, is_told: bool) -> None:
    ban = "It is not recommended for men with suspected prostate involvement."
    claims = [DraftClaim(f"Nitrofurantoin 100 mg. {ban}", ())]
    assert denied(question, claims) == ({0: ban} if is_told else {})


LAST = "Choice: Third; Medicine: Cefalexin 500 mg; Avoid: anaphylaxis to penicillin"


@pytest.mark.parametrize(
    ("question", "is_barred", "is_conditional"),
    [
        ("cystitis, anaphylaxis to penicillin", True, False),
        ("cystitis, allergic to penicillin", False, True),
        ("cystitis, penicillin allergy, rash only", False, True),
        ("cystitis", False, False),
    ],
)
def test_what_only_anaphylaxis_excludes_is_told_so(
    question: str, is_barred: bool, is_conditional: bool
) -> None:
    claims = [DraftClaim(LAST, ())]
    assert bool(barred(question, claims)) is is_barred
    told = only_after_anaphylaxis(allergies(question), question, claims)
    assert bool(told) is is_conditional


def test_what_else_the_words_on_anaphylaxis_exclude_bars() -> None:
    row = "Medicine: Cefalexin 500 mg; Avoid: anaphylaxis to penicillin, or eGFR below 30"
    claims = [DraftClaim(row, ())]
    assert barred("allergic to penicillin, rash only, eGFR 20", claims)
    assert not barred("allergic to penicillin, rash only, eGFR 50", claims)


def test_doses_that_do_not_mention_the_allergy_are_told() -> None:
    texts = (
        "Give cefalexin 1 g three times daily.",
        "Ciprofloxacin 500 mg is the alternative in penicillin anaphylaxis.",
        "Send a urine culture.",
    )
    claims = [DraftClaim(text, ()) for text in texts]
    assert unaware(("penicillin",), claims) == {0}
    assert unaware((), claims) == frozenset()


GUIDE = """# Cystitis in pregnancy
## Treatment
: Table 1. Antibiotics for cystitis in pregnancy
| Choice | Antibiotic | Avoid |
| --- | --- | --- |
| First | Amoxicillin 500 mg three times daily for 7 days | Avoid in penicillin allergy |
| Second | Nitrofurantoin 100 mg twice daily for 7 days | Avoid at term |
"""


@pytest.mark.django_db
def test_a_row_that_warns_against_the_asker_never_leads() -> None:
    publish(GUIDE)
    question = "Which antibiotic for cystitis in pregnancy, she is allergic to penicillin?"
    asked = ask(question=question)
    turn = audited_turns().get(pk=asked.pk)
    texts = list(turn.claims.order_by("index").values_list("text", flat=True))
    assert len(texts) == 2
    assert "Nitrofurantoin" in texts[0] and "Amoxicillin" in texts[1]
    (warning,) = [one for one in turn.warnings if one["code"] == "barred"]
    assert warning["claims"] == [2]
    assert "penicillin allergy" in warning["text"]
    assert not warning["text"].startswith("No option")  # the first row is left
    (shown,) = shown_turns([turn], on=timezone.localdate(), readable=every_collection())
    first, last = shown.claims
    assert (first.is_barred, last.is_barred) == (False, True)
