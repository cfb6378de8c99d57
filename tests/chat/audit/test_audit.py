"""Test the audit log: one writer, an unbroken chain, and rows only of what was committed."""

import json
import math
import random
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import OperationalError, connection, connections, transaction

from chat.audit import log as audit
from chat.audit.answers import (
    CITATION_FIELDS,
    CLAIM_FIELDS,
    DIGEST_VERSION,
    TURN_FIELDS,
    is_bare,
    stored_turns,
    turn_digest,
)
from chat.audit.chain import canonical_json
from chat.audit.verify import verify_chain
from chat.models import AuditEvent, AuditHead, Citation, Claim, Turn
from tests.chat.audit.audit_tools import record_events, store_turn


def test_refuses_to_record_outside_a_transaction(own_database: str) -> None:
    with pytest.raises(audit.AuditError):
        audit.record("test", actor=None, subject="", payload={})
    assert not AuditEvent.objects.exists()


def test_rolls_back_with_what_it_records_and_leaves_no_gap(own_database: str) -> None:
    record_events(2)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        assert audit.record("test", actor=None, subject="", payload={}) == 3
        raise ZeroDivisionError
    record_events(1)
    assert list(AuditEvent.objects.values_list("seq", flat=True)) == [1, 2, 3]
    assert verify_chain().ok


def test_a_failing_record_takes_the_answer_with_it(own_database: str) -> None:
    with pytest.raises(ValueError, match="JSON"), transaction.atomic():
        store_turn()
        audit.record("test", actor=None, subject="", payload={"n": math.nan})
    assert not Turn.objects.exists()
    assert not AuditEvent.objects.exists()


@pytest.mark.django_db
def test_names_the_actor_by_id_and_name(alice: User) -> None:
    assert audit.actor_name(alice) == f"user:{alice.pk}:alice"
    assert audit.actor_name(AnonymousUser()) == "anonymous"
    assert audit.actor_name(None) == "system"


def test_canonical_json_is_sorted_and_clean() -> None:
    payload = {"b": (1, {"z": "\x00\ud800", "a": 10**400}), "ä": "💊"}
    assert canonical_json(payload) == f'{{"b":[1,{{"a":{10**400},"z":"\ufffd\ufffd"}}],"ä":"💊"}}'


@pytest.mark.parametrize("payload", [{1: "a"}, {"a": {None: 1}}, {"a": {1, 2}}, {"a": b"x"}])
def test_canonical_json_refuses_what_json_cannot_express(payload: dict[Any, Any]) -> None:
    with pytest.raises(TypeError):
        canonical_json(payload)


def test_random_payloads_verify(own_database: str) -> None:
    chance = random.Random(7)
    for _ in range(300):
        with transaction.atomic():
            audit.record(
                _random_text(chance),
                actor=None,
                subject=_random_text(chance),
                payload={_random_text(chance): _random_value(chance, depth=4)},
            )
    assert verify_chain().rows == 300
    assert verify_chain().ok


def test_what_is_stored_is_what_was_given(own_database: str) -> None:
    payload = {"n": 10**30, "f": 1e22, "nested": [{"b": 1, "a": "é💊\u202e"}], "t": 1.10}
    with transaction.atomic():
        seq = audit.record("test", actor=None, subject="thing:1", payload=payload)
    assert json.loads(AuditEvent.objects.get(pk=seq).payload) == payload


def test_the_head_is_the_last_row(own_database: str) -> None:
    record_events(3)
    last = AuditEvent.objects.get(seq=3)
    head = AuditHead.objects.get(pk=1)
    assert (head.seq, bytes(head.hash)) == (3, bytes(last.hash))


def test_recording_is_one_query(
    own_database: str, django_assert_num_queries: Any, alice: User
) -> None:
    with transaction.atomic(), django_assert_num_queries(1):
        audit.record("test", actor=alice, subject="", payload={})


def test_the_digest_covers_every_column() -> None:
    """A new column needs a new version of the digest, or a place in this list."""
    turn, claim = TURN_FIELDS[DIGEST_VERSION], CLAIM_FIELDS[DIGEST_VERSION]
    assert {field.attname for field in Turn._meta.concrete_fields} == set(turn)
    assert {field.attname for field in Claim._meta.concrete_fields} == {*claim, "turn_id"}
    assert {field.attname for field in Citation._meta.concrete_fields} == {
        *CITATION_FIELDS[DIGEST_VERSION],
        "claim_id",
    }


@pytest.mark.django_db
def test_an_answer_keeps_the_digest_of_its_version(alice: User) -> None:
    """A column of a later version must then have its default (`is_bare`)."""
    turn = stored_turns("default").get(pk=store_turn(alice).pk)
    assert turn_digest(turn, 1) != turn_digest(turn)
    assert is_bare(turn, 1)
    before = turn_digest(turn, 1)
    turn.option = "B"
    assert turn_digest(turn, 1) == before
    assert not is_bare(turn, 1) and is_bare(turn, DIGEST_VERSION)


@pytest.mark.django_db
def test_the_event_of_a_turn_holds_its_digest_and_not_its_text(alice: User) -> None:
    turn = store_turn(alice)
    event = AuditEvent.objects.get()
    payload = json.loads(event.payload)
    assert (event.action, event.subject) == ("turn.answered", f"turn:{turn.pk}")
    assert payload["digest"] == turn_digest(stored_turns("default").get())
    assert turn.question not in event.payload
    assert "Give" not in event.payload


def _random_text(chance: random.Random) -> str:
    alphabet = "aZ\x00\ud800\udfff\n\t\"\\'%{}é💊\u202e\u2028\ufeff\x7f0-"
    return "".join(chance.choices(alphabet, k=chance.randrange(12)))


def _random_value(chance: random.Random, *, depth: int) -> Any:
    kind = chance.randrange(8 if depth else 6)
    if kind == 6:
        return [_random_value(chance, depth=depth - 1) for _ in range(chance.randrange(4))]
    if kind == 7:
        return {_random_text(chance): _random_value(chance, depth=depth - 1) for _ in range(3)}
    return (
        _random_text(chance),
        chance.randrange(-(10**30), 10**30),
        chance.uniform(-1e300, 1e300),
        None,
        True,
        -0.0,
    )[kind]


def test_a_writer_that_waits_too_long_for_the_head_gives_up(own_database: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT proconfig FROM pg_proc WHERE proname = 'audit_append'")
        assert "lock_timeout=10s" in cursor.fetchone()[0]
        cursor.execute("ALTER FUNCTION audit_append SET lock_timeout = '100ms'")
    with transaction.atomic(using="owner"):
        AuditHead.objects.using("owner").select_for_update().get(pk=1)
        with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
            store_turn()
    assert not Turn.objects.exists()


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_records_at_every_isolation_level(own_database: str, level: str) -> None:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        audit.record("test", actor=None, subject="", payload={})
    assert verify_chain().ok
