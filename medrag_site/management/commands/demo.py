"""Set up a site with sample guidelines and serve it; a second run only serves it."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from chat.terminal import as_text
from core.openvino_runtime import ask_for_32_bits
from medrag_site import demo
from medrag_site.demo import demo_accounts
from medrag_site.processes.serve import refuse_taken_port
from medrag_site.processes.start import DEMONSTRATION


class Command(BaseCommand):
    help = (
        "Run the demonstration: create accounts, ingest the sample guidelines, ask four "
        "questions, and serve the site."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.SERVE_HOST, help="address to listen on")
        parser.add_argument(
            "--port", type=int, default=settings.SERVE_PORT, help="port to listen on"
        )
        parser.add_argument("--no-serve", action="store_true", help="stop after the questions")
        parser.add_argument(
            "--reset-passwords", action="store_true", help="give the accounts new passwords"
        )
        parser.add_argument(
            "--record",
            type=int,
            nargs="?",
            const=0,
            metavar="PORT",
            help="also start a small patient's record that opens the site in a frame, on the next "
            "port unless one is named",
        )

    def execute(self, *args: Any, **options: Any) -> str | None:
        # For the same answers on every processor; the worker and the site inherit it. Before the
        # system checks, which ask for the models' backend.
        ask_for_32_bits()
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        refuse_taken_port(options["host"], options["port"])
        record_port = 0
        if options["record"] is not None:
            if options["host"] != "127.0.0.1":
                raise CommandError("Nothing was started: --record works at --host 127.0.0.1 alone.")
            record_port = options["record"] or options["port"] + 1
            what_to_do = "Stop that program, or name another port: --record PORT."
            refuse_taken_port("127.0.0.1", record_port, what_to_do=what_to_do)
        (settings.DATA_DIR / DEMONSTRATION).touch()
        self._say("Preparing the database")
        call_command("migrate", verbosity=0)
        self._accounts(reset=options["reset_passwords"])
        if demo.samples_are_here():
            self._say("The sample guidelines are here already")
        else:
            self._ingest()
            self._ask()
        if not options["no_serve"]:
            self._serve(options["host"], options["port"], record_port)

    def _accounts(self, *, reset: bool) -> None:
        made = demo_accounts(reset=reset)
        if not made:
            self._say("The demonstration accounts are here already")
            self.stdout.write("  New passwords: .venv/bin/python manage.py demo --reset-passwords")
            return
        self._say("Demonstration accounts (shown once)")
        for name, role, password in made:
            self.stdout.write(f"  {name:<10} {password}   {role}")

    def _ingest(self) -> None:
        self._say("Ingesting the sample guidelines with a worker")
        call_command(
            "ingest",
            manifest=demo.MANIFEST,
            despite_doubts=True,  # of a scanned table, which was compared
            user="staff",
            publisher="publisher",
            wait=True,
            stdout=self.stdout,
        )

    def _ask(self) -> None:
        self._say("Asking four questions")
        for turn in demo.ask_all():
            self.stdout.write(f"\n{as_text(turn)}")

    def _serve(self, host: str, port: int, record_port: int) -> None:
        if record_port:
            os.environ |= demo.record_settings(record_port)
            self._say(
                f"Patient's record: http://127.0.0.1:{record_port}/ (a launch there signs in as "
                f"{demo.CLINICIAN})"
            )
        self.stdout.flush()
        # Replaces this process, which frees the encoder's memory.
        serve = [sys.executable, "manage.py", "serve", "--host", host, "--port", str(port)]
        serve += ["--record-port", str(record_port)]
        os.environ.setdefault("MEDRAG_SITE_LABEL", "Demonstration")
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, serve)  # noqa: S606  fixed arguments

    def _say(self, text: str) -> None:
        self.stdout.write(f"\n{text}")
        self.stdout.flush()
