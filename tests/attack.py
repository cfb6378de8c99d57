"""Attack the product in at most 30 minutes, and report what broke: `make attack`.

Each attack is a selection of existing tests, those of `make exhaustive` among them, some of these
with fewer rounds. The exit status is 0 only if nothing broke and the time was enough for all.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import pytest
from _pytest.terminal import TerminalReporter

TIME_S = 29 * 60.0  # in all; a test that begins at the end still runs
# Fewer rounds of the long tests than in `make exhaustive`.
ROUNDS = {
    "MEDRAG_TEST_KILLS": "10",
    "MEDRAG_TEST_MOST_PAUSED": "20",
    "MEDRAG_TEST_PAUSE_S": "5",
    "MEDRAG_TEST_LONG_PAUSE_S": "10",
    "MEDRAG_TEST_EXAMPLES": "50",
}
TOO_LATE = "no time was left"
HEADER = ("attack", "tried", "broke", "seconds")


@dataclass
class Attack:
    """Some tests, by file or by name, and the unit in which they are counted.

    A test may give another count by `record_property("kills of the database", 20)`.
    """

    name: str
    one_test: str
    tests: Sequence[str]
    share: float = 1.0  # of the time, relative to the others' shares
    tried: Counter[str] = field(default_factory=Counter)
    broke: list[str] = field(default_factory=list)
    not_tried: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    began_s: float | None = None  # since the beginning of the run

    def has(self, node_id: str) -> bool:
        return any(
            node_id == test or node_id.startswith((f"{test}[", f"{test}::")) for test in self.tests
        )

    def note(self, report: pytest.TestReport) -> None:
        self.seconds += report.duration
        if report.failed and report.nodeid not in self.broke:
            self.broke.append(report.nodeid)
        if report.skipped and isinstance(report.longrepr, tuple):
            self.not_tried[report.longrepr[2].removeprefix("Skipped: ")] += 1
        elif report.when == "call":
            for what, count in report.user_properties or [(self.one_test, 1)]:
                self.tried[what] += int(str(count))

    def row(self) -> tuple[str, str, str, str]:
        told = [f"{count} {what}" for what, count in self.tried.items()]
        told += [f"not tried: {count} ({why})" for why, count in self.not_tried.items()]
        broke = [node_id.split("::", 1)[-1] for node_id in self.broke]
        whole = "; ".join(told) or "not tried: its tests did not begin"
        is_tried = self.tried or broke
        return (
            self.name,
            whole,
            "; ".join(broke) or ("nothing" if is_tried else "-"),
            f"{self.seconds:.0f}",
        )


SITE, CORPUS, CHAT = "tests/site", "tests/corpus", "tests/chat"
ATTACKED = f"{SITE}/attacked"
LIVE = f"{ATTACKED}/test_damaged.py"
WORKER, HOSTILE = f"{SITE}/processes/test_worker.py", f"{CORPUS}/hostile"
FORKED = f"{CORPUS}/sandbox/test_fork_servers.py"
FUZZED, DESCRIBED = f"{SITE}/test_fuzzed_views.py", f"{CHAT}/api/test_api_schemathesis.py"
ATTACKS = (
    Attack(
        "kills of the database, under load",
        "kills",
        [
            f"{LIVE}::test_the_database_is_killed_time_and_again",
            f"{SITE}/database/test_database_away.py",
        ],
        share=3,
    ),
    Attack(
        "kills of workers, parsers and sites",
        "kills",
        [
            f"{CORPUS}/indexing/test_kills.py",
            f"{WORKER}::test_killing_it_in_mid_work_changes_nothing_in_the_end",
            f"{WORKER}::test_nothing_outlives_a_supervisor_that_is_killed",
            f"{SITE}/processes/test_supervisor.py::test_nothing_outlives_a_serve_that_is_killed",
            f"{FORKED}::test_a_kill_in_mid_file_is_reported_and_the_next_file_is_read",
        ],
        share=2,
    ),
    Attack(
        "pauses of every process, under load",
        "pauses",
        [
            f"{LIVE}::test_each_process_is_paused_for_longer_than_a_lease",
            f"{LIVE}::test_the_worker_and_the_site_are_paused_for_long",
        ],
        share=4,
    ),
    Attack(
        "full disk",
        "writes without room",
        [
            f"{LIVE}::test_the_disk_is_full_for_a_while",
            f"{CORPUS}/indexing/test_interrupted.py",
            f"{SITE}/backups/test_backup.py::test_a_disk_that_is_full_leaves_nothing_behind",
        ],
        share=3,
    ),
    Attack(
        "backup under load, wipe, restore",
        "backups and restores",
        [f"{SITE}/backups/test_backup_live.py"],
        share=3,
    ),
    Attack("a stop of answering, under load", "stops", [f"{ATTACKED}/test_stopped.py"], share=2),
    Attack("files, scanner and collector hang", "sites", [f"{ATTACKED}/test_hanging.py"], share=2),
    Attack("reading again, under load", "sites", [f"{ATTACKED}/test_reindexed.py"]),
    Attack(
        "hostile files",
        "files",
        [
            f"{HOSTILE}/test_bad_files.py::test_a_bad_file_is_read_or_refused_with_a_sentence",
            f"{HOSTILE}/test_bad_files_mutated.py::test_a_mutated_file_is_read_or_refused_with_a_sentence",
            f"{HOSTILE}/test_bad_files_ingested.py::test_an_upload_ends_refused_failed_or_done",
        ],
        share=2,
    ),
    Attack(
        "files that take for ever",
        "shapes at n, 2n and 4n",
        [f"{CORPUS}/parsing/test_linear_growth.py", f"{CORPUS}/indexing/test_work_ended.py"],
    ),
    Attack(
        "fuzzed views and admin filters",
        "requests",
        [f"{FUZZED}::test_no_request_is_an_error_of_the_server_s[{n}-10]" for n in range(3)],
        share=1.5,
    ),
    Attack("requests by the API's description", "requests", [DESCRIBED], share=1.5),
    Attack("guessed passwords and tokens", "ways to guess", [f"{CHAT}/sign_in/test_lockouts.py"]),
    Attack(
        "orders in documents and questions", "orders", [f"{CHAT}/generation/test_injections.py"]
    ),
    Attack(
        "tampering with the log",
        "changes",
        [
            f"{CHAT}/audit/test_audit_mutations.py",
            f"{CHAT}/audit/test_audit_breaks.py",
            f"{CHAT}/audit/test_audit_gone.py",
        ],
    ),
)


class Table:
    """Assign each test to its attack, and print a row for each attack at the end.

    An attack may use time that earlier ones left, but not the share kept for later ones.
    """

    def __init__(self, attacks: Sequence[Attack], time_s: float) -> None:
        self.attacks = attacks
        self.is_whole = True
        self._late: set[str] = set()
        self._time_s = time_s
        self._began = time.monotonic()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Put the tests in the order of the attacks, once the suite has put its long files first.

        In another order the time that is kept for later attacks would be theirs from the beginning.
        """
        yield
        items.sort(key=lambda item: self.attacks.index(self._attack_of(item.nodeid)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if time.monotonic() - self._began > self._last_start_s(self._attack_of(item.nodeid)):
            self.is_whole = False
            self._late.add(item.nodeid)
            pytest.skip(TOO_LATE)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Leave a test that came too late a skipped one, also where it holds a hazard's control."""
        report = yield
        if report.failed and report.when == "setup" and item.nodeid in self._late:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"Skipped: {TOO_LATE}")
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._attack_of(report.nodeid).note(report)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        rows = [HEADER, *(attack.row() for attack in self.attacks)]
        widths = [max(len(row[at]) for row in rows) for at in range(len(HEADER) - 1)]
        terminalreporter.section("what was tried and what broke")
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            terminalreporter.line("  ".join([*cells, row[-1].rjust(len(HEADER[-1]))]))

    def _last_start_s(self, attack: Attack) -> float:
        """Return until when the attack may start tests, in seconds from the beginning.

        An attack that begins late, because earlier ones took too long, still has its own share.
        """
        place = self.attacks.index(attack)
        later = sum(other.share for other in self.attacks[place + 1 :])
        whole = sum(other.share for other in self.attacks)
        ends = self._time_s * (1 - later / whole)
        if attack.began_s is None:
            attack.began_s = time.monotonic() - self._began
        return max(ends, attack.began_s + self._time_s * attack.share / whole)

    def _attack_of(self, node_id: str) -> Attack:
        return next(attack for attack in self.attacks if attack.has(node_id))


def run(attacks: Sequence[Attack], time_s: float = TIME_S) -> int:
    """Run the attacks; return 0 if nothing broke and no test was left out for want of time."""
    table = Table(attacks, time_s)
    tests = [test for attack in attacks for test in attack.tests]
    status = pytest.main([*tests, "-m", ""], plugins=[table])
    return int(status) or int(not table.is_whole)


if __name__ == "__main__":
    os.environ |= ROUNDS
    chosen = [attack for attack in ATTACKS if all(word in attack.name for word in sys.argv[1:])]
    sys.exit(run(chosen))
