"""Test retention: old text is deleted, the record stays, and the log still proves both."""

import datetime
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat.audit import log as audit
from chat.audit.verify import BreakKind, verify_chain
from chat.models import (
    REMOVED,
    AuditEvent,
    Channel,
    Conversation,
    Feedback,
    Reason,
    Review,
    Turn,
    TurnStatus,
)
from chat.replays.replay import NotReplayable, turn_replay
from chat.reviews.export import review_rows
from tests.chat.audit.audit_tools import as_owner, store_turn
from tests.people import person

OLD = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
WORDS = ("methotrexate", "psoriasis")


@pytest.fixture
def alice(own_database: str) -> User:
    return User.objects.create_user("alice")


def asked(user: User | None, at: datetime.datetime, words: str, **changes: Any) -> Turn:
    thread = None
    if user:
        thread = Conversation.objects.create(user=user, title=words)
        Conversation.objects.filter(pk=thread.pk).update(updated_at=at)
    turn = store_turn(user, conversation=thread, created_at=at, question=words, **changes)
    Feedback.objects.create(turn=turn, helpful=False, comment=words)
    Feedback.objects.filter(turn=turn).update(created_at=at)
    Review.objects.create(turn=turn, note=words, done_at=at, state="done", verdict="wrong")
    return turn


def retention(*options: str) -> str:
    out = io.StringIO()
    call_command("retention", "--older-than", "365d", *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def everything_stored() -> str:
    with connections["owner"].cursor() as cursor:
        found = []
        for name in ("turn", "claim", "citation", "conversation", "feedback", "review"):
            cursor.execute(f"SELECT coalesce(string_agg(t::text, ' '), '') FROM chat_{name} t")
            found += cursor.fetchone()
    return " ".join(found)


def test_removes_what_is_old_and_keeps_what_happened(alice: User) -> None:
    old = asked(alice, OLD, WORDS[0], trace={"asked": {}, "searches": [{"query": WORDS[0]}]})
    new = asked(alice, timezone.now(), WORDS[1])
    measured = asked(None, OLD, "a question of a set", channel=Channel.EVALUATION)
    before = AuditEvent.objects.count()
    said = retention("--dry-run")
    assert "1 conversations, 2 feedback" in said and "2 reviews, 1 turns" in said
    assert WORDS[0] in everything_stored()
    assert AuditEvent.objects.count() == before

    assert "Removed" in retention()
    stored = everything_stored()
    assert WORDS[0] not in stored
    assert WORDS[1] in stored
    assert "a question of a set" in stored
    turn = Turn.objects.get(pk=old.pk)
    assert (turn.status, turn.confidence, turn.created_at, turn.user) == (
        TurnStatus.ANSWERED,
        old.confidence,
        OLD,
        alice,
    )
    assert [c.text for c in turn.claims.all()] == [REMOVED, REMOVED]
    assert {c.document_id for k in turn.claims.all() for c in k.citations.all()}
    assert turn.feedback.helpful is False
    assert Turn.objects.get(pk=new.pk).text_removed_at is None
    assert Turn.objects.get(pk=measured.pk).text_removed_at is None
    report = verify_chain()
    assert (report.ok, report.answers) == (True, 3)

    events = list(AuditEvent.objects.values_list("action", flat=True))
    assert events[before:] == ["turn.text_removed", "retention"]
    assert "0 turns" in retention()
    assert AuditEvent.objects.count() == len(events)


def test_a_thread_that_goes_on_loses_only_its_old_question(alice: User) -> None:
    old = asked(alice, OLD, WORDS[0])
    assert old.conversation
    store_turn(alice, conversation=old.conversation, question=WORDS[1], created_at=timezone.now())
    old.conversation.save()  # asked in today
    retention()
    assert WORDS[0] not in everything_stored()
    assert {turn.question for turn in old.conversation.turns.all()} == {REMOVED, WORDS[1]}


def test_nobody_can_pass_a_change_off_as_a_removal(alice: User, own_database: str) -> None:
    turn = asked(alice, OLD, WORDS[0])
    retention()
    as_owner(own_database, "UPDATE chat_claim SET text = 'Give 500 mg.' WHERE index = 1")
    assert not verify_chain().ok
    with transaction.atomic():
        audit.record_removal(Turn.objects.get(pk=turn.pk), using="default")
    found = verify_chain().first_break
    assert found is not None
    assert found.kind is BreakKind.ANSWER_CHANGED


def test_pages_and_programs_say_so(alice: User, client: Client) -> None:
    turn = asked(alice, OLD, WORDS[0])
    refusal = {"status": TurnStatus.ABSTAINED, "reason": Reason.WEAK_EVIDENCE}
    asked(alice, OLD, WORDS[1], **refusal)
    retention()
    turn.refresh_from_db()
    with pytest.raises(NotReplayable, match="removed under retention"):
        turn_replay(turn)
    auditor = person("auditor", "Auditors")
    for user, address in (
        (alice, f"/conversations/{turn.conversation_id}/"),
        (auditor, f"/admin/chat/turn/{turn.pk}/change/"),
        (auditor, f"/admin/chat/review/{turn.reviews.get().pk}/change/"),
    ):
        client.force_login(user)
        page = client.get(address, follow=True)
        assert page.status_code == 200, address
        assert "removed under retention" in page.content.decode(), address
    row = next(review_rows(Review.objects.filter(turn=turn), texts=True, by=auditor))
    assert row["question"] == row["note"] == REMOVED


def test_refuses_an_age_that_is_none(db: None) -> None:
    with pytest.raises(CommandError, match="number of days"):
        call_command("retention", "--older-than", "0d")


def test_each_kind_has_its_own_period(alice: User, settings: Settings) -> None:
    asked(alice, OLD, WORDS[0])
    with pytest.raises(CommandError, match="No period is set, so nothing was removed"):
        call_command("retention")
    settings.RETENTION = {"questions": 0, "comments": 30, "notes": 36500}
    out = io.StringIO()
    call_command("retention", stdout=out, stderr=io.StringIO())
    assert (
        "of 0 conversations, 1 feedback, 0 reviews, 0 turns (comments of before" in out.getvalue()
    )
    assert Feedback.objects.get().comment == REMOVED
    assert Turn.objects.get().question == WORDS[0]
