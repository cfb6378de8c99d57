"""Verify, export or sign the audit log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, OperationalError, connections, transaction

from chat.audit.export import record_work
from chat.audit.heads import HeadsMissing, SignedHead, parse_heads, sign_head
from chat.audit.heads_copy import send_heads
from chat.audit.verify import LAST_SEQ, StoredRow, stored_rows, verify_chain
from core.errors import MedragError


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = actions.add_parser("verify", help="verify the log; exit status 1 if it is broken")
        verify.add_argument(
            "--chain-only",
            action="store_true",
            help="don't compare the stored answers with the log",
        )
        verify.add_argument(
            "--head",
            type=Path,
            metavar="FILE",
            help="also compare with this copy of the signed heads",
        )
        export = actions.add_parser("export", help="print all rows with all fields as JSON lines")
        export.add_argument(
            "--from", dest="first", type=int, default=1, metavar="SEQ", help="first row"
        )
        export.add_argument(
            "--to", dest="last", type=int, default=LAST_SEQ, metavar="SEQ", help="last row"
        )
        sign = actions.add_parser(
            "sign", help="sign the head of the log now and append it to the file of signed heads"
        )
        sign.add_argument(
            "--anew",
            action="store_true",
            help="start a new file if the signed heads are lost for good; the log records it",
        )

    def handle(self, *, action: str, **options: Any) -> None:
        try:
            if action == "verify":
                self.verify(answers=not options["chain_only"], copy=options["head"])
            elif action == "export":
                self.export(options["first"], options["last"])
            else:
                self.sign(anew=options["anew"])
        except (BrokenPipeError, OperationalError):
            raise  # the reader of the export has closed it, or the database failed
        except HeadsMissing as error:
            raise CommandError(f"Nothing was signed. {error.sentence}") from error
        except (DatabaseError, MedragError, OSError) as error:
            told = error.sentence if isinstance(error, MedragError) else error
            raise CommandError(f"The audit log can't be read: {told}", returncode=2) from error

    def verify(self, *, answers: bool, copy: Path | None) -> None:
        report = verify_chain(answers=answers, elsewhere=_copied_heads(copy) if copy else ())
        for warning in report.warnings:
            self.stderr.write(f"WARNING {warning}")
        if not report.ok:
            raise CommandError(str(report), returncode=1)
        self.stdout.write(str(report))

    def export(self, first: int, last: int) -> None:
        with transaction.atomic(using="auditor"):
            for row in stored_rows(connections["auditor"], first, last):
                self.stdout.write(_line(row))
        record_work("audit.exported", actor=None, payload={"from": first, "to": last})

    def sign(self, *, anew: bool) -> None:
        head = sign_head(anew=anew)
        self.stdout.write(f"Signed row {head.seq}." if head else "Nothing new to sign.")
        if faults := send_heads():
            raise CommandError(" ".join(faults))


def _copied_heads(path: Path) -> Sequence[SignedHead]:
    """Return the heads of a copied file. Raises CommandError if the file is damaged or empty."""
    try:
        heads, torn = parse_heads(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} can't be read: {error.strerror}.", returncode=2) from error
    if torn or not heads:
        raise CommandError(
            f"{path} is not a usable copy of the signed heads: {torn} of its lines can't be read, "
            f"{len(heads)} can. Nothing was compared. Fetch the copy again from where it is kept.",
            returncode=2,
        )
    return heads


def _line(row: StoredRow) -> str:
    fields = row.chain._asdict()
    fields["prev_hash"] = row.chain.prev_hash.hex()
    return json.dumps(fields | {"hash": row.hash.hex()}, ensure_ascii=False)
