"""Have clamd look at a file before it is kept or read, where a site names one.

The command INSTREAM of clamd(8): the file in pieces, each after its length, and then one of none.
"""

from __future__ import annotations

import socket
import struct
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import MedragError

_PIECE_BYTES = 64 * 1024
_WAIT_S = 120.0  # for a file of many pages in an archive
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
        reply = _scanned(path)
    except OSError as error:
        raise _unavailable("It does not answer") from error
    verdict = reply.removeprefix("stream: ")
    if verdict.endswith(" FOUND"):
        raise Infected(
            f"The scanner found {verdict.removesuffix(' FOUND')} in this file.",
            hint="Nothing of it was kept. Tell the people who look after your computers.",
        )
    if verdict != "OK":
        raise _unavailable("It refused the file" if "size limit" in verdict else "It failed")


def _scanned(path: Path) -> str:
    with _connected() as connection, path.open("rb") as stream:
        connection.sendall(b"zINSTREAM\0")
        while piece := stream.read(_PIECE_BYTES):
            connection.sendall(struct.pack(">I", len(piece)) + piece)
        connection.sendall(struct.pack(">I", 0))
        reply = b""
        while not reply.endswith(b"\0") and len(reply) < _LONGEST_REPLY:
            part = connection.recv(1024)
            if not part:
                break
            reply += part
    return reply.rstrip(b"\0\n").decode("ascii", "replace").strip()


def _connected() -> socket.socket:
    address = urlsplit(settings.SCANNER)
    if address.scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_WAIT_S)
        connection.connect(address.path)
        return connection
    return socket.create_connection((str(address.hostname), address.port or 3310), _WAIT_S)


def _unavailable(why: str) -> ScannerUnavailable:
    return ScannerUnavailable(
        f"The scanner for viruses gave no verdict on this file. {why}.",
        hint="Nothing of the file was kept: upload it again in a while. See MEDRAG_SCANNER if it "
        "stays so.",
    )
