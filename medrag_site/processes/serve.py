"""Run the site and its worker under one supervisor, for `manage.py serve`."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from contextlib import closing

from django.conf import settings
from django.core.management.base import CommandError

from medrag_site.processes.parent_death import die_with_parent
from medrag_site.processes.supervisor import Service, Supervisor


def refuse_taken_port(host: str, port: int, *, what_to_do: str = "") -> None:
    """Raise CommandError if no server could listen on this host and port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with closing(socket.create_server((host, port), family=family)):
            return
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "another program listens there" if taken else os.strerror(error.errno or 0)
        other = port + 1 if port < 65_535 else port - 1
        what_to_do = what_to_do or f"Stop that program, or choose another port: PORT={other}."
        raise CommandError(f"Port {port} on {host} can't be used: {why}. {what_to_do}") from error


def serve(host: str, port: int, *, record_port: int = 0) -> None:
    """Run the web server and the worker until SIGTERM or SIGINT, and restart what dies.

    With `record_port` the demonstration's record is run too.
    """
    die_with_parent(signal.SIGTERM)
    options = {
        "--config": "python:medrag_site.web.gunicorn_config",
        "--bind": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        "--worker-class": "gthread",
        "--workers": str(settings.WEB_WORKERS),
        "--threads": str(settings.WEB_THREADS),
        "--graceful-timeout": "5",
        "--log-level": "warning",
    }
    web = Service(
        name="the web server",
        command=[
            *(sys.executable, "-m", "gunicorn", "medrag_site.wsgi", "--no-control-socket"),
            *(part for option in options.items() for part in option),
        ],
        cwd=settings.BASE_DIR,
        grace_s=8.0,
    )
    worker = Service(
        name="the worker",
        command=[sys.executable, "manage.py", "worker"],
        cwd=settings.BASE_DIR,
        grace_s=20.0,  # it gives its own processes 3 s
    )
    record = Service(
        name="the demonstration's record",
        command=[
            *(sys.executable, "-m", "samples.record"),
            *(str(record_port), f"http://{host}:{port}"),
        ],
        cwd=settings.BASE_DIR,
    )
    Supervisor([web, worker, record] if record_port else [web, worker]).run()
