"""Test that missing signed heads are noticed, and that copies of them are kept elsewhere."""

import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from chat.audit import heads as audit_heads
from chat.audit.heads import HeadsMissing, sign_head, sign_head_if_due
from chat.audit.heads_copy import send_heads
from chat.audit.verify import Break, BreakKind, verify_chain
from chat.models import AuditEvent
from tests.chat.audit.audit_tools import as_owner, record_events
from tests.dying.full_disk import no_file_longer_than

CUT = (
    "DELETE FROM chat_auditevent WHERE seq > 2",
    "UPDATE chat_audithead SET (seq, hash) = "
    "(SELECT seq, hash FROM chat_auditevent ORDER BY seq DESC LIMIT 1)",
)


@pytest.fixture
def signed(own_database: str, settings: Settings) -> Path:
    """Write five rows, sign the heads of rows 3, 4 and 5, and return the file of heads."""
    record_events(3)
    sign_head()
    record_events(1)
    sign_head()
    return Path(settings.AUDIT_HEADS_FILE)


def said() -> Break:
    found = verify_chain().first_break
    assert found is not None
    return found


def verify(*options: str) -> str:
    out = io.StringIO()
    call_command("audit", "verify", *options, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.parametrize("way", ["deleted", "emptied", "garbled"])
def test_heads_that_are_gone_are_a_failure(signed: Path, way: str) -> None:
    assert verify_chain().ok
    if way == "deleted":
        signed.unlink()
    else:
        signed.write_bytes(b"" if way == "emptied" else b"\x00\xff\n")
    with pytest.raises(CommandError, match="heads of the chain were signed and their file") as e:
        verify()
    assert e.value.returncode == 1
    assert "first 5 rows" in str(e.value)


@pytest.mark.parametrize(
    "lost", [("audit_last_head",), ("audit_heads_key",), ("audit_last_head", "audit_heads_key")]
)
def test_each_place_that_knows_of_them_is_enough(
    signed: Path, settings: Settings, lost: tuple[str, ...]
) -> None:
    """The copy beside the key, the key, and the log's own row, which no lost file takes away."""
    signed.unlink()
    for name in lost:
        (settings.KEYS_DIR / name).unlink()
    assert said().kind in (BreakKind.HEADS_GONE, BreakKind.SIGNATURE)


def test_the_key_alone_tells_where_the_log_was_written_anew_too(
    signed: Path, settings: Settings, own_database: str
) -> None:
    signed.unlink()
    (settings.KEYS_DIR / "audit_last_head").unlink()
    as_owner(own_database, *CUT)
    assert said().kind == BreakKind.HEADS_GONE


def test_a_cut_tail_is_found_by_the_copy_beside_the_key(signed: Path, own_database: str) -> None:
    signed.unlink()
    as_owner(own_database, *CUT)
    assert (said().seq, said().kind) == (3, BreakKind.CUT)


def test_a_file_of_heads_that_was_cut_is_a_failure(signed: Path) -> None:
    signed.write_bytes(b"".join(signed.read_bytes().splitlines(keepends=True)[:-1]))
    assert (said().seq, said().kind) == (5, BreakKind.HEADS_GONE)


def test_a_damaged_copy_is_a_failure_and_no_traceback(signed: Path, settings: Settings) -> None:
    (settings.KEYS_DIR / "audit_last_head").write_bytes(b"\xff")
    assert said().kind == BreakKind.HEADS_GONE


@pytest.mark.parametrize("way", ["deleted", "cut"])
def test_nothing_is_signed_over_heads_that_are_gone(signed: Path, way: str) -> None:
    """A new file would soon hide what the lost one could prove."""
    lines = signed.read_bytes().splitlines(keepends=True)
    signed.unlink()
    if way == "cut":
        signed.write_bytes(lines[0])
    record_events(1)
    left = signed.read_bytes() if signed.exists() else b""
    for sign in (sign_head, sign_head_if_due):
        with pytest.raises(HeadsMissing) as error:
            sign()
        assert "audit sign --anew" in error.value.sentence
    assert signed.read_bytes() == left
    signed.write_bytes(b"".join(lines))
    assert sign_head() is not None
    assert verify_chain().ok


def test_beginning_anew_is_told_by_the_log_and_keeps_what_was_left(signed: Path) -> None:
    first = signed.read_bytes().splitlines(keepends=True)[0]
    signed.write_bytes(first)
    with pytest.raises(CommandError, match=r"Nothing was signed.*ends at row 3; row 5 was signed"):
        call_command("audit", "sign")
    call_command("audit", "sign", "--anew", stdout=io.StringIO())
    assert verify_chain().ok
    events = AuditEvent.objects.filter(action=audit_heads.SIGNING).order_by("seq")
    assert [json.loads(event.payload)["anew"] for event in events] == [False, True]
    (aside,) = signed.parent.glob("heads.jsonl.until-*")
    assert aside.read_bytes() == first


def test_anew_changes_nothing_where_nothing_is_gone(signed: Path) -> None:
    before = signed.read_bytes()
    call_command("audit", "sign", "--anew", stdout=io.StringIO())
    assert signed.read_bytes() == before


def test_a_disk_that_is_full_at_the_first_head_leaves_no_key_that_signed_nothing(
    own_database: str, settings: Settings
) -> None:
    record_events(1)
    with no_file_longer_than(100), pytest.raises(OSError, match="File too large"):
        sign_head()  # the key has 65 bytes, a line more than 200
    assert not (settings.KEYS_DIR / "audit_heads_key").exists()
    settings.AUDIT_HEADS_FILE.write_bytes(b"")
    assert sign_head() is not None
    assert verify_chain().ok


def test_the_chain_is_compared_with_a_copy_from_elsewhere(
    signed: Path, own_database: str, settings: Settings, tmp_path: Path
) -> None:
    """Log and heads of this machine are cut alike, so only the copy shows it."""
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(signed.read_bytes())
    assert verify("--head", str(copy)).startswith("OK 5 rows")
    as_owner(own_database, *CUT)
    for path in (signed, settings.KEYS_DIR / "audit_last_head"):
        path.unlink()
    (settings.KEYS_DIR / "audit_heads_key").rename(tmp_path / "key")
    assert verify_chain().ok  # why heads have to be copied elsewhere
    (tmp_path / "key").rename(settings.KEYS_DIR / "audit_heads_key")
    with pytest.raises(CommandError, match="BROKEN at row 3: rows that a signed head vouches for"):
        verify("--head", str(copy))


def test_a_forged_copy_is_found(signed: Path, tmp_path: Path) -> None:
    head = json.loads(signed.read_bytes().splitlines()[0])
    (tmp_path / "copy").write_text(json.dumps(head | {"seq": 2, "count": 2}))
    with pytest.raises(CommandError, match="a signed head has no valid signature"):
        verify("--head", str(tmp_path / "copy"))


@pytest.mark.parametrize("content", [None, b"", b"{}\n", b"\xff\x00"])
def test_a_copy_that_vouches_for_nothing_is_refused(
    signed: Path, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "copy").write_bytes(content)
    with pytest.raises(CommandError, match=r"can't be read|is no copy of signed heads") as e:
        verify("--head", str(tmp_path / "copy"))
    assert e.value.returncode == 2


class Receiver(BaseHTTPRequestHandler):
    """Store the bodies that are posted, and answer with `status`."""

    bodies: list[bytes]
    status: int

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.status)
        self.send_header("Location", "http://127.0.0.1:9/")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def receiver(settings: Settings) -> Iterator[type[Receiver]]:
    kind = type("OwnReceiver", (Receiver,), {"bodies": [], "status": 204})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        settings.AUDIT_HEADS_URL = f"http://127.0.0.1:{server.server_port}/heads"
        yield kind
        server.shutdown()
        thread.join()


def test_heads_go_to_a_second_file_and_to_an_address(
    signed: Path, settings: Settings, tmp_path: Path, receiver: type[Receiver]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    settings.AUDIT_HEADS_COPY = str(tmp_path / "elsewhere" / "heads.jsonl")
    assert send_heads() == []
    assert send_heads() == []
    copy = Path(settings.AUDIT_HEADS_COPY)
    assert copy.read_bytes() == signed.read_bytes()
    assert receiver.bodies == [signed.read_bytes().splitlines(keepends=True)[-1]] * 2
    record_events(1)
    sign_head()
    assert send_heads() == []
    assert copy.read_bytes() == signed.read_bytes()
    (tmp_path / "posted").write_bytes(receiver.bodies[-1])
    for path in (copy, tmp_path / "posted"):
        assert verify("--head", str(path)).startswith("OK 6 rows")


@pytest.mark.parametrize("status", [302, 404, 500])
def test_what_could_not_be_sent_is_told_and_sent_later(
    signed: Path,
    settings: Settings,
    tmp_path: Path,
    receiver: type[Receiver],
    status: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "in_the_way").write_text("")
    settings.AUDIT_HEADS_COPY = str(tmp_path / "in_the_way" / "heads.jsonl")
    receiver.status = status
    faults = send_heads()
    assert len(faults) == 2
    assert f"status {status}" in faults[1]
    assert all(fault in caplog.text and "tried again" in fault for fault in faults)
    with pytest.raises(CommandError, match="could not be copied"):
        call_command("audit", "sign", stdout=io.StringIO())
    (tmp_path / "in_the_way").unlink()
    (tmp_path / "in_the_way").mkdir()
    receiver.status = 200
    assert send_heads() == []
    assert Path(settings.AUDIT_HEADS_COPY).read_bytes() == signed.read_bytes()


def test_nothing_is_sent_where_nothing_is_configured(signed: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert send_heads() == []
    assert sorted(tmp_path.rglob("*")) == before
