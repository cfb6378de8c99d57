"""Have clamd look at a file before it is kept or read, where a site names one.

The command INSTREAM of clamd(8): the file in pieces, each after its length, and then one of none.
PING comes first: one that hangs is told from one that takes its time over a file. One that hangs is
asked twice and then left alone for a while, so that an upload of many files does not wait for each.
"""

from __future__ import annotations

import socket
import struct
import time
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import MedragError
from corpus.storages.breaker import NotAsked, breaker_of

_PIECE_BYTES = 64 * 1024
_ANSWER_S = 3.0  # for a connection, and for PING
_VERDICT_S = 30.0  # for a whole file: then its upload is refused
_LONGEST_REPLY = 4096


class Infected(MedragError):
    """The scanner found something. Nothing of the file was kept."""

    code = "infected"


class ScannerUnavailable(MedragError):
    """The scanner that the settings name gave no verdict, so nothing of the file was kept."""

    code = "scanner_unavailable"
    retryable = True


def refuse_infected(path: Path) -> None:
    """Raise Infected with the name of the finding, ScannerUnavailable where there is no verdict.

    Does nothing where no scanner is named.
    """
    if not settings.SCANNER:
        return
    try:
        with breaker_of(settings.SCANNER).asked((OSError,)):
            scanner_ping()
            reply = _scanned(path)
    except NotAsked as error:
        raise _unavailable(f"{error}".capitalize()) from error
    except OSError as error:
        raise _unavailable("It does not answer") from error
    if "size limit" in reply:
        most = settings.UPLOAD_MAX_BYTES // 1024**2
        raise ScannerUnavailable(
            f"The scanner for viruses refuses files as large as this one, of "
            f"{path.stat().st_size / 1024**2:.1f} MB.",
            hint=f"Nothing of the file was kept. Raise StreamMaxLength in clamd.conf, to {most}M "
            "for the largest that may be uploaded, and restart clamd.",
        )
    verdict = reply.removeprefix("stream: ")
    if verdict.endswith(" FOUND"):
        raise Infected(
            f"The scanner found {verdict.removesuffix(' FOUND')} in this file.",
            hint="Nothing of it was kept. Tell the people who look after your computers.",
        )
    if verdict != "OK":
        raise _unavailable("It failed")


def scanner_ping() -> None:
    """Raise OSError unless the scanner that the settings name answers at once."""
    ends = time.monotonic() + _ANSWER_S
    with _connected() as connection:
        connection.sendall(b"zPING\0")
        if _reply(connection, ends) != "PONG":
            raise OSError("It is no clamd")


def _scanned(path: Path) -> str:
    ends = time.monotonic() + _VERDICT_S
    with _connected() as connection, path.open("rb") as stream:
        try:
            connection.sendall(b"zINSTREAM\0")
            while piece := stream.read(_PIECE_BYTES):
                connection.settimeout(_left_s(ends))
                connection.sendall(struct.pack(">I", len(piece)) + piece)
            connection.sendall(struct.pack(">I", 0))
        except ConnectionError:  # it ends the connection when it has read enough, and says why
            if reply := _reply(connection, ends):
                return reply
            raise
        return _reply(connection, ends)


def _reply(connection: socket.socket, ends: float) -> str:
    reply = b""
    while not reply.endswith(b"\0") and len(reply) < _LONGEST_REPLY:
        connection.settimeout(_left_s(ends))
        part = connection.recv(1024)
        if not part:
            break
        reply += part
    return reply.rstrip(b"\0\n").decode("ascii", "replace").strip()


def _left_s(ends: float) -> float:
    """Return the seconds until `ends`. Raises TimeoutError when there are none."""
    left_s = ends - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _connected() -> socket.socket:
    address = urlsplit(settings.SCANNER)
    if address.scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_ANSWER_S)
        connection.connect(address.path)
        return connection
    return socket.create_connection((str(address.hostname), address.port or 3310), _ANSWER_S)


def _unavailable(why: str) -> ScannerUnavailable:
    return ScannerUnavailable(
        f"The scanner for viruses gave no verdict on this file. {why}.",
        hint="Nothing of the file was kept: upload it again in a while. See MEDRAG_SCANNER if it "
        "stays so.",
    )
