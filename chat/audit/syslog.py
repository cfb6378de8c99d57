"""Send lines to a syslog server: RFC 5424 messages, counted by octets as RFC 6587 and 5425 say.

Syslog confirms nothing. So the connection is closed in order, and its end is awaited: a server that
read everything ends it, one that died over unread bytes resets it.
"""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import urlsplit

TLS_PORT, PORT = 6514, 514
_PRIORITY = 13 * 8 + 5  # facility "log audit", severity "notice"
_APPLICATION = "medrag"


class SyslogError(Exception):
    """Why the lines did not arrive, as a sentence that quotes nothing."""


def send_syslog(to: str, lines: Iterable[tuple[datetime, str]], *, timeout_s: float) -> None:
    """Send each line with its time, in order, over one connection.

    `to` is `syslog+tls://host:port`, checked against the environment's certificates, or
    `syslog://host:port`. Raises SyslogError, after which some lines may have arrived.
    """
    parts = urlsplit(to)
    is_tls = parts.scheme == "syslog+tls"
    address = (parts.hostname or "", parts.port or (TLS_PORT if is_tls else PORT))
    host = socket.gethostname()
    ends = time.monotonic() + timeout_s
    messages = b"".join(_counted(_message(at, line, host)) for at, line in lines)
    try:
        with socket.create_connection(address, timeout=timeout_s) as plain:
            plain.settimeout(_left_s(ends))
            if not is_tls:
                plain.sendall(messages)
                plain.shutdown(socket.SHUT_WR)
                _await_end(plain, ends)
                return
            with _context().wrap_socket(plain, server_hostname=address[0]) as secure:
                secure.settimeout(_left_s(ends))
                secure.sendall(messages)
                secure.settimeout(_left_s(ends))
                _close(secure, ends)
    except TimeoutError as error:
        raise SyslogError(f"The syslog server took more than {timeout_s:g} s.") from error
    except ssl.SSLCertVerificationError as error:
        why = error.verify_message or "unknown reason"
        raise SyslogError(f"The certificate of the syslog server is not valid ({why}).") from error
    except OSError as error:
        kind = error.strerror or type(error).__name__
        raise SyslogError(f"The syslog server can't be reached ({kind}).") from error


def _close(secure: ssl.SSLSocket, ends: float) -> None:
    """Say that nothing follows and wait for the server's end; an unclean one is an end, too."""
    try:
        rest = secure.unwrap()
    except (ssl.SSLEOFError, ssl.SSLSyscallError):
        return
    except OSError as error:
        if error.errno in (0, None) and not isinstance(error, TimeoutError):
            return  # how OpenSSL tells of a connection that ended without a word
        raise
    rest.shutdown(socket.SHUT_WR)
    _await_end(rest, ends)


def _await_end(connection: socket.socket, ends: float) -> None:
    """Wait for the server's end until `ends`, whatever it sends. Raises TimeoutError."""
    while True:
        connection.settimeout(_left_s(ends))
        if not connection.recv(4096):
            return


def _left_s(ends: float) -> float:
    """Return the seconds until `ends`. Raises TimeoutError when there are none."""
    left_s = ends - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _context() -> ssl.SSLContext:
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context(cafile=file or None, capath=folder or None)


def _message(at: datetime, line: str, host: str) -> bytes:
    stamp = f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"
    return f"<{_PRIORITY}>1 {stamp} {host} {_APPLICATION} - audit - {line}".encode()


def _counted(message: bytes) -> bytes:
    return str(len(message)).encode() + b" " + message
