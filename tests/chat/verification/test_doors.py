"""Test every way to ask: what is refused, what is stored, and who may see it later."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import Group, User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

import chat.ask
import chat.pipeline.caveats
from chat.api.answers import turn_payload
from chat.ask import turn_ask
from chat.caveats.cautions import Caution
from chat.errors import QuestionError
from chat.models import AuditEvent, Channel, Conversation, Reason, Turn, TurnStatus
from chat.reviews.feedback import feedback_save
from chat.sign_in.tokens import token_create
from chat.terminal import as_text
from chat.types import AskedQuestion, DraftClaim
from corpus.models import Document
from retrieval.types import Filters, Hit
from tests.chat.evidence.hits import quote_of
from tests.chat.generation.generators import FakeGenerator
from tests.chat.guidelines import QUESTION, ask
from tests.corpora import publish

DOSE = "Give demonstracillin 500 mg by mouth every 8 hours to adults with pneumonia."
TEXT = f"# Pneumonia in adults\n## Treatment\n{DOSE}\n## Other\nCall the ward."
NAME = "Mr John Smith, born 12/03/1956"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def document(db: None) -> Document:
    return publish(TEXT, population="adult", collection="chest")


@pytest.mark.parametrize("name", ["specialties", "populations", "issuers", "journals", "languages"])
def test_a_filter_that_identifies_a_patient_is_refused_before_anything_is_stored(name: str) -> None:
    narrowed: dict[str, Any] = {name: (NAME,)}
    with pytest.raises(QuestionError, match="identify a patient") as error:
        ask(filters=Filters(**narrowed))
    assert "Smith" not in error.value.sentence
    assert not Turn.objects.exists() and not AuditEvent.objects.exists()


def test_a_filter_is_cleaned_before_it_is_guarded() -> None:
    with pytest.raises(QuestionError, match="identify a patient"):
        ask(filters=Filters(issuers=("NHS number 943\xad4765919",)))


@pytest.mark.parametrize("path", ["query", "search"])
def test_the_api_says_so_and_stores_nothing(alice: User, path: str) -> None:
    token = {"Authorization": f"Bearer {token_create(alice)}"}
    word = "question" if path == "query" else "query"
    body = {word: QUESTION, "filters": {"issuers": [NAME]}}
    response = Client().post(
        f"/api/v1/{path}", body, content_type="application/json", headers=token
    )
    assert response.status_code == 400
    assert "identify a patient" in response.json()["detail"]
    assert "Smith" not in response.content.decode()
    assert not AuditEvent.objects.exclude(action__startswith="token.").exists()


def test_filters_are_kept_where_the_search_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("chat.ask.find", fail)
    turn = ask(filters=Filters(populations=("child",)))
    assert turn.reason == Reason.SEARCH_UNAVAILABLE
    assert turn.trace["asked"]["filters"]["populations"] == ["child"]
    assert "Searched only: child" in as_text(turn)


@pytest.mark.parametrize(
    "comment",
    [
        "Patient name:\r\n\r\nJohn Smith\r\nNHS 943\r\n476\r\n5919",
        "NHS number 943\xad4765919",
        "MRN 1234\xa05678",
    ],
)
def test_a_comment_is_cleaned_before_it_is_guarded(comment: str) -> None:
    kept = feedback_save(ask(), helpful=False, comment=comment).comment
    assert not any(part in kept for part in ("Smith", "4765919", "5919", "5678"))


def test_a_blocked_question_says_what_kind_was_seen(settings: LazySettings) -> None:
    settings.IDENTIFIERS = "block"
    turn = ask(question=f"Dose for {NAME}?")
    (warning,) = turn_payload(turn)["warnings"]
    assert "date of birth" in warning["text"]
    assert "Smith" not in as_text(turn)


def test_a_mode_that_needs_a_judge_is_refused_where_there_is_none() -> None:
    with pytest.raises(QuestionError, match="this site has none"):
        ask(mode="confident")
    assert not Turn.objects.exists()


def test_guidelines_that_disagree_are_named_where_that_is_a_refusal(
    document: Document, settings: LazySettings
) -> None:
    other = publish(TEXT.replace("500 mg", "250 mg"), title="Another guideline", collection="chest")
    settings.CONFLICTS = "block"
    turn = ask()
    assert turn.reason == Reason.CONFLICT
    (warning,) = turn.warnings
    assert (warning["code"], warning["claims"]) == ("conflict", [])
    assert {passage["sha256"] for passage in turn.nearest[:2]} == {document.sha256, other.sha256}
    assert "mg" not in warning["text"]


def test_a_refusal_tells_nothing_of_statements_that_it_does_not_show(
    document: Document, settings: LazySettings
) -> None:
    publish(TEXT.replace("500 mg", "250 mg"), title="Another guideline", collection="chest")
    text = f"{QUESTION.rstrip('?')} and penicillin allergy?"
    asked = AskedQuestion(text, user=None, channel=Channel.COMMAND)
    assert [w["code"] for w in turn_ask(asked).warnings] == ["allergy", "conflict"]
    settings.CONFLICTS = "block"
    assert [w["code"] for w in turn_ask(asked).warnings] == ["conflict"]


def test_a_warning_is_shown_to_nobody_who_may_not_read_what_it_names(
    alice: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = publish("# Secret\n## T\nQuizzaxol.", title="Secret quizzaxol", collection="secret")
    caution = Caution("conflict", "It is in Secret quizzaxol.", (1,), (secret.sha256,))
    told = "chat.pipeline.caveats.applicability_cautions"
    monkeypatch.setattr(told, lambda found: (caution,))
    turn = ask(user=alice, channel=Channel.PAGE)
    client.force_login(alice)
    address = reverse("chat:conversation", args=[turn.conversation_id])
    assert "quizzaxol" in client.get(address).content.decode()
    secret.collection.searchers.add(Group.objects.create(name="few"))
    assert "quizzaxol" not in client.get(address).content.decode()


def fails() -> None:
    raise ImproperlyConfigured("MEDRAG_X")


def test_a_generator_that_can_not_be_made_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.pipeline.parts.site_generator", fails)
    turn = ask()
    assert turn.reason == Reason.GENERATOR_UNAVAILABLE
    assert turn.trace["failure"] == "ImproperlyConfigured"


@pytest.mark.parametrize("said", [DOSE, "Adults with pneumonia get demonstracillin 500 mg."])
def test_without_a_verifier_what_is_verbatim_is_shown_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    def claimed(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        return (DraftClaim(said, (quote_of(hits[0], DOSE),)),)

    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(claimed))
    monkeypatch.setattr("chat.pipeline.parts.site_verifier", fails)
    turn = ask()
    assert turn.reason == ("" if said == DOSE else Reason.VERIFIER_UNAVAILABLE)
    assert turn.trace["failure"] == ("" if said == DOSE else "ImproperlyConfigured")


@pytest.mark.parametrize("step", ["verify", "OMISSIONS", "APPLICABILITY", "CONFLICTS"])
def test_what_comes_too_late_is_no_answer(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    module = chat.ask if step == "verify" else chat.pipeline.caveats
    honest = getattr(module, step)

    def late(*args: Any, **kwargs: Any) -> Any:
        time.sleep(1.5)
        return honest(*args, **kwargs)

    monkeypatch.setattr(module, step, late)
    ask()  # loads what is cached
    settings.ANSWER_TIMEOUT_S = 1.4
    assert ask().reason == Reason.BUDGET_EXCEEDED


def test_copies_of_a_true_claim_do_not_outvote_a_false_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def said(hits: Sequence[Hit]) -> tuple[DraftClaim, ...]:
        quote = quote_of(hits[0], DOSE)
        true = DraftClaim(DOSE, (quote,))
        return (*[true] * 7, DraftClaim(DOSE.replace("500", "5000"), (quote,)))

    monkeypatch.setattr("chat.pipeline.parts.site_generator", FakeGenerator(said))
    turn = ask(mode="faithful")
    assert turn.claims.count() == 1
    assert len(turn.trace["verdicts"]) == 2


def test_a_conversation_s_title_holds_nothing_that_identifies_a_patient(alice: User) -> None:
    ask(alice, f"Dose for {NAME}?")
    assert "Smith" not in Conversation.objects.get().title
    assert Turn.objects.get().status in TurnStatus.values
