"""Test that every change by the owner of the tables is found, and named at its row."""

import io
import json
import uuid
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from pytest_django import DjangoDbBlocker

from chat.audit.heads import sign_head
from chat.audit.verify import BreakKind, verify_chain
from tests.chat.audit.audit_tools import (
    as_owner,
    independent_verify,
    record_events,
    rewrite_from,
    store_turn,
    tampered,
)
from tests.databases import fresh_database

SWAP = """
    CREATE TEMP TABLE a AS SELECT * FROM chat_auditevent WHERE seq IN (4, 5);
    DELETE FROM chat_auditevent WHERE seq IN (4, 5);
    INSERT INTO chat_auditevent SELECT 9 - seq, at, actor, action, subject, payload, prev_hash, hash
        FROM a
"""
SWAP_CONTENT = """
    UPDATE chat_auditevent t SET (at, actor, action, subject, payload) =
        (SELECT at, actor, action, subject, payload FROM chat_auditevent s WHERE s.seq = 9 - t.seq)
    WHERE seq IN (4, 5)
"""
INSERTED = """
    UPDATE chat_auditevent SET seq = seq + 1000 WHERE seq > 4;
    INSERT INTO chat_auditevent SELECT 5, at, actor, action, subject, payload,
        sha256('a'::bytea), sha256('b'::bytea) FROM chat_auditevent WHERE seq = 4;
    UPDATE chat_auditevent SET seq = seq - 999 WHERE seq > 1000
"""
RENUMBERED = """
    UPDATE chat_auditevent SET seq = seq + 1000 WHERE seq >= 5;
    UPDATE chat_auditevent SET seq = seq - 999 WHERE seq > 1000
"""
CLOSED_GAP = """
    DELETE FROM chat_auditevent WHERE seq = 5;
    UPDATE chat_auditevent SET seq = seq + 1000 WHERE seq > 5;
    UPDATE chat_auditevent SET seq = seq - 1001 WHERE seq > 1000;
    UPDATE chat_audithead SET seq = seq - 1
"""
CUT = """
    DELETE FROM chat_auditevent WHERE seq > 8;
    UPDATE chat_audithead SET (seq, hash) =
        (SELECT seq, hash FROM chat_auditevent ORDER BY seq DESC LIMIT 1)
"""
EMPTIED = """
    TRUNCATE chat_auditevent;
    UPDATE chat_audithead SET seq = 0, hash = sha256('medrag-audit-genesis'::bytea || '\\x01')
"""


def broken(using: str = "auditor") -> tuple[int, BreakKind]:
    found = verify_chain(using=using).first_break
    assert found is not None
    return found.seq, found.kind


@pytest.fixture(scope="module")
def ten_events(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    with django_db_blocker.unblock(), fresh_database(socket_dir) as name:
        record_events(10)
        yield name


@pytest.fixture(scope="module")
def an_answer(
    django_db_setup: None, socket_dir: str, django_db_blocker: DjangoDbBlocker
) -> Iterator[str]:
    with django_db_blocker.unblock(), fresh_database(socket_dir) as name:
        store_turn()
        yield name


@pytest.mark.parametrize(
    ("statement", "seq", "kind"),
    [
        (
            "UPDATE chat_auditevent SET at = at + interval '1 us' WHERE seq = 5",
            5,
            BreakKind.CHANGED,
        ),
        ("UPDATE chat_auditevent SET at = 'infinity' WHERE seq = 5", 5, BreakKind.CHANGED),
        (
            "SET timezone = 'UTC'; "
            "UPDATE chat_auditevent SET at = (at::text || ' BC')::timestamptz WHERE seq = 5",
            5,
            BreakKind.CHANGED,
        ),
        ("UPDATE chat_auditevent SET actor = 'x' WHERE seq = 5", 5, BreakKind.CHANGED),
        ("UPDATE chat_auditevent SET action = 'x' WHERE seq = 5", 5, BreakKind.CHANGED),
        ("UPDATE chat_auditevent SET subject = '' WHERE seq = 5", 5, BreakKind.CHANGED),
        ("UPDATE chat_auditevent SET payload = payload || ' ' WHERE seq = 5", 5, BreakKind.CHANGED),
        ("UPDATE chat_auditevent SET hash = sha256('a') WHERE seq = 5", 5, BreakKind.CHANGED),
        ("UPDATE chat_auditevent SET prev_hash = sha256('a') WHERE seq = 5", 5, BreakKind.UNLINKED),
        ("UPDATE chat_auditevent SET prev_hash = '' WHERE seq = 5", 5, BreakKind.UNLINKED),
        # the boundary between two fields moves, the joined text stays
        (
            "UPDATE chat_auditevent SET action = action || left(subject, 1), "
            "subject = substr(subject, 2) WHERE seq = 5",
            5,
            BreakKind.CHANGED,
        ),
        ("DELETE FROM chat_auditevent WHERE seq = 1", 1, BreakKind.MISSING),
        ("DELETE FROM chat_auditevent WHERE seq = 5", 5, BreakKind.MISSING),
        ("DELETE FROM chat_auditevent WHERE seq = 10", 10, BreakKind.MISSING),
        ("UPDATE chat_auditevent SET seq = 50 WHERE seq = 10", 10, BreakKind.MISSING),
        ("UPDATE chat_auditevent SET seq = 0 WHERE seq = 1", 0, BreakKind.DISORDERED),
        (SWAP, 4, BreakKind.UNLINKED),
        (SWAP_CONTENT, 4, BreakKind.CHANGED),
        (INSERTED, 5, BreakKind.UNLINKED),
        (RENUMBERED, 5, BreakKind.MISSING),
        (CLOSED_GAP, 5, BreakKind.UNLINKED),
        ("UPDATE chat_audithead SET seq = 11", 11, BreakKind.MISSING),
        ("UPDATE chat_audithead SET seq = 9", 10, BreakKind.HEAD),
        ("UPDATE chat_audithead SET hash = sha256('a')", 10, BreakKind.HEAD),
        ("DELETE FROM chat_audithead", 10, BreakKind.HEAD),
        ("TRUNCATE chat_auditevent", 1, BreakKind.MISSING),
    ],
)
def test_a_change_by_the_owner_is_found(
    ten_events: str, statement: str, seq: int, kind: BreakKind
) -> None:
    assert verify_chain(using="owner").ok
    with tampered(statement):
        assert broken(using="owner") == (seq, kind)


@pytest.mark.parametrize(
    ("statement", "seq", "kind"),
    [
        (CUT, 9, BreakKind.CUT),
        (EMPTIED, 1, BreakKind.CUT),
        (rewrite_from(1), 6, BreakKind.REWRITTEN),
        (rewrite_from(6), 6, BreakKind.REWRITTEN),
        (rewrite_from(9), 11, BreakKind.REWRITTEN),
    ],
)
def test_a_change_that_the_chain_cannot_show_is_found_by_a_signed_head(
    own_database: str, statement: str, seq: int, kind: BreakKind
) -> None:
    record_events(6)
    sign_head()
    record_events(4)
    sign_head()
    assert verify_chain().ok
    as_owner(own_database, statement)
    assert broken() == (seq, kind)


def test_a_rewrite_after_the_last_signed_head_is_the_window_that_stays_open(
    own_database: str,
) -> None:
    record_events(6)
    sign_head()
    record_events(4)
    as_owner(own_database, rewrite_from(9))
    assert verify_chain().ok


def test_a_forged_head_is_found(own_database: str) -> None:
    record_events(3)
    sign_head()
    head = json.loads(settings.AUDIT_HEADS_FILE.read_text().splitlines()[0])
    settings.AUDIT_HEADS_FILE.write_text(json.dumps(head | {"seq": 2, "count": 2}) + "\n")
    assert broken()[1] == BreakKind.SIGNATURE


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE chat_turn SET question = 'Another?'",
        "UPDATE chat_turn SET trace = trace || '{\"a\": 0.2}'",
        "UPDATE chat_turn SET confidence = 'NaN'",
        "UPDATE chat_turn SET created_at = created_at + interval '1 us'",
        "UPDATE chat_turn SET nearest = '[1]'",
        "UPDATE chat_claim SET text = 'Give 10 mg.' WHERE index = 2",
        "UPDATE chat_claim SET index = index + 5",
        "UPDATE chat_citation SET quote = 'Gave' WHERE index = 1",
        "UPDATE chat_citation SET page = 4 WHERE index = 1",
        "UPDATE chat_citation SET claim_id = (SELECT min(id) FROM chat_claim)",
        "DELETE FROM chat_citation WHERE index = 2",
        "INSERT INTO chat_claim (turn_id, index, text, kind, population) "
        "SELECT id, 3, 'More.', 'answer', '' FROM chat_turn",
    ],
)
def test_a_changed_answer_is_found(an_answer: str, statement: str) -> None:
    assert verify_chain(using="owner").answers == 1
    with tampered(statement):
        assert broken(using="owner") == (1, BreakKind.ANSWER_CHANGED)
        assert verify_chain(using="owner", answers=False).ok


def test_a_deleted_answer_is_found(own_database: str) -> None:
    record_events(1)
    store_turn()
    as_owner(own_database, "TRUNCATE chat_turn CASCADE")
    assert broken() == (2, BreakKind.ANSWER_GONE)


def test_an_answer_without_a_record_is_found(own_database: str) -> None:
    turn = store_turn()
    turn.pk = uuid.uuid4()
    turn.save(force_insert=True)
    assert broken()[1] == BreakKind.ANSWER_UNRECORDED


def test_the_command_says_ok_in_one_line(own_database: str) -> None:
    store_turn()
    record_events(2)
    sign_head()
    out, err = io.StringIO(), io.StringIO()
    call_command("audit", "verify", stdout=out, stderr=err)
    digest = verify_chain().head_hash
    assert out.getvalue() == (
        f"OK 4 rows, head seq 4, hash {digest}; 1 answers unchanged; 2 signed heads, "
        f"the last at row 4.\n"
    )
    assert err.getvalue() == ""


def test_the_command_fails_with_the_row_and_the_kind(own_database: str) -> None:
    record_events(3)
    as_owner(own_database, "UPDATE chat_auditevent SET actor = 'x' WHERE seq = 2")
    with pytest.raises(CommandError, match="BROKEN at row 2: the row is not what was written") as e:
        call_command("audit", "verify", stderr=io.StringIO())
    assert e.value.returncode == 1


def test_an_export_can_be_cut_to_a_range(own_database: str) -> None:
    record_events(5)
    out = io.StringIO()
    call_command("audit", "export", "--from", "2", "--to", "4", stdout=out)
    assert [json.loads(line)["seq"] for line in out.getvalue().splitlines()] == [2, 3, 4]


def test_the_independent_verifier_finds_a_change(own_database: str) -> None:
    record_events(5)
    as_owner(own_database, "UPDATE chat_auditevent SET subject = 'x' WHERE seq = 3")
    out = io.StringIO()
    call_command("audit", "export", stdout=out)
    with pytest.raises(ValueError, match="row 3 was changed"):
        independent_verify(out.getvalue().splitlines())


def test_an_empty_chain_is_sound(own_database: str) -> None:
    report = verify_chain()
    assert report.ok
    assert report.warnings == ()
