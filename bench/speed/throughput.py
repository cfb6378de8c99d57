"""Report how fast documents are ingested, and which step takes how long, from the jobs' records."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db.models import Max, Min

from corpus.indexing.jobs import TIMED
from corpus.models import Chunk, Job, JobState

# Settings that would point a measurement's commands at the site's own database.
_NOT_PASSED_ON = tuple(f"DATABASE_{of}URL" for of in ("", "OWNER_", "AUDITOR_", "REPLICA_"))


@dataclass(frozen=True)
class Throughput:
    """Totals of finished ingestion jobs. `steps` are seconds by name, in the order of `TIMED`.

    `wall_s` is the time from the first start to the last end, pauses included.
    """

    documents: int
    pages: int
    passages: int
    size_bytes: int
    steps: dict[str, float]
    wall_s: float


def throughput() -> Throughput:
    """Add up all finished jobs that recorded their times. Runs three queries."""
    done = Job.objects.filter(state=JobState.DONE).exclude(timings={})
    steps = dict.fromkeys(TIMED, 0.0)
    documents = pages = size_bytes = 0
    rows = done.values_list("timings", "document__page_count", "document__size_bytes")
    for timings, page_count, size in rows.iterator():
        documents, pages, size_bytes = documents + 1, pages + page_count, size_bytes + size
        for step, seconds in timings.items():
            steps[step] = steps.get(step, 0.0) + seconds
    ends = done.aggregate(first=Min("started_at"), last=Max("finished_at"))
    wall_s = (ends["last"] - ends["first"]).total_seconds() if documents else 0.0
    passages = Chunk.objects.filter(document__job__in=done).count()
    return Throughput(documents, pages, passages, size_bytes, steps, wall_s)


def described(found: Throughput) -> Iterator[str]:
    """Yield a report in lines, of jobs that one worker ran in succession."""
    seconds = found.wall_s or 1.0
    yield (
        f"{found.documents} documents, {found.pages} pages, {found.passages} passages, "
        f"{found.size_bytes / 1e6:.2f} MB in {found.wall_s:.1f} s of one worker"
    )
    rates = (found.pages, found.passages, found.size_bytes / 1e6)
    yield "{:.2f} pages/s, {:.2f} passages/s, {:.4f} MB/s".format(*(r / seconds for r in rates))
    between_s = max(found.wall_s - sum(found.steps.values()), 0.0)  # claiming jobs, and the queue
    for step, spent in {**found.steps, "between": between_s}.items():
        yield f"{step:<8} {spent:9.2f} s {100 * spent / seconds:6.1f} %"


def measure_ingestion(path: Path) -> Iterator[str]:
    """Ingest a file, a folder or a tar by one worker into a database of its own, and drop it.

    Runs the commands that staff run, in a temporary data folder inside the site's. Yields a report
    in lines. Raises CommandError.
    """
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.DATA_DIR) as scratch:
        data, files = Path(scratch) / "data", _unpacked(path, Path(scratch) / "files")
        data.mkdir()
        _run(data, "migrate", "--verbosity", "0")
        first_s = _run(data, "ingest", str(files), "--wait", may_fail=True)[0]
        again_s = _run(data, "ingest", str(files), "--wait", may_fail=True)[0]
        yield from _run(data, "bench", "--timings")[1].splitlines()
        yield f"the command took {first_s:.1f} s; run again, which changes nothing, {again_s:.1f} s"


def _unpacked(path: Path, folder: Path) -> Path:
    if not path.exists():
        raise CommandError(f"{path}: there is no such file or folder.")
    if path.is_dir() or not tarfile.is_tarfile(path):
        return path.resolve()
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _run(data: Path, *arguments: str, may_fail: bool = False) -> tuple[float, str]:
    """Run a command on another data folder and return its seconds and output.

    With `may_fail`, an exit status other than 0 is accepted, as when some documents fail.
    """
    environment = {k: v for k, v in os.environ.items() if k not in _NOT_PASSED_ON}
    environment |= {"MEDRAG_DATA_DIR": str(data), "MEDRAG_WORKER": "processes=1"}
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode and not may_fail:
        raise CommandError(f"manage.py {arguments[0]} ended with status {ended.returncode}.")
    return time.monotonic() - started, ended.stdout
