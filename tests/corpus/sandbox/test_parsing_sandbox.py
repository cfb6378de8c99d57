"""Test the parser's child process: its limits, its end, and what the parent makes of both."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import ParsedDocument, ParseError
from corpus.sandbox import child
from corpus.sandbox.child_process import PROJECT_ROOT
from corpus.sandbox.parent import Limits, parse_in_child
from tests.corpus.parsing import parsing_fixtures as fixtures

SLEEP_IN_NATIVE_CODE = "import ctypes; ctypes.CDLL(None).sleep(600)"
ENTITIES = b"""<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
<Document><QAPairs><QAPair><Question>&b;</Question></QAPair></QAPairs></Document>"""
ENOUGH_MB = 1_000_000
REPORT_PID = "import os, sys; open(sys.argv[3] + '/pid', 'w').write(str(os.getpid()));"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def _run(code: str, out: Path, *, wall_s: float = 60, **options: object) -> ParsedDocument:
    """Run Python code in place of the parser."""
    return parse_in_child(
        out,
        media_type="text/plain",
        output_dir=out,
        limits=Limits(wall_s=wall_s, max_output_mb=1),
        on_progress=options.get("on_progress", lambda done, total: None),  # type: ignore[arg-type]
        command=(sys.executable, "-c", code),
    )


def _parse(path: Path, out: Path, limits: Limits | None = None) -> ParsedDocument:
    return parse_in_child(
        path,
        media_type=media_type_of(path, path.name),
        output_dir=out,
        limits=limits or Limits(),
        on_progress=lambda done, total: None,
    )


def _failure(path: Path, out: Path, limits: Limits | None = None) -> ParseError:
    with pytest.raises(ParseError) as caught:
        _parse(path, out, limits)
    return caught.value


def _run_failure(code: str, out: Path, **options: Any) -> ParseError:
    with pytest.raises(ParseError) as caught:
        _run(code, out, **options)
    return caught.value


def _is_alive(out: Path) -> bool:
    try:
        os.kill(int((out / "pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def test_a_file_is_parsed_with_progress(tmp_path: Path, out: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, fixtures.plain_page("x"))
    seen: list[tuple[int, int]] = []
    document = parse_in_child(
        path,
        media_type="application/pdf",
        output_dir=out,
        limits=Limits(),
        on_progress=lambda done, total: seen.append((done, total)),
    )

    fixtures.assert_contract(document)
    assert seen[-1] == (2, 2)
    assert [file.name for file in out.iterdir()] == ["parsed.json"]  # pictures are made on request
    again = out.parent / "again"
    again.mkdir()
    _parse(path, again)
    assert (out / "parsed.json").read_bytes() == (again / "parsed.json").read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("a.pdf", b"%PDF-1.7\nnothing more", "pdf_corrupt"),
        ("a.docx", None, "file_corrupt"),
        ("a.xml", b"<Other><a/></Other>", "xml_unknown"),
        ("a.xml", b"<Document><QAPairs>", "xml_corrupt"),
        ("a.txt", "\u200b\u200b \n".encode(), "no_text"),
        ("a.xml", ENTITIES, "xml_entities"),
    ],
)
def test_bad_files_end_with_a_code(
    tmp_path: Path, out: Path, name: str, content: bytes | None, code: str
) -> None:
    path = tmp_path / name
    if content is None:
        fixtures.office_zip(path, {})
    else:
        path.write_bytes(content)

    error = _failure(path, out)

    assert error.code == code
    assert error.hint
    assert not error.retryable


def test_an_encrypted_pdf_is_refused(tmp_path: Path, out: Path) -> None:
    locked = StandardEncryption("secret")
    path = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, encrypt=locked)
    assert _failure(path, out).code == "pdf_encrypted"


def test_a_truncated_pdf_is_refused_or_read_whole(tmp_path: Path, out: Path) -> None:
    whole = fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns).read_bytes()
    path = tmp_path / "b.pdf"
    path.write_bytes(whole[: len(whole) // 2])
    assert _failure(path, out).code in {"pdf_corrupt", "pdf_empty", "no_text"}


def test_a_pdf_without_pages_is_refused(tmp_path: Path, out: Path) -> None:
    import pypdfium2

    path = tmp_path / "a.pdf"
    pypdfium2.PdfDocument.new().save(path)
    assert _failure(path, out).code in {"pdf_empty", "pdf_corrupt"}


def test_a_pdf_with_too_many_pages_is_refused(tmp_path: Path, out: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", *[fixtures.two_columns] * 3)
    assert _failure(path, out, Limits(max_pages=2)).code == "too_many_pages"


def test_memory_is_limited(out: Path) -> None:
    scan = PROJECT_ROOT / "samples" / "guidelines" / "anaphylaxis-scan.pdf"  # the models need more
    error = _failure(scan, out, Limits(memory_mb=150))
    assert error.retryable
    assert error.code in {"parser_memory", "parser_killed"}


def test_processor_time_is_limited_and_more_tries_would_not_help(tmp_path: Path, out: Path) -> None:
    path = fixtures.make_pdf(tmp_path / "a.pdf", *[fixtures.two_columns] * 300)
    error = _failure(path, out, Limits(cpu_s=1))
    assert (error.code, error.retryable) == ("parser_timeout", False)


def test_an_error_that_nobody_foresaw_is_a_sentence_without_text_of_the_file() -> None:
    error = child._said_of(KeyError("canary: the patient's potassium"), ENOUGH_MB)
    assert (error.code, error.retryable) == ("file_unreadable", False)
    assert "KeyError" in str(error)
    assert "canary" not in error.sentence
    assert child._said_of(RecursionError(), ENOUGH_MB).code == "too_deep"
    for short in (MemoryError(), RuntimeError("std::bad_alloc")):
        assert child._said_of(short, ENOUGH_MB).code == "parser_memory"


def test_a_child_that_hangs_in_native_code_is_killed(out: Path) -> None:
    error = _run_failure(REPORT_PID + SLEEP_IN_NATIVE_CODE, out, wall_s=1.5)
    assert (error.code, error.retryable) == ("parser_timeout", True)
    assert not _is_alive(out)


def test_a_child_that_kills_itself_is_reported(out: Path) -> None:
    error = _run_failure("import os; os.kill(os.getpid(), 9)", out)
    assert (error.code, error.retryable) == ("parser_killed", True)


@pytest.mark.parametrize("raised", [RuntimeError, SystemExit, KeyboardInterrupt])
def test_what_progress_raises_kills_the_child(out: Path, raised: type[BaseException]) -> None:
    def lose_the_lease(done: int, total: int) -> None:
        if (out / "pid").exists():
            raise raised("lease lost")

    with pytest.raises(raised):
        _run(REPORT_PID + SLEEP_IN_NATIVE_CODE, out, on_progress=lose_the_lease)
    assert not _is_alive(out)


def test_progress_is_called_while_nothing_happens(out: Path) -> None:
    beats: list[float] = []

    def beat(done: int, total: int) -> None:
        beats.append(time.monotonic())

    _run_failure(SLEEP_IN_NATIVE_CODE, out, wall_s=5, on_progress=beat)
    assert len(beats) >= 3


def test_grandchildren_die_too(out: Path) -> None:
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen(['sleep', '600']);"
        "open(sys.argv[3] + '/pid', 'w').write(str(p.pid));"
        "p.wait()"
    )
    _run_failure(code, out, wall_s=1.5)
    deadline = time.monotonic() + 5
    while _is_alive(out) and time.monotonic() < deadline:
        time.sleep(0.05)  # until init has reaped it
    stat = Path(f"/proc/{(out / 'pid').read_text()}/stat")
    assert not stat.exists() or ") Z " in stat.read_text()


def test_the_child_sees_no_secrets(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://user:password@host/db")
    monkeypatch.setenv("SECRET_KEY", "secret")
    code = "import os, sys; open(sys.argv[3] + '/env', 'w').write(repr(sorted(os.environ)))"
    _run_failure(code, out)
    names = (out / "env").read_text()
    assert "DATABASE_URL" not in names
    assert "SECRET" not in names


@pytest.mark.parametrize(
    ("code", "ends_as"),
    [
        ("print('x' * 50_000_000)", "parser_output"),
        ("import sys; sys.stderr.write('x' * 50_000_000)", "parser_output"),
        ("print('page 99999999999/1'); print('page 1/0\\x00')", "parser_output"),
        (  # a flood of output files
            "import sys, time; open(sys.argv[3] + '/f', 'wb').write(b'0' * 3_000_000); "
            "time.sleep(60)",
            "output_too_large",
        ),
        (  # a pickle
            "import sys; open(sys.argv[3] + '/parsed.json', 'wb').write(b'\\x80\\x04.')",
            "parser_output",
        ),
    ],
)
def test_what_a_child_writes_does_no_harm(out: Path, code: str, ends_as: str) -> None:
    assert _run_failure(code, out).code == ends_as
