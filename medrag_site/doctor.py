"""Examine one by one what a working installation needs, for `manage.py doctor`."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import Error
from django.db.models import Count, Q
from django.utils import timezone

from chat.audit.forwarding import backlog
from chat.audit.heads import check_access
from chat.audit.heads_copy import check_copy
from chat.audit.protection import missing_protections
from chat.gate.records import gate_in_use, misfit
from core.database_availability import AWAY, sqlstate
from core.errors import MedragError
from corpus import files, selectors
from corpus.encoders.registry import (
    ActiveEncoder,
    EncoderUnavailable,
    active_encoders,
    encoder_facts,
)
from corpus.indexing.recipe import chunk_settings
from corpus.models import EncoderState
from corpus.parsing import sniff
from corpus.sandbox import parent as sandbox
from corpus.scanning import refuse_infected
from corpus.services.encoders import encoders_not_as_configured, encoders_progress
from corpus.staff_selectors import source_notes, sources_watched
from corpus.stops import stops_held
from medrag_site import doctor_database as looks
from medrag_site.database.faults import sentence_of
from medrag_site.database.postmaster import MIN_FREE_BYTES, DatabaseStartError
from medrag_site.hospital import certificates_found, directory_found, record_found, sign_in_found
from medrag_site.processes.settings_digests import differences
from medrag_site.release import release
from retrieval.pipeline import retrieve
from retrieval.types import Query

UNDEFINED_TABLE, UNDEFINED_COLUMN = "42P01", "42703"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `detail` says what was found, or what to do.

    `ok` is None if all works but there is something to do.
    """

    name: str
    ok: bool | None
    detail: str


def examine() -> Iterator[Finding]:
    """Yield the finding of every check, in order; a check that fails is a finding, not an error.

    Once the database is found to be away, only checks that need none are run.
    """
    is_away = False
    for name, look in _LOOKS.items():
        if is_away and name not in _WITHOUT_DATABASE:
            continue
        try:
            ok, detail = look()
        except (*AWAY, DatabaseStartError) as error:
            is_away, ok = True, False
            detail = sentence_of(error)
        except (Error, OSError, MedragError, ImproperlyConfigured) as error:
            ok, detail = False, " ".join(str(error).split()) or type(error).__name__
            if sqlstate(error) in (UNDEFINED_TABLE, UNDEFINED_COLUMN):
                detail = "not looked at: tables are missing or of another version (migrations)"
        yield Finding(name, ok, detail)


def _audit() -> tuple[bool, str]:
    missing = missing_protections()
    if missing:
        return False, " ".join(missing)
    check_access()
    check_copy()
    return True, "the application can neither change nor delete it"


def _collector() -> tuple[bool | None, str]:
    """Report a collector that lacks events, as a fault once something kept them back."""
    lack = backlog()
    if lack is None:
        return True, "none: MEDRAG_AUDIT_FORWARD sends the log elsewhere"
    if not lack.events:
        return True, f"{settings.AUDIT_FORWARD_TO} has every event"
    since = f", the first of {lack.oldest:%Y-%m-%d %H:%M} UTC" if lack.oldest else ""
    told = f"{settings.AUDIT_FORWARD_TO} lacks {lack.events} events{since}"
    return (False if lack.fault else None), f"{told}. {lack.fault}".strip()


def _worker() -> tuple[bool, str]:
    age_s = selectors.worker_age_s()
    if age_s is None:
        return False, "none is running: start manage.py worker or manage.py serve"
    if not selectors.worker_is_alive():
        return False, f"last seen {age_s:.0f} s ago: start manage.py worker or manage.py serve"
    if faults := selectors.worker_faults():
        return False, " ".join(faults)
    others = [
        f"{worker.name} was started with another {', '.join(names)} than this command"
        for worker in selectors.workers_alive()
        if (names := differences(worker))
    ]
    if others:
        return False, f"{'; '.join(others)}: give both the same settings, and start it again"
    return True, f"seen {age_s:.0f} s ago"


def _checks() -> tuple[bool, str]:
    messages = checks.run_checks(tags=["corpus"])
    if messages:
        return False, "; ".join(str(message.msg) for message in messages)
    return True, f"settings fit together; {settings.WORKERS} processes of a worker read documents"


def _encoder() -> tuple[bool, str]:
    encoders = [
        f"{encoder.name} ({encoder.embedder.fingerprint}, {_tried(encoder)} dimensions)"
        for encoder in active_encoders()
    ]
    cut = chunk_settings(encoder_facts()).recipe
    return True, f"{', '.join(encoders)}, passages by {cut}"


def _tried(encoder: ActiveEncoder) -> int:
    """Return the encoder's dimensions. Raises EncoderUnavailable if its table has others."""
    vectors = encoder.embedder.encode(["metformin"])
    nearest = encoder.embedder.encode_queries(["metformin"])
    if {vectors.shape, nearest.shape} != {(1, encoder.dimensions)}:
        raise EncoderUnavailable(
            f"{encoder.name} makes {vectors.shape[1]} and {nearest.shape[1]} dimensions; "
            f"its table holds {encoder.dimensions}."
        )
    return encoder.dimensions


def _encoders() -> tuple[bool, str]:
    """Tell whether the tables of vectors are as configured, and report those being built."""
    faults = encoders_not_as_configured()
    if faults:
        return False, f"{', '.join(faults)} is configured and has no table: run manage.py migrate"
    building = [
        f"{progress.encoder.name} {progress.done} of {progress.total}"
        for progress in encoders_progress()
        if progress.encoder.state == EncoderState.BUILDING
    ]
    if building:
        return True, f"new vectors are being made: {', '.join(building)}"
    return True, "as configured"


def _gate() -> tuple[bool, str]:
    """Report a gate whose risk is unknown: the site answers all the same."""
    gate = gate_in_use()
    evidence = retrieve(Query("metformin", on=timezone.localdate()))
    if notes := misfit(gate, evidence.trace.fingerprint):
        return False, f"{gate.scale.version}: {' '.join(notes)}"
    return True, f"{gate.scale.version}, threshold {gate.threshold:.3g}"


def _documents() -> tuple[bool | None, str]:
    """Report what is not searched, and as something to do, what would be indexed otherwise."""
    lack, waiting = selectors.documents_published_unsearched(), selectors.jobs_open()
    told = []
    if lack.missing:
        told.append(f"{lack.missing} of {lack.published} published are not searched yet")
    if waiting:
        told.append(f"{waiting} being read or waiting; what was read before answers meanwhile")
    stale = selectors.documents_stale()
    if count := stale.count():
        read = stale.filter(must_be_read=True).count()
        told.append(
            f"{count} would be indexed in another way today, {read} of them read in another way: "
            f"run manage.py reindex --stale"
        )
    if lack.missing and not waiting:
        told[0] += ": see why in the list of documents (failed), and press Read again"
        return False, "; ".join(told)
    return (None, "; ".join(told)) if told else (True, "all indexed as they would be today")


def _sources() -> tuple[bool | None, str]:
    """Report sources with a fault, and as something to do, files that could not be taken in."""
    if not settings.SOURCES:
        return True, "none is watched: MEDRAG_SOURCES names some"
    found = sources_watched().annotate(faults=Count("files", filter=~Q(files__fault="")))
    rows = {source.name: source for source in found}
    if faults := [f"{row.name}: {row.fault}" for row in rows.values() if row.fault]:
        return False, " ".join(faults)
    todo = [f"{s.name} waits for a look" for s in settings.SOURCES if s.name not in rows]
    todo += [
        f"{row.name}: {' '.join(notes)}" for row in rows.values() if (notes := source_notes(row))
    ]
    todo += [
        f"{row.name}: {count} could not be taken in, see its page in the administration"
        for row in rows.values()
        if (count := getattr(row, "faults", 0))
    ]
    return (None, "; ".join(todo)) if todo else (True, f"{len(rows)} watched")


def _scanner() -> tuple[bool, str]:
    if not settings.SCANNER:
        return True, "none: MEDRAG_SCANNER names a clamd that looks at uploads"
    with files.scratch_folder() as folder:
        probe = folder / "probe.txt"
        probe.write_text("Is this looked at?")
        refuse_infected(probe)
    return True, f"{settings.SCANNER} looks at uploads"


def _addresses() -> tuple[bool, str]:
    """Report an unknown proxy: all clients behind it share one address, and so one lockout."""
    if settings.HTTPS and not settings.PROXIES:
        return False, "https in MEDRAG_WEB needs a proxy in front: say with proxies= how many"
    if settings.PROXIES:
        return True, f"those that {settings.PROXIES} trusted proxies tell"
    return True, "those of the connections"


def _parser() -> tuple[bool, str]:
    with files.scratch_folder() as folder:
        path = folder / "probe.txt"
        path.write_text("Probe\n\nThis file is read to see whether files can be read.\n")
        parsed = sandbox.parse_in_child(
            path,
            media_type=sniff.TEXT,
            output_dir=folder,
            limits=sandbox.Limits(memory_mb=settings.PARSE_MEMORY_MB, wall_s=120),
            on_progress=lambda done, total: None,
            command=settings.PARSER_COMMAND or sandbox.CHILD,
        )
    return True, f"reads files in a child process ({parsed.engine})"


def _disk() -> tuple[bool, str]:
    free = shutil.disk_usage(settings.DATA_DIR).free
    detail = f"{free / 1024**3:.1f} GiB free in {settings.DATA_DIR}"
    return free >= MIN_FREE_BYTES, detail


def _files() -> tuple[bool, str]:
    files.probe()
    bucket = settings.FILES["bucket"]
    return True, f"kept in the bucket {bucket}" if bucket else "kept in the data folder"


def _answering() -> tuple[bool, str]:
    held = stops_held().held
    return not held, " ".join(stop.sentence for stop in held) or "from all guidelines in force"


_WITHOUT_DATABASE = {"release", "checks", "authorities", "parser", "disk", "files", "scanner"}


def _release() -> tuple[bool, str]:
    return True, release()


_LOOKS: dict[str, Callable[[], tuple[bool | None, str]]] = {
    "release": _release,
    "database": looks.database,
    "replica": looks.replica,
    "role": looks.role,
    "pgvector": looks.pgvector,
    "migrations": looks.migrations,
    "clock": looks.clock,
    "audit log": _audit,
    "collector": _collector,
    "checks": _checks,
    "worker": _worker,
    "embedder": _encoder,
    "vectors": _encoders,
    "gate": _gate,
    "documents": _documents,
    "sources": _sources,
    "scanner": _scanner,
    "addresses": _addresses,
    "sign-in": sign_in_found,
    "directory": directory_found,
    "record": record_found,
    "authorities": certificates_found,
    "parser": _parser,
    "disk": _disk,
    "files": _files,
    "answering": _answering,
}
