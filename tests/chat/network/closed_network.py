"""Refuse and record every attempt of this process to reach the network.

By CPython's audit hook, which every connect, send and look-up of the interpreter's sockets passes,
whatever reference a library keeps. A hook can't be removed, so it checks whether it is wanted.
Sockets of C code are left to a network namespace.
"""

import ipaddress
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

_ADDRESS_AT = {"socket.connect": 1, "socket.sendto": 1, "socket.sendmsg": 1}
_NAME_AT = {"socket.getaddrinfo": 0, "socket.gethostbyname": 0, "socket.gethostbyaddr": 0}


class NetworkClosed(OSError):
    """Raised when something tries to reach another machine."""


@dataclass
class Attempts:
    """The refused attempts of a process, and the ports of this machine that it used."""

    refused: list[str] = field(default_factory=list)
    local_ports: set[int] = field(default_factory=set)


_ATTEMPTS: Attempts | None = None  # None: the network is open


def is_here(host: Any) -> bool:
    """Tell whether an address is of this machine. Of names, only `localhost` is."""
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host in ("", None, "localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def closed_network() -> Iterator[Attempts]:
    """Refuse the network to all threads of this process, within the block."""
    global _ATTEMPTS
    _ATTEMPTS = attempts = Attempts()
    try:
        yield attempts
    finally:
        _ATTEMPTS = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if _ATTEMPTS is None or not event.startswith("socket."):
        return
    if event in _NAME_AT:
        _judge(_ATTEMPTS, event, arguments[_NAME_AT[event]])
    elif event in _ADDRESS_AT:
        address = arguments[_ADDRESS_AT[event]]
        if isinstance(address, tuple):  # not a path or None, which are local
            _judge(_ATTEMPTS, event, address[0])
            _ATTEMPTS.local_ports.add(address[1])


def _judge(attempts: Attempts, event: str, host: Any) -> None:
    if not is_here(host):
        attempts.refused.append(f"{event} {host!r}")
        raise NetworkClosed("no network here")


sys.addaudithook(_watch)
