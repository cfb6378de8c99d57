"""Play Microsoft Graph, its sign-in and a SharePoint site over https, as its reference says."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

TENANT, DRIVE, ROOT = "contoso.example", "b!drive1", "01ROOT"
SECRET = "right-secret"
CHILD = {"folder": {"childCount": 1}}


@dataclass
class Entry:
    """A file or, without content, a folder; its tags count what was changed."""

    name: str
    parent: str
    content: bytes | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    e: int = 1
    c: int = 1
    size: int | None = None
    is_deleted: bool = False


@dataclass
class GraphServer:
    """One library, whose changes are numbered; `faults` are answered before anything else."""

    address: str = ""
    library: str = "Guidelines"
    entries: dict[str, Entry] = field(default_factory=lambda: {ROOT: Entry("root", "")})
    changed: dict[str, int] = field(default_factory=lambda: {ROOT: 0})  # when last
    oldest: int = 0  # links from before are too old
    page_size: int = 200
    faults: dict[str, list[tuple[int, dict[str, str]]]] = field(default_factory=dict)
    refusal: int | None = None  # AADSTS
    public_key: Any = None
    tokens: int = 0
    revoked: int = 0  # tokens up to this one
    asked: list[str] = field(default_factory=list)

    def put(self, item: str, name: str, text: str = "", *, parent: str = ROOT, **more: Any) -> None:
        known = self.entries.get(item)
        entry = Entry(name, parent, text.encode(), **more)
        if known:
            entry.e, entry.c = known.e + 1, known.c + (entry.content != known.content)
        self._change(item, entry)

    def folder(self, item: str, name: str, *, parent: str = ROOT) -> None:
        self._change(item, Entry(name, parent))

    def move(self, item: str, **to: Any) -> None:
        entry = self.entries[item]
        for key, value in to.items():
            setattr(entry, key, value)
        entry.e += 1
        self._change(item, entry)

    def delete(self, *items: str) -> None:
        for item in items:
            self.move(item, is_deleted=True)

    def _change(self, item: str, entry: Entry) -> None:
        self.entries[item] = entry
        self.changed[item] = max(self.changed.values()) + 1

    def count(self, part: str) -> int:
        return sum(part in path for path in self.asked)

    def item(self, item: str, *, is_whole: bool = False) -> dict[str, Any]:
        """Return an item as a delta has it, or whole, as asked for alone."""
        entry = self.entries[item]
        kind: dict[str, Any] = {"file": {}} if entry.content is not None else CHILD
        if entry.is_deleted:
            return {"id": item, "deleted": {"state": "deleted"}, **kind}
        told = {
            "id": item,
            "name": entry.name,
            "size": len(entry.content or b"") if entry.size is None else entry.size,
            "eTag": f'"{{{item}}},{entry.e}"',
            "parentReference": {"driveId": DRIVE, "id": entry.parent},
            "webUrl": f"{self.address}/sites/renal/Guidelines/{entry.name}",
            "lastModifiedDateTime": "2026-03-01T09:30:00Z",
            "lastModifiedBy": {"user": {"displayName": "Adele Vance"}},
            **kind,
        }
        if item == ROOT:
            told = {"id": ROOT, "name": "root", "root": {}, "parentReference": {}, **kind}
        if is_whole:
            told["cTag"] = f'"c:{{{item}}},{entry.c}"'
            told["@microsoft.graph.downloadUrl"] = f"{self.address}/download/{item}?tempauth=x"
            told["listItem"] = {"fields": {"_UIVersionString": f"{entry.c}.0", **entry.fields}}
        return told

    def delta(self, since: int, skip: int) -> dict[str, Any]:
        changed = [i for i, at in sorted(self.changed.items(), key=lambda p: p[1]) if at >= since]
        if not since:
            changed = [i for i in changed if not self.entries[i].is_deleted]
        page = changed[skip : skip + self.page_size]
        base = f"{self.address}/v1.0/drives/{DRIVE}/root/delta"
        value = [self.item(item) for item in page]
        if skip + self.page_size < len(changed):
            link = f"{base}?token={since}.{skip + self.page_size}"
            return {"value": value, "@odata.nextLink": link}
        end = f"{base}?token={max(self.changed.values()) + 1}.0"
        return {"value": value, "@odata.deltaLink": end}

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, Any]:
        if path == "/v1.0/sites/" + self.address.removeprefix("https://") + ":/sites/renal":
            return 200, {"id": "contoso,1,2"}
        if path == "/v1.0/sites/contoso,1,2/drives":
            return 200, {"value": [{"id": "b!other", "name": "Documents"}, self._drive()]}
        if path == f"/v1.0/drives/{DRIVE}":
            return 200, self._drive()
        if path == f"/v1.0/drives/{DRIVE}/root/delta":
            since, skip = map(int, query.get("token", ["0.0"])[0].split("."))
            if since and since < self.oldest:
                return 410, {"error": {"code": "resyncRequired"}}
            return 200, self.delta(since, skip)
        item = path.rpartition("/")[2]
        if item in self.entries and not self.entries[item].is_deleted:
            return 200, self.item(item, is_whole=True)
        return 404, {"error": {"code": "itemNotFound"}}

    def _drive(self) -> dict[str, Any]:
        return {"id": DRIVE, "name": self.library}

    def token(self, form: dict[str, list[str]]) -> tuple[int, Any]:
        code = self.refusal
        if "client_assertion" in form:
            url = f"{self.address}/{TENANT}/oauth2/v2.0/token"
            jwt.decode(form["client_assertion"][0], self.public_key, ["PS256"], audience=url)
        elif form.get("client_secret") != [SECRET]:
            code = code or 7000215
        if code:
            told = {"error": "invalid_client", "error_codes": [code], "error_description": "canary"}
            return 401, told
        self.tokens += 1
        return 200, {"access_token": f"t{self.tokens}", "token_type": "Bearer", "expires_in": 3599}


@contextmanager
def played(tls: ssl.SSLContext) -> Iterator[GraphServer]:
    graph = GraphServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            graph.asked.append(self.path)
            for begin, faults in graph.faults.items():
                if parts.path.startswith(begin) and faults:
                    status, headers = faults.pop(0)
                    self._send(status, b"{}", headers)
                    return
            authorization = self.headers.get("Authorization", "")
            if parts.path.startswith("/download/"):
                content = graph.entries[parts.path.removeprefix("/download/")].content or b""
                self._send(400 if authorization else 200, content, {})
            elif parts.path.endswith("/.well-known/openid-configuration"):
                base = f"{graph.address}/{TENANT}"
                endpoints = {
                    "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                    "token_endpoint": f"{base}/oauth2/v2.0/token",
                    "issuer": f"{base}/v2.0",
                }
                self._send(200, json.dumps(endpoints).encode(), {})
            elif (
                not authorization.startswith("Bearer t") or int(authorization[8:]) <= graph.revoked
            ):
                self._send(401, b'{"error": {"code": "InvalidAuthenticationToken"}}', {})
            else:
                status, told = graph.answer(parts.path, parse_qs(parts.query))
                self._send(status, json.dumps(told).encode(), {})

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            status, told = graph.token(form)
            self._send(status, json.dumps(told).encode(), {})

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.socket = tls.wrap_socket(listening.socket, server_side=True)
        threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True).start()
        graph.address = f"https://127.0.0.1:{listening.server_address[1]}"
        yield graph
        listening.shutdown()
