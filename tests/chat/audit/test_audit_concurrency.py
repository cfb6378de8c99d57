"""Test that eight concurrent writers make one chain."""

import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.management import call_command
from django.db import connections, transaction

from chat.audit import log as audit
from chat.audit.verify import verify_chain
from chat.models import AuditEvent
from tests.chat.audit.audit_tools import independent_verify

WRITERS = 8
FEW, MANY = 150, 1250  # rows of each: in every run, and in `make exhaustive`


@pytest.mark.parametrize("rows", [FEW, pytest.param(MANY, marks=pytest.mark.exhaustive)])
def test_concurrent_writers_make_one_unbroken_chain(own_database: str, rows: int) -> None:
    start = threading.Barrier(WRITERS)
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(_writer(start, rows), range(WRITERS)))
    seqs = list(AuditEvent.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, WRITERS * rows + 1))
    report = verify_chain()
    assert report.ok, str(report)
    assert report.rows == WRITERS * rows

    export = io.StringIO()
    call_command("audit", "export", stdout=export)
    assert independent_verify(export.getvalue().splitlines()) == (report.rows, report.head_hash)


def _writer(start: threading.Barrier, rows: int) -> Callable[[int], None]:
    def write(number: int) -> None:
        start.wait()
        try:
            for row in range(rows):
                with transaction.atomic():
                    audit.record("test", actor=None, subject=f"w:{number}", payload={"row": row})
        finally:
            connections.close_all()

    return write
