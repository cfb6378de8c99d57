"""Test which checks an answer passes in each mode, and what is shown beside it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from chat import verification
from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.checks.claims import STOPPED
from chat.models import AuditEvent, Channel, ClaimKind, Conversation, Mode, Reason, Turn, TurnStatus
from chat.terminal import as_text
from chat.types import AskedQuestion, DraftClaim
from chat.web.refusals import WHY
from corpus.models import Document
from retrieval.types import Hit
from tests.chat.evidence.hits import quote_of
from tests.chat.generation.generators import FakeGenerator
from tests.chat.guidelines import ask
from tests.corpora import publish
from tests.models import set_model

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
LIE = DOSE.replace("500", "5000")
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(db: None) -> Document:
    return publish(TEXT, population="adult", collection="chest")


def codes(turn: Turn) -> list[str]:
    return [warning["code"] for warning in turn.warnings]


def say(monkeypatch: pytest.MonkeyPatch, *texts: str) -> None:
    """Let the generator make these claims, each with the dose sentence as its quote."""

    def claims(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        return tuple(DraftClaim(text, (quote_of(hits[0], DOSE),)) for text in texts)

    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(claims))


def test_a_true_answer_passes_under_the_fingerprint_of_its_mode(document: Document) -> None:
    turns = {mode: ask(mode=mode) for mode in ("standard", "faithful", "confident-lite")}
    for mode, turn in turns.items():
        assert (turn.status, turn.mode) == (TurnStatus.ANSWERED, mode)
        assert turn.trace["answers"]["mode"] == mode
    assert len({turn.fingerprint for turn in turns.values()}) == len(turns)


@pytest.mark.parametrize("mode", Mode.values)
def test_a_lie_is_shown_in_no_mode(
    document: Document, monkeypatch: pytest.MonkeyPatch, settings: LazySettings, mode: str
) -> None:
    set_model(settings, "judge", "http://127.0.0.1:9", model="judge-1")
    say(monkeypatch, LIE)
    turn = ask(mode=mode)
    assert turn.reason == Reason.UNSUPPORTED_CLAIMS
    assert not turn.claims.exists()
    assert "5000 mg" not in as_text(turn) + str(turn_payload(turn))


def test_only_a_confident_mode_has_a_bar(
    document: Document, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.CONFIDENCE_THRESHOLD = 0.9
    say(monkeypatch, DOSE, LIE)
    for mode in ("standard", "faithful"):
        turn = ask(mode=mode)
        assert [claim.text for claim in turn.claims.all()] == [DOSE]
        assert turn.confidence < 0.9
    refused = ask(mode="confident-lite")
    assert refused.reason == Reason.LOW_CONFIDENCE
    assert refused.confidence < 0.9
    assert not refused.claims.exists()


def test_the_standard_mode_says_what_was_withheld_and_never_shows_it(
    document: Document, monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    say(monkeypatch, DOSE, LIE)
    client.force_login(alice)
    turn = ask(mode="standard", user=alice, channel=Channel.PAGE)
    address = reverse("chat:conversation", args=[turn.conversation_id])
    page = client.get(address).content.decode()
    assert str(WHY["numbers"]) in page
    assert turn_payload(turn)["withheld"] == [WHY["numbers"]]
    assert str(WHY["numbers"]) in as_text(turn)
    assert "5000 mg" not in page + as_text(turn) + str(turn_payload(turn))
    faithful = ask(mode="faithful", user=alice, channel=Channel.PAGE)
    assert turn_payload(faithful)["withheld"] == []


def test_a_refusal_for_its_claims_says_why_each_failed(
    document: Document, monkeypatch: pytest.MonkeyPatch, alice: User, client: Client
) -> None:
    say(monkeypatch, LIE)
    client.force_login(alice)
    for mode, is_said in (("standard", True), ("faithful", False)):
        turn = ask(mode=mode, user=alice, channel=Channel.PAGE)
        assert turn.reason == Reason.UNSUPPORTED_CLAIMS
        address = reverse("chat:conversation", args=[turn.conversation_id])
        page = client.get(address).content.decode()
        assert (str(WHY["numbers"]) in page) is is_said
        assert (f"  Withheld: {WHY['numbers']}." in as_text(turn).splitlines()) is is_said
        assert turn_payload(turn)["withheld"] == [WHY["numbers"]] * is_said
        assert "5000 mg" not in page + as_text(turn)


def test_the_page_has_no_percentage_and_the_payload_keeps_the_confidence(
    document: Document, alice: User, client: Client
) -> None:
    client.force_login(alice)
    turn = ask(mode="faithful", user=alice, channel=Channel.PAGE)
    page = client.get(reverse("chat:conversation", args=[turn.conversation_id])).content.decode()
    assert "%" not in page.split('class="verdict"')[1].split("</p>")[0]
    assert turn_payload(turn)["confidence"] == turn.confidence


def test_each_check_that_can_fail_is_said_in_words() -> None:
    name = re.compile(r'Finding\(\s*"(\w+)"')
    sources = Path(verification.__file__).parent.glob("*.py")
    names = {found for path in sources for found in name.findall(path.read_text())}
    assert names | {check.name for check in STOPPED} == set(WHY)


def test_an_unknown_mode_is_refused(document: Document) -> None:
    with pytest.raises(ValueError, match="brave"):
        ask(mode="brave")


# Beside an answer

LIMITED = f"""# Pneumonia in adults
## Treatment
{DOSE}
However, do not give demonstracillin to patients with severe liver disease.
## Other
Call the ward."""


@pytest.fixture
def limited(db: None) -> Document:
    return publish(LIMITED, population="adult", collection="chest")


def test_a_limit_that_was_left_out_is_added_with_its_own_citation(
    limited: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(monkeypatch, DOSE)
    turn = ask(mode="faithful")
    answer, caution = turn.claims.all()
    assert (answer.kind, caution.kind) == (ClaimKind.ANSWER, ClaimKind.CAUTION)
    assert "severe liver disease" in caution.text
    assert caution.citations.get().document == limited
    assert [claim["kind"] for claim in turn_payload(turn)["claims"]] == ["answer", "caution"]


@pytest.mark.parametrize(("policy", "is_told"), [("warn", True), ("off", False)])
def test_a_limit_that_was_left_out_can_be_told_or_left(
    limited: Document,
    monkeypatch: pytest.MonkeyPatch,
    settings: LazySettings,
    policy: str,
    is_told: bool,
) -> None:
    say(monkeypatch, DOSE)
    settings.OMISSIONS = policy
    turn = ask(mode="faithful")
    assert turn.claims.count() == 1
    assert ("omission" in codes(turn)) is is_told
    settings.OMISSIONS = "block"
    assert ask(mode="faithful").reason == Reason.LOW_CONFIDENCE


def test_two_guidelines_that_disagree_are_both_shown(document: Document) -> None:
    text = TEXT.replace("500 mg", "250 mg").replace("Pneumonia in adults", "Another guideline")
    other = publish(text, population="adult", collection="chest")
    turn = ask(mode="faithful")
    cited = {citation.document_id for c in turn.claims.all() for citation in c.citations.all()}
    assert cited == {document.pk, other.pk}
    assert "conflict" in codes(turn)


# Identifiers

NAMED = "What is the dose of demonstracillin for Mr John Smith, born 12/03/1956, with pneumonia?"


def named(**arguments: Any) -> Turn:
    asked = {"user": None, "channel": Channel.COMMAND} | arguments
    return Turn.objects.get(pk=turn_ask(AskedQuestion(NAMED, **asked)).pk)


def everything_stored() -> str:
    rows = [*Turn.objects.values(), *Conversation.objects.values(), *AuditEvent.objects.values()]
    return str(rows)


def test_what_identifies_a_patient_is_taken_out_before_anything_is_stored(
    document: Document, alice: User
) -> None:
    turn = named(user=alice, channel=Channel.PAGE)
    assert "Smith" not in everything_stored() and "/1956" not in everything_stored()
    assert turn.trace["identifiers"] == ["name", "date of birth"]
    assert codes(turn).count("identifiers") == 1


def test_a_question_that_identifies_a_patient_can_be_refused(
    document: Document, alice: User, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.IDENTIFIERS = "block"
    monkeypatch.setattr("chat.ask.answer", None)  # nothing may be searched
    turn = named(user=alice, channel=Channel.PAGE)
    assert turn.reason == Reason.IDENTIFIERS_IN_QUESTION
    assert "Smith" not in everything_stored()
    assert turn.conversation is not None
    assert AuditEvent.objects.get().action == "turn.abstained"


def test_a_question_that_identifies_a_patient_can_pass_with_a_warning(
    document: Document, settings: LazySettings
) -> None:
    settings.IDENTIFIERS = "warn"
    turn = named()
    assert turn.question == NAMED
    assert "identifiers" in codes(turn)
