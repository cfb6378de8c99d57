"""Verify, export or sign the audit chain."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, OperationalError, connections, transaction

from chat.audit import sign_head, verify_chain
from chat.audit_verify import LAST_SEQ, StoredRow, stored_rows
from corpus.errors import MedragError


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        verify = actions.add_parser("verify", help="Check the chain; exit status 1 if broken.")
        verify.add_argument(
            "--chain-only", action="store_true", help="Do not compare the stored answers."
        )
        export = actions.add_parser("export", help="Print every stored field as JSON lines.")
        export.add_argument("--from", dest="first", type=int, default=1, metavar="SEQ")
        export.add_argument("--to", dest="last", type=int, default=LAST_SEQ, metavar="SEQ")
        actions.add_parser("sign", help="Append the chain's head to the file of signed heads.")

    def handle(self, *, action: str, **options: Any) -> None:
        try:
            if action == "verify":
                self.verify(answers=not options["chain_only"])
            elif action == "export":
                self.export(options["first"], options["last"])
            else:
                self.sign()
        except (BrokenPipeError, OperationalError):
            raise  # whoever reads the export has had enough, or the database is away
        except (DatabaseError, MedragError, OSError) as error:
            raise CommandError(f"The audit log can't be read: {error}", returncode=2) from error

    def verify(self, *, answers: bool) -> None:
        report = verify_chain(answers=answers)
        for warning in report.warnings:
            self.stderr.write(f"WARNING {warning}")
        if not report.ok:
            raise CommandError(str(report), returncode=1)
        self.stdout.write(str(report))

    def export(self, first: int, last: int) -> None:
        with transaction.atomic(using="auditor"):
            for row in stored_rows(connections["auditor"], first, last):
                self.stdout.write(_line(row))

    def sign(self) -> None:
        head = sign_head()
        self.stdout.write(f"Signed row {head.seq}." if head else "Nothing new to sign.")


def _line(row: StoredRow) -> str:
    fields = row.chain._asdict()
    fields["prev_hash"] = row.chain.prev_hash.hex()
    return json.dumps(fields | {"hash": row.hash.hex()}, ensure_ascii=False)
