"""A receiver on loopback that verifies each message, and misbehaves on demand."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

from webhooks.models import Endpoint, Event

SECRET = "whsec_dGVzdHMgYWxvbmUgc2lnbiB3aXRoIHRoaXMga2V5Lg=="


@dataclass
class Receiver:
    """Verified messages as (`webhook-id`, message).

    Answers with each of `statuses` once, then with 204; 0 is no answer at all. Calls `on_message`
    before it answers.
    """

    statuses: list[int] = field(default_factory=list)
    taken: list[tuple[str, Any]] = field(default_factory=list)
    on_message: Callable[[], None] = lambda: None
    url: str = ""

    def endpoint(self, *events: Event, **fields: Any) -> Endpoint:
        """Store an endpoint with this address, for these events or all."""
        values = {"name": "Ward", "url": self.url, "secret": SECRET}
        return Endpoint.objects.create(**(values | {"events": list(events or Event)} | fields))


@contextmanager
def receiving(*statuses: int) -> Iterator[Receiver]:
    receiver = Receiver(list(statuses))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            message = Webhook(SECRET).verify(body, dict(self.headers.items()))
            receiver.taken.append((self.headers["webhook-id"], message))
            receiver.on_message()
            status = receiver.statuses.pop(0) if receiver.statuses else 204
            if not status:
                time.sleep(2.5)  # longer than a test's attempt may take
                return
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{receiver.url}elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
