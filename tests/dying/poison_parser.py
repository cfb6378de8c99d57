"""Run the real parser's child, except for files that say how to misbehave.

Such a file begins with the line `POISON: die`, `hang`, `kill-worker` or `slow SECONDS`.
"""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

PREFIX = b"# POISON: "


def main() -> int:
    first_line = Path(sys.argv[1]).read_bytes().split(b"\n", 1)[0]
    if first_line.startswith(PREFIX):
        misbehave(first_line[len(PREFIX) :].decode().split())
    from corpus.sandbox.child import (
        main as parse,  # imported late: misbehaving files need no time for it
    )

    return parse()


def misbehave(words: list[str]) -> None:
    if words[0] == "slow":  # like the real parser, it dies with its parent
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        end = time.monotonic() + float(words[1])
        while time.monotonic() < end:
            print("page 0/1", flush=True)
            time.sleep(0.1)
        return
    if words[0] == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if words[0] == "kill-worker":
        os.kill(os.getppid(), signal.SIGKILL)
    hang_in_native_code()


def hang_in_native_code() -> None:
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).sleep(3600)


if __name__ == "__main__":
    sys.exit(main())
