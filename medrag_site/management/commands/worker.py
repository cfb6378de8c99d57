"""Run the worker until Ctrl-C."""

from typing import Any

from django.core.management.base import BaseCommand

from medrag_site.processes.worker import Worker


class Command(BaseCommand):
    help = "Run a worker, which ingests documents, until Ctrl-C."
    requires_system_checks = ["corpus", "queue"]

    def handle(self, *args: Any, **options: Any) -> None:
        Worker().run()
