"""Loopback servers around the site: a proxy with TLS, and a record's page that frames it."""

from __future__ import annotations

import contextlib
import http.client
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP = {"transfer-encoding", "connection", "content-length"}


@contextlib.contextmanager
def standing(
    handler: type[BaseHTTPRequestHandler], tls: ssl.SSLContext | None = None
) -> Iterator[int]:
    """Serve within the block; yield the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if tls:
        server.socket = tls.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def proxy_to(address: str) -> type[BaseHTTPRequestHandler]:
    """Return a proxy that says to the site that it was asked by https."""
    host = address.removeprefix("http://")

    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            there = http.client.HTTPConnection(host, timeout=120)
            headers = {**self.headers, "X-Forwarded-Proto": "https"}
            there.request(self.command, self.path, body, headers)
            said = there.getresponse()
            content = said.read()
            self.send_response(said.status)
            for name, value in said.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *args: object) -> None:
            pass

    return Proxy


def page_with(frames: dict[str, str]) -> type[BaseHTTPRequestHandler]:
    """Return a record's pages by path; each frames an address."""
    html = (
        '<!doctype html><meta name="viewport" content="width=device-width"><title>Record</title>'
        '<body style="margin:0"><iframe src="{}" style="width:100%;height:75rem;border:0"></iframe>'
    )
    return pages_of(lambda path: html.format(frames.get(path, "about:blank")))


def pages_of(text: Callable[[str], str]) -> type[BaseHTTPRequestHandler]:
    """Return a server of pages; `text` gives the HTML of a path."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text(self.path).encode())

        def log_message(self, *args: object) -> None:
            pass

    return Page
