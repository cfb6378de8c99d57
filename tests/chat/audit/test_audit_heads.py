"""Test signed heads: when they are due, and a crash or a second signer in the middle of it."""

import datetime
import json
import logging
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.utils import timezone
from pytest_django.fixtures import Settings

from chat.audit import heads as audit_heads
from chat.audit.heads import HeadsClosed, HeadsMissing, sign_head, sign_head_if_due
from chat.audit.verify import BreakKind, verify_chain
from chat.models import AuditEvent
from core.errors import MedragError
from medrag_site import doctor
from tests.chat.audit.audit_tools import as_owner, record_events

pytestmark = pytest.mark.usefixtures("own_database")


@pytest.fixture(autouse=True)
def keys(settings: Settings, tmp_path: Path) -> Path:
    settings.KEYS_DIR = tmp_path / "keys"
    return tmp_path / "keys"


def lines(settings: Settings) -> list[dict[str, object]]:
    return [json.loads(line) for line in settings.AUDIT_HEADS_FILE.read_text().splitlines()]


def test_a_head_is_one_line_for_this_user_alone(settings: Settings, keys: Path) -> None:
    record_events(3)
    sign_head()
    first, head = lines(settings)
    report = verify_chain()
    assert set(head) == {"seq", "hash", "count", "at", "signature"}
    assert first["seq"] == 3
    # the log tells that signing began, and that row is signed at once
    assert AuditEvent.objects.get(pk=4).action == audit_heads.SIGNING
    assert (head["seq"], head["count"], head["hash"]) == (4, 4, report.head_hash)
    for path in (settings.AUDIT_HEADS_FILE, keys / "audit_heads_key", keys / "audit_last_head"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (report.signed_heads, report.signed_seq, report.warnings) == (2, 4, ())


def test_nothing_is_signed_twice_and_an_empty_chain_not_at_all(settings: Settings) -> None:
    assert sign_head() is None
    record_events(1)
    assert sign_head() is not None
    assert sign_head() is None
    assert not sign_head_if_due()
    assert [line["seq"] for line in lines(settings)] == [1, 2]


def test_it_is_due_after_five_minutes_or_a_thousand_rows(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_events(1)
    assert sign_head_if_due()
    record_events(1)
    assert not sign_head_if_due()
    monkeypatch.setattr(audit_heads, "SIGN_EVERY", datetime.timedelta(0))
    assert sign_head_if_due()
    monkeypatch.setattr(audit_heads, "SIGN_EVERY", datetime.timedelta(days=1))
    monkeypatch.setattr(audit_heads, "SIGN_EVERY_ROWS", 3)
    record_events(2)
    assert not sign_head_if_due()
    record_events(1)
    assert sign_head_if_due()
    assert [line["seq"] for line in lines(settings)] == [1, 2, 3, 6]


@pytest.mark.parametrize(("minutes", "is_due"), [(4.9, False), (5.0, True)])
def test_a_row_waits_five_minutes_at_most_for_a_head(
    settings: Settings, minutes: float, is_due: bool
) -> None:
    record_events(1)
    sign_head()
    last = lines(settings)[-1]
    signed_at = timezone.now() - datetime.timedelta(minutes=minutes)
    with settings.AUDIT_HEADS_FILE.open("a") as file:
        file.write(json.dumps(last | {"at": signed_at.isoformat()}) + "\n")
    record_events(1)
    assert bool(sign_head_if_due()) is is_due


def test_signers_at_once_sign_a_head_once(settings: Settings) -> None:
    record_events(2)

    def sign(_: int) -> None:
        sign_head()
        connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(sign, range(8)))
    assert [line["seq"] for line in lines(settings)] == [2, 3]


def test_a_torn_line_does_not_spoil_the_next(settings: Settings) -> None:
    record_events(1)
    sign_head()
    with settings.AUDIT_HEADS_FILE.open("ab") as file:
        file.write(b'{"seq": 2, "ha')
    record_events(1)
    sign_head()
    report = verify_chain()
    assert report.ok
    assert report.signed_heads == 3
    assert [one[:7] for one in report.warnings] == ["1 lines"]


@pytest.mark.parametrize(
    "line",
    ["5", "[]", "null", '{"seq": 1}', '{"seq": "a", "hash": 1, "count": 1, "at": 1}', "\xff"],
)
def test_a_strange_line_is_counted_and_passed_over(settings: Settings, line: str) -> None:
    record_events(1)
    settings.AUDIT_HEADS_FILE.write_bytes(line.encode("latin-1") + b"\n")
    sign_head()
    report = verify_chain()
    assert (report.ok, report.signed_heads, len(report.warnings)) == (True, 2, 1)


def test_a_lost_key_is_said_and_not_replaced_in_silence(settings: Settings, keys: Path) -> None:
    record_events(1)
    sign_head()
    (keys / "audit_heads_key").unlink()
    found = verify_chain().first_break
    assert found is not None
    assert found.kind == BreakKind.SIGNATURE
    assert "audit_heads_key" in found.detail
    record_events(1)
    with pytest.raises(HeadsMissing, match="audit_heads_key"):
        sign_head()
    (keys / "audit_heads_key").touch()
    with pytest.raises(MedragError, match="empty"):
        sign_head()


def test_another_key_signs_nothing(keys: Path) -> None:
    record_events(1)
    sign_head()
    (keys / "audit_heads_key").write_text("0" * 64)
    found = verify_chain().first_break
    assert found is not None
    assert found.kind == BreakKind.SIGNATURE


def test_a_chain_that_shrank_is_not_signed_again(
    own_database: str, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    record_events(3)
    sign_head()
    as_owner(
        own_database,
        "DELETE FROM chat_auditevent WHERE seq > 2",
        "UPDATE chat_audithead SET seq = 2, "
        "hash = (SELECT hash FROM chat_auditevent WHERE seq = 2)",
    )
    with caplog.at_level(logging.ERROR):
        assert not sign_head_if_due()
    assert "at row 2" in caplog.text
    assert len(lines(settings)) == 2


def test_without_a_signed_head_it_is_said() -> None:
    record_events(1)
    assert "signed yet" in verify_chain().warnings[0]


@contextmanager
def as_somebody_else(file: Path) -> Iterator[None]:
    """Run the block as a user who may not use the file."""
    if is_root := os.geteuid() == 0:
        os.seteuid(65534)
    else:
        file.chmod(0)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)
        else:
            file.chmod(0o600)


def test_another_user_without_a_right_to_the_files_is_told(settings: Settings, keys: Path) -> None:
    record_events(1)
    sign_head()
    record_events(1)
    told = []
    with as_somebody_else(settings.AUDIT_HEADS_FILE):
        for act in (sign_head, verify_chain, doctor._audit, lambda: call_command("audit", "sign")):
            with pytest.raises((HeadsClosed, CommandError)) as raised:
                act()
            told.append(str(raised.value))
    assert all("may not use" in each and "several machines" in each for each in told)
    assert told[-1].endswith("Nothing was signed.")
    assert len(lines(settings)) == 2
