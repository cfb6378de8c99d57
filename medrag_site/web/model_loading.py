"""Load what a question needs at the start of a process, in a thread, and say how far that is."""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO

logger = logging.getLogger(__name__)

LOADING, FAILED, OK = "loading", "failed", "ok"
AGAIN_S = 10.0  # until the next attempt after a failure
LIMIT_S = 300.0  # loading that takes longer counts as failed until it succeeds


class ModelLoading:
    """What `load` loads. Ready once each process that shares this has loaded it."""

    def __init__(self, load: Callable[[], None], *, again_s: float = AGAIN_S) -> None:
        self._load, self._again_s = load, again_s
        self._own, self._said, self._began = "", "", 0.0
        self._shared: IO[bytes] | None = None

    def share(self) -> None:
        """Share it with the processes forked from now on."""
        self._shared = tempfile.TemporaryFile()  # noqa: SIM115 it stays open on purpose

    def begin(self) -> None:
        """Say from now on that this process loads."""
        self._own, self._began = LOADING, time.monotonic()
        if self._shared:  # the kernel takes the lock away from a process that dies
            fcntl.lockf(self._shared, fcntl.LOCK_EX, 1, os.getpid())

    def load_in_background(self) -> None:
        """Load in a thread, so that neither probes nor pages wait for it."""
        if not self._own:
            self.begin()
        threading.Thread(target=self._load_at_last, daemon=True, name="models").start()

    def state(self) -> str:
        """Return LOADING, FAILED or OK; empty where nothing is loaded before it is asked for."""
        own = self._own
        if own == LOADING and time.monotonic() - self._began > LIMIT_S:
            return FAILED
        return LOADING if own == OK and self._do_others_load() else own

    def _load_at_last(self) -> None:
        while not self._is_loaded():
            time.sleep(self._again_s)
        if self._shared:
            fcntl.lockf(self._shared, fcntl.LOCK_UN, 1, os.getpid())
        self._own = OK

    def _is_loaded(self) -> bool:
        try:
            self._load()
        except Exception as error:  # noqa: BLE001 - whatever a library raises, `/readyz` says so
            self._own = FAILED
            if (said := f"{type(error).__name__}: {error}") != self._said:
                logger.error("What questions need can't be loaded. %s", said)
            self._said = said
            return False
        return True

    def _do_others_load(self) -> bool:
        """Tell whether another process holds a lock. Only for a process that holds none itself."""
        if not self._shared:
            return False
        try:
            fcntl.lockf(self._shared, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        fcntl.lockf(self._shared, fcntl.LOCK_UN)
        return False


def end_at_once(status: int) -> None:
    """End this process without freeing its models.

    To free them takes many seconds on a busy machine, and aborts while a thread still loads one.
    """
    atexit._run_exitfuncs()  # among them that which stops the embedded database
    os._exit(status)


def _load_models() -> None:
    # Late: gunicorn reads its configuration before the apps are ready.
    from chat.generation.configured import warm_up as warm_up_language_models
    from chat.reader.pair_scorer import warm_up as warm_up_readers
    from chat.verification.entailment.configured import warm_up as warm_up_verifier
    from corpus.encoders.registry import warm_up as warm_up_encoders
    from retrieval.configured import site_config
    from retrieval.rerank import warm_up

    warm_up_encoders()
    warm_up(site_config())
    warm_up_readers()
    warm_up_language_models()
    warm_up_verifier()


models = ModelLoading(_load_models)
