"""The site and its worker under one supervisor: what `manage.py serve` runs."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing

from django.conf import settings

from medrag_site.database.embedded import Watch
from medrag_site.processes.parent_death import die_with_parent
from medrag_site.processes.supervisor import Service, Supervisor


class PortTaken(Exception):
    """The message says which, and what to do."""


def refuse_taken_port(host: str, port: int) -> None:
    """Raise PortTaken if nobody could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with closing(socket.create_server((host, port), family=family)):
            return
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "another program listens there" if taken else os.strerror(error.errno or 0)
        raise PortTaken(
            f"Port {port} on {host} can't be used: {why}. "
            f"Stop that program, or choose another port: PORT={_other(port)}."
        ) from error


def serve(host: str, port: int) -> None:
    """Run both until SIGTERM or SIGINT; what dies is started again."""
    die_with_parent(signal.SIGTERM)
    Supervisor([web_service(host, port), worker_service()], tick=watch_database()).run()


def watch_database() -> Callable[[], None]:
    """Return what starts the embedded database again when it died; nothing for one of your own."""
    return Watch(settings.DATA_DIR) if settings.DATABASE_IS_EMBEDDED else lambda: None


def web_service(host: str, port: int) -> Service:
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    options = {
        "--config": "python:medrag_site.web.gunicorn_config",
        "--bind": address,
        "--worker-class": "gthread",
        "--workers": str(settings.WEB_WORKERS),
        "--threads": str(settings.WEB_THREADS),
        "--graceful-timeout": "5",
        "--log-level": "warning",
    }
    arguments = [part for option in options.items() for part in option]
    return Service(
        name="the web server",
        command=[
            *(sys.executable, "-m", "gunicorn", "medrag_site.wsgi", "--no-control-socket"),
            *arguments,
        ],
        cwd=settings.BASE_DIR,
        grace_s=8.0,
    )


def worker_service() -> Service:
    """Return `manage.py worker` as a child that ends with its parent."""
    return Service(
        name="the worker",
        command=[sys.executable, "manage.py", "worker"],
        cwd=settings.BASE_DIR,
        grace_s=20.0,  # it gives its own processes 3 s
    )


def _other(port: int) -> int:
    return port + 1 if port < 65_535 else port - 1
