"""Answer a question in a thread of its own and stream its progress.

The request's thread only writes the frames, and a comment during silence, which lets the server
notice a client that left. Then the question ends at its next step without being stored or, after
the last step, is stored completely. So it does for an account that was closed meanwhile, which is
looked at before a frame or comment is written.
"""

from __future__ import annotations

import contextvars
import json
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import Error, close_old_connections, connections, transaction
from django.http import StreamingHttpResponse
from rest_framework.utils.encoders import JSONEncoder

from chat.audit import log as audit
from chat.pipeline.events import AskerLeft, Begun, Checked, Event, Found, Judged, Tell
from core.errors import MedragError

MEDIA_TYPE = "text/event-stream"
HEARTBEAT_S = 3.0
MAX_WAITING = 64  # frames for a client that reads slowly; progress beyond is left out
LOOK_EVERY_S = 1.0  # at most: whether the account is still open; else at each frame
SHARE = 5, 8  # of the threads of a web process, those that may hold a stream

logger = logging.getLogger(__name__)


class TooManyStreams(MedragError):
    """The remaining threads are reserved for other requests. Nothing was stored or searched."""

    retryable = True

    def __init__(self) -> None:
        super().__init__(
            "Too many answers are being streamed at the moment.",
            hint="Nothing was stored. Please ask again in a moment, or without a stream.",
        )


@dataclass(frozen=True)
class Frame:
    """A typed event to send, with JSON data. Without a name it is a heartbeat."""

    name: str
    data: Any = None


HEARTBEAT = Frame("")
Work = Callable[[Tell], Iterable[Frame]]  # asks, and returns what is sent behind the steps


def most_streams() -> int:
    """Return how many streams a web process holds at once."""
    part, whole = SHARE
    return max(1, settings.WEB_THREADS * part // whole)


_lock, _running = threading.Lock(), set["QuestionStream"]()  # those of this process


class QuestionStream:
    """The frames of a question: its steps, then the result of `work` or a final `error`.

    Holds a slot of the process until both the question and the response have ended.
    """

    def __init__(self, work: Work, *, user: User, problem: Callable[[Exception], Any]) -> None:
        """Start the thread. `problem` turns an error into what is sent. Raises `TooManyStreams`."""
        self._work, self._user, self._problem = work, user, problem
        self._heard: queue.Queue[Frame | Exception | None] = queue.Queue(MAX_WAITING)
        self._left = threading.Event()
        self._ended = 0  # of the question and the response
        self._shown = 0  # passages of which a title was told
        with _lock:
            if len(_running) >= most_streams():
                raise TooManyStreams
            _running.add(self)
        self._thread = threading.Thread(
            target=contextvars.copy_context().run,  # what is logged there has this request's id
            args=(self._run,),
            daemon=True,
            name="question",
        )
        self._thread.start()

    def begun(self) -> QuestionStream:
        """Wait for the first frame, and raise an immediate rejection of the question.

        So an empty question, or one too many, gets an HTTP status of its own.
        """
        self._first = self._next()
        if isinstance(self._first, Exception):
            self.close()
            raise self._first
        return self

    def __iter__(self) -> Iterator[Frame]:
        close_old_connections()  # the request's thread keeps none, however long it waits
        looked_at = time.monotonic()  # the request itself was let in just now
        heard: Frame | Exception | None = self._first
        while heard is not None:
            if isinstance(heard, Exception):
                yield Frame("error", self._problem(heard))
                return
            if time.monotonic() - looked_at >= LOOK_EVERY_S:
                if closed := self._closed():
                    yield Frame("error", self._problem(closed))
                    return
                looked_at = time.monotonic()
            yield heard
            heard = self._next()

    def _closed(self) -> Exception | None:
        """Return why nothing more may be sent: the account is closed, or that can't be known."""
        try:
            is_open = User.objects.filter(pk=self._user.pk, is_active=True).exists()
            close_old_connections()
        except Error as error:
            return error
        if is_open:
            return None
        return PermissionDenied("Your account was deactivated meanwhile. Nothing more is sent.")

    def close(self) -> None:
        """Signal that the client has left. May be called again."""
        if not self._left.is_set():
            self._left.set()
            self._let_go()

    def _next(self) -> Frame | Exception | None:
        """Return the next frame, a heartbeat after a silence, or None at the end."""
        alive = self._thread.is_alive()
        try:
            return self._heard.get(timeout=HEARTBEAT_S) if alive else self._heard.get_nowait()
        except queue.Empty:
            return HEARTBEAT if alive else None

    def _run(self) -> None:
        try:
            for frame in self._work(self._tell):
                self._put(frame)
        except AskerLeft:
            self._record_left()
        except Exception as error:  # noqa: BLE001 - whoever listens raises it, or sends its problem
            self._put(error)
        finally:
            connections.close_all()
            self._let_go()
            self._put(None)

    def _tell(self, event: Event) -> None:
        if self._left.is_set():
            raise AskerLeft
        if (frame := frame_of(event)) is None:
            return
        try:
            self._heard.put_nowait(frame)
        except queue.Full:
            return  # only progress: it must not hold up the question
        if isinstance(event, Found):
            self._shown = event.passages

    def _put(self, frame: Frame | Exception | None) -> None:
        """Queue an item, waiting for a slow client: the question is stored and blocks no other."""
        is_put = False
        while not (is_put or self._left.is_set()):
            with suppress(queue.Full):
                self._heard.put(frame, timeout=HEARTBEAT_S)
                is_put = True

    def _record_left(self) -> None:
        """Log that titles of passages may have been shown without a stored turn."""
        try:
            with transaction.atomic():
                payload = {"passages": self._shown}
                audit.record("query_left", actor=self._user, subject="", payload=payload)
        except Exception as error:  # noqa: BLE001 - nobody is there to be told
            logger.error("A question that was left is not in the log: %s", type(error).__name__)

    def _let_go(self) -> None:
        with _lock:
            self._ended += 1
            if self._ended == 2:
                _running.discard(self)


def frame_of(event: Event) -> Frame | None:
    """Return the frame for a progress event; None for one that clients are not sent."""
    match event:
        case Begun():
            return None
        case Found():
            return Frame("retrieval", {"passages": event.passages, "titles": list(event.titles)})
        case Judged():
            decision = {
                "probability": round(event.probability, 4),
                "threshold": round(event.threshold, 4),
                "open": not event.reason,
                "reason": event.reason or None,
            }
            return Frame("gate", decision)
        case Checked():
            return Frame("verdict", {"checked": event.done, "of": event.of})


def as_json(data: Any) -> str:
    """Serialise in ASCII, since some clients break lines at any Unicode separator."""
    return json.dumps(data, cls=JSONEncoder)


def as_event(number: int, frame: Frame) -> str:
    """Format an event as the HTML standard (9.2.6) defines it."""
    return f"id: {number}\nevent: {frame.name}\ndata: {as_json(frame.data)}\n\n"


class EventStream(StreamingHttpResponse):
    """An iterator of a question's frames; closing it ends the question."""

    def __init__(
        self, stream: QuestionStream, write: Callable[[int, Frame], str] = as_event
    ) -> None:
        self._stream, self._write = stream, write
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._written(), content_type=MEDIA_TYPE, headers=headers)

    def close(self) -> None:
        self._stream.close()
        super().close()

    def _written(self) -> Iterator[str]:
        number = 0
        for frame in self._stream:
            if frame is HEARTBEAT:
                yield ": waiting\n\n"
                continue
            number += 1
            yield self._write(number, frame)
