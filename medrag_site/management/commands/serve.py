"""Serve the site, with a worker."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from medrag_site.processes.serve import refuse_taken_port, serve


class Command(BaseCommand):
    help = "Run the site with a worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=settings.SERVE_HOST, help="address to listen on")
        parser.add_argument(
            "--port", type=int, default=settings.SERVE_PORT, help="port to listen on"
        )
        parser.add_argument(
            "--record-port", type=int, default=0, help="port of the demonstration's record"
        )

    def handle(self, *args: Any, host: str, port: int, record_port: int, **options: Any) -> None:
        refuse_taken_port(host, port)
        shown = f"[{host}]" if ":" in host else host
        self.stderr.write(f"Serving on http://{shown}:{port}/ until Ctrl-C.")
        serve(host, port, record_port=record_port)
        self.stderr.write("Stopped.")
