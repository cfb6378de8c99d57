"""Test that what says it is not for the patient comes last, with its own words."""

from __future__ import annotations

import pytest
from django.utils import timezone

from chat.ask import turn_ask
from chat.caveats.barred import barred
from chat.models import Channel
from chat.selectors import audited_turns, every_collection
from chat.types import DraftClaim
from chat.web.presentation import shown_turns
from tests.corpora import publish

ROW = "Choice: Second; Medicine: Amoxicillin 500 mg for 7 days; Avoid: penicillin allergy"
DOSE = "Give nitrofurantoin 100 mg twice daily. Avoid it in pregnancy."


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("cystitis in pregnancy, allergic to penicillin", ROW, "Avoid: penicillin allergy"),
        ("cystitis in pregnancy", ROW, ""),
        ("cystitis, she is pregnant", DOSE, "Avoid it in pregnancy."),
        ("cystitis, she is not pregnant", DOSE, ""),
        ("major bleeding on warfarin", "Give vitamin K 5 mg. Stop warfarin.", ""),
        ("methotrexate and amoxicillin?", "Do not give amoxicillin with methotrexate.", ""),
        ("dose of nitrofurantoin", DOSE, ""),
    ],
)
def test_only_words_on_the_patient_bar(question: str, text: str, words: str) -> None:
    assert barred(question, [DraftClaim(text, ())]).get(0, "") == words


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
    asked = turn_ask(
        "Which antibiotic for cystitis in pregnancy, she is allergic to penicillin?",
        user=None,
        channel=Channel.COMMAND,
    )
    turn = audited_turns().get(pk=asked.pk)
    texts = list(turn.claims.order_by("index").values_list("text", flat=True))
    assert len(texts) == 2
    assert "Nitrofurantoin" in texts[0] and "Amoxicillin" in texts[1]
    (warning,) = [one for one in turn.warnings if one["code"] == "barred"]
    assert warning["claims"] == [2]
    assert "Avoid in penicillin allergy" in warning["text"]
    assert not warning["text"].startswith("No option")  # the first row is left
    (shown,) = shown_turns([turn], on=timezone.localdate(), readable=every_collection())
    first, last = shown.claims
    assert not first.is_barred
    assert last.beside.startswith("Not for this patient")
