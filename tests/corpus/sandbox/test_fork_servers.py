"""Test forked children: they share the loaded libraries, and nothing of a file."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from corpus.parsing import registry
from corpus.parsing.serialise import to_json
from corpus.parsing.sniff import media_type_of
from corpus.parsing.types import ParsedDocument, ParseError
from corpus.sandbox import fork_server, fork_servers
from corpus.sandbox.child_process import PROJECT_ROOT, environment
from corpus.sandbox.parent import CHILD, Limits, parse_in_child
from tests.corpus.documents import GUIDELINE
from tests.corpus.parsing import parsing_fixtures as fixtures
from tests.processes import survivors, wait_until

ANEW = (*CHILD[:1], "-u", *CHILD[1:])  # the same program, without a fork server


@pytest.fixture(autouse=True)
def no_server_yet() -> Iterator[None]:
    fork_servers._close_all()
    yield
    fork_servers._close_all()


@pytest.fixture
def markdown(tmp_path: Path) -> Path:
    path = tmp_path / "a.md"
    path.write_text(GUIDELINE)
    return path


@pytest.fixture
def long_markdown(tmp_path: Path) -> Path:
    """Write a file that takes long enough to parse for the test to look at the child."""
    path = tmp_path / "long.md"
    path.write_text(GUIDELINE * 400)
    return path


def parse(path: Path, out: Path, **options: object) -> ParsedDocument:
    out.mkdir(exist_ok=True)
    limits = options.pop("limits", Limits())
    options.setdefault("on_progress", lambda done, total: None)
    media_type = media_type_of(path, path.name)
    return parse_in_child(path, media_type=media_type, output_dir=out, limits=limits, **options)  # type: ignore[arg-type]


def only_server() -> psutil.Process:
    (found,) = fork_servers._idle
    return psutil.Process(found.process.pid)


def at_start_of_the_child(do: Callable[[psutil.Process], None]) -> dict[str, object]:
    """Return options for `parse` that call `do` with the forked child when it begins."""

    def begun() -> None:
        server = next(p for p in psutil.Process().children() if "sandbox.fork_server" in " ".join(p.cmdline()))  # noqa: E501  # fmt: skip
        (child,) = server.children()
        do(child)

    return {"on_start": begun}


def test_files_of_all_formats_come_out_as_in_a_child_begun_anew(tmp_path: Path) -> None:
    paths = [
        fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns, fixtures.plain_page("x")),
        *(tmp_path / name for name in ("a.md", "a.html", "a.txt")),
    ]
    for path in paths[1:]:
        path.write_text(f"<html><body><h1>{GUIDELINE}</h1></body></html>")
    anew = {path: to_json(parse(path, tmp_path / "anew", command=ANEW)) for path in paths}
    for path in [*paths, *reversed(paths)]:
        assert to_json(parse(path, tmp_path / "forked")) == anew[path], path.name
    assert only_server().is_running()  # one for all of them


def test_nothing_that_a_child_does_reaches_the_next(long_markdown: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, str, dict[str, str]]] = []

    def note(child: psutil.Process) -> None:
        seen.append((child.pid, child.cwd(), child.environ()))
        seen_session.append(os.getsid(child.pid))

    seen_session: list[int] = []
    for _ in range(2):
        parse(long_markdown, tmp_path / "out", **at_start_of_the_child(note))
    (first, first_home, _), (second, second_home, _) = seen
    assert first != second
    assert first_home != second_home
    assert not Path(first_home).exists()
    assert not Path(second_home).exists()
    assert seen_session == [first, second]  # each leads a session of its own


def test_the_server_sees_no_secret_and_has_one_thread(
    markdown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://user:password@host/db")
    for path in (markdown, fixtures.make_pdf(tmp_path / "a.pdf", fixtures.two_columns)):
        parse(path, tmp_path / "out")
    process = only_server()
    assert "DATABASE_URL" not in process.environ()
    assert process.num_threads() == 1
    assert process.children() == []


def test_limits_are_those_of_the_file_at_hand(long_markdown: Path, tmp_path: Path) -> None:
    def limits(child: psutil.Process) -> None:
        found.append((child.rlimit(psutil.RLIMIT_AS)[0], child.rlimit(psutil.RLIMIT_CPU)[0]))

    found: list[tuple[int, int]] = []
    for memory_mb, cpu_s in ((2_000, 50), (3_000, 70)):
        wanted = Limits(memory_mb=memory_mb, cpu_s=cpu_s)
        parse(long_markdown, tmp_path / "out", limits=wanted, **at_start_of_the_child(limits))
    assert found == [(2_000 * 2**20, 50), (3_000 * 2**20, 70)]
    assert only_server().rlimit(psutil.RLIMIT_AS)[0] == -1  # the server itself has no limit


@pytest.mark.parametrize("victim", ["child", "server"])
def test_a_kill_in_mid_file_is_reported_and_the_next_file_is_read(
    victim: str, long_markdown: Path, tmp_path: Path
) -> None:
    def kill(child: psutil.Process) -> None:
        parent = child.parent()
        assert parent is not None
        children.append(child)
        child.suspend()
        (child if victim == "child" else parent).kill()

    children: list[psutil.Process] = []
    with pytest.raises(ParseError) as caught:
        parse(long_markdown, tmp_path / "out", **at_start_of_the_child(kill))
    assert (caught.value.code, caught.value.retryable) == ("parser_killed", True)
    assert survivors(children) == []
    assert parse(long_markdown, tmp_path / "again").pages


def test_a_server_that_died_while_idle_is_replaced(markdown: Path, tmp_path: Path) -> None:
    fork_servers.start_early()
    for number in (signal.SIGKILL, signal.SIGTERM):
        dead = only_server()
        dead.send_signal(number)
        dead.wait()
        assert parse(markdown, tmp_path / "out").pages
        assert only_server() != dead


def test_a_server_that_hangs_is_given_up_with_its_child(
    long_markdown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(child: psutil.Process) -> None:
        parent = child.parent()
        assert parent is not None
        children.extend((child, parent))
        for process in children:
            process.suspend()

    children: list[psutil.Process] = []
    monkeypatch.setattr(fork_servers, "ENDING_S", 0.5)
    with pytest.raises(ParseError) as caught:
        short = Limits(wall_s=4)
        parse(long_markdown, tmp_path / "out", limits=short, **at_start_of_the_child(stop))
    assert caught.value.code == "parser_timeout"
    assert survivors(children) == []
    assert fork_servers._idle == []


def test_threads_have_a_server_each(markdown: Path, tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(to_json(parse(markdown, tmp_path / n))))
        for n in ("one", "two", "three")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert len(set(found)) == 1


def test_a_forked_process_leaves_its_parents_server_alone(markdown: Path, tmp_path: Path) -> None:
    parse(markdown, tmp_path / "out")
    before = only_server()
    pid = os.fork()
    if pid == 0:
        ended = 1
        try:
            ended = 0 if not fork_servers._idle and parse(markdown, tmp_path / "its").pages else 1
        finally:
            os._exit(ended)
    assert os.waitpid(pid, 0)[1] == 0
    assert parse(markdown, tmp_path / "out").pages
    assert only_server() == before


def test_all_end_with_the_process_that_reads(markdown: Path, tmp_path: Path) -> None:
    """The reading process gets SIGKILL in the middle of a file."""
    code = (
        "import sys, time\n"
        "from corpus.sandbox.parent import *\n"
        "path, out = map(Path, sys.argv[1:])\n"
        "parse_in_child(path, media_type='text/markdown', output_dir=out, limits=Limits(),"
        " on_progress=lambda *_: time.sleep(60))"
    )
    out = tmp_path / "out"
    out.mkdir()
    process = subprocess.Popen([sys.executable, "-c", code, markdown, out], cwd=PROJECT_ROOT)
    reader = psutil.Process(process.pid)
    wait_until(lambda: len(reader.children(recursive=True)) >= 2, "the child is forked")
    family = reader.children(recursive=True)
    process.kill()
    process.wait()
    assert survivors(family) == []


def test_beside_a_thread_the_child_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock that another thread held at the fork would never be released."""
    ran: list[tuple[str, ...]] = []

    def begin(program: str, arguments: tuple[str, ...]) -> None:
        ran.append(tuple(arguments))
        raise SystemExit(5)

    def leave(status: int) -> None:
        raise RuntimeError(f"left with {status}")

    monkeypatch.setattr(os, "execv", begin)
    monkeypatch.setattr(os, "_exit", leave)
    with pytest.raises(RuntimeError, match="left with 5"):
        fork_server._work(["a.md", "text/markdown"], is_safe=False)
    assert ran == [(sys.executable, "-m", "corpus.sandbox.child", "a.md", "text/markdown")]
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert fork_server._threads() > 1
    finally:
        stop.set()
        thread.join()


def test_every_library_that_is_loaded_early_is_there_and_starts_no_thread() -> None:
    names = {n for t in registry._FORMATS for n in registry.libraries_for(media_type=t)}
    code = "import sys; from corpus.sandbox import fork_server as n; "
    code += f"[n.import_module(x) for x in {sorted(names)!r}]; "
    code += "print(n._threads(), 'torch' in sys.modules)"
    told = subprocess.check_output([sys.executable, "-c", code], env=environment("/"), text=True)
    assert told.split() == ["1", "False"]


def test_many_files_leave_no_files_open(markdown: Path, tmp_path: Path) -> None:
    parse(markdown, tmp_path / "out")
    ours, its = psutil.Process().num_fds(), only_server().num_fds()
    for _ in range(5):
        parse(markdown, tmp_path / "out")
    deadline = time.monotonic() + 5
    while psutil.Process().num_fds() > ours and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (psutil.Process().num_fds(), only_server().num_fds()) == (ours, its)
