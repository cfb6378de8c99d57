"""Run a whole site as an operator does, in a folder of its own."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg

from medrag_site.database.postmaster import living
from tests.processes import ROOT, family_of, survivors, wait_until

LEASE_S = 4
DISK_BYTES = 1200 * 1024**2  # a new database wants 500 MB, the encoder 200
PASSWORD = "a password of an attacked site"
DOSING = {"question": "What gentamicin dosing interval at a creatinine clearance of 45 mL/min?"}


@dataclass
class Site:
    """`manage.py serve` in a folder of its own."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    statuses: list[int] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def pgdata(self) -> Path:
        return self.folder / "postgres"

    @property
    def log(self) -> Path:
        """Beside the folder, whose disk may be full."""
        return self.folder.with_suffix(".log")

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEDRAG_", "DJANGO_"))}
        return kept | {
            "MEDRAG_DATA_DIR": str(self.folder),
            "MEDRAG_WORKER": f"lease_s={LEASE_S}",
            "MEDRAG_API": "rate=1000/s",
            **self.settings,
        }

    def manage(self, *arguments: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout

    def start(self) -> None:
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        wait_until(lambda: self.request("readyz")[0] == 200, "it is ready", 120)

    def token(self, username: str, *scopes: str) -> dict[str, str]:
        """Return the header of a new token."""
        named = [part for scope in scopes for part in ("--scope", scope)]
        token = self.manage("api_token", username, *named).split()[-1]
        return {"Authorization": f"Token {token}"}

    def signed_in(self, username: str) -> httpx.Client:
        """Return a client with the session of somebody whose password is set to a new one."""
        set_password = (
            "from django.contrib.auth.models import User; "
            f"u = User.objects.get(username={username!r}); u.set_password({PASSWORD!r}); u.save()"
        )
        self.manage("shell", "-c", set_password)
        client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)
        filled = {"username": username, "password": PASSWORD}
        assert posted(client, "/sign-in/", filled).status_code == 302
        return client

    def end(self) -> None:
        """End it by Ctrl-C; nothing of it may stay."""
        assert self.process is not None
        family = family_of(self.process.pid)
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0
        assert survivors(family) == []
        assert living(self.pgdata) is None

    def request(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, None
        except (OSError, ValueError):  # refused, cut off, late
            return 0, None

    def ask_until(self, ended: threading.Event, token: str) -> None:
        while not ended.is_set():
            status, answer = self.request("api/v1/query", DOSING, Authorization=f"Token {token}")
            self.statuses.append(status)
            if status == 200:
                self.turns.append(answer["turn"])
            ended.wait(0.3)

    def wait_until_answered(self) -> None:
        answered = len(self.turns)
        wait_until(lambda: len(self.turns) > answered, "a question is answered", 120)

    def failed(self) -> int:
        return sum(status != 200 for status in self.statuses)

    @contextlib.contextmanager
    def filled(self, *, up_to_bytes: int) -> Iterator[None]:
        """Fill the disk of the folder up to `up_to_bytes` within the block."""
        filler = self.folder / "filler"
        try:
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as f:
                while shutil.disk_usage(self.folder).used < up_to_bytes:
                    f.write(bytes(64 * 1024))
            yield
        finally:
            filler.unlink()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(host=str(self.pgdata), user="postgres", dbname="medrag") as c:
            return c.execute(query).fetchall()

    def tree(self) -> list[psutil.Process]:
        """Return all processes of the supervisor and of the database server."""
        assert self.process is not None
        server = living(self.pgdata)
        assert server is not None
        return [*family_of(self.process.pid), server, *server.children()]


def posted(client: httpx.Client, path: str, fields: dict[str, str]) -> httpx.Response:
    """Post a form as a browser does, with the token of the page that shows it."""
    if "csrftoken" not in client.cookies:
        client.get("/sign-in/")
    token = client.cookies["csrftoken"]
    return client.post(path, data={**fields, "csrfmiddlewaretoken": token})
