"""A small patient's record for the demonstration and the tests, on this machine alone.

It has what SMART App Launch 2.2 asks of a record, a FHIR server and an authorization server, and a
page with a launch and infobuttons. One person is signed in there, and consents at once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from samples.record.page import page
from samples.record.resources import Resource

CLIENT, PERSON = "medrag", "practitioner-7"


def issuer_at(port: int) -> str:
    return f"http://127.0.0.1:{port}/fhir"


class Record:
    """Patients' resources by id, and who asked for them; `site` is the address that it opens."""

    def __init__(self, patients: dict[str, list[Resource]], *, site: str) -> None:
        self.patients, self.site = patients, site
        self.base = ""  # of its FHIR server, once it is served
        self.open = {f"l-{patient}": patient for patient in patients}  # by the launch's handle
        self.key = self.published = rsa.generate_private_key(65537, 2048)
        self.kid = "1"
        self.codes: dict[str, dict[str, str]] = {}
        self.tokens: list[str] = []

    def configuration(self) -> dict[str, Any]:
        root = self.base.removesuffix("/fhir")
        paths = {
            "authorization_endpoint": "authorise",
            "token_endpoint": "token",
            "jwks_uri": "keys",
        }
        found = {name: f"{root}/{path}" for name, path in paths.items()}
        return found | {"issuer": self.base, "code_challenge_methods_supported": ["S256"]}

    def authorise(self, address: str) -> dict[str, str]:
        """Return the parameters of the way back. Raises ValueError for what no launch asks."""
        asked = dict(parse_qsl(urlsplit(address).query))
        expected = {
            "client_id": CLIENT,
            "code_challenge_method": "S256",
            "aud": self.base,
            "redirect_uri": f"{self.site}/launch/back",
        }
        if wrong := [name for name, value in expected.items() if asked.get(name) != value]:
            raise ValueError(f"{', '.join(wrong)}: not as expected.")
        if asked.get("launch", "") not in ("", *self.open):
            raise ValueError("launch: unknown.")
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def exchange(self, form: dict[str, str], header: str) -> dict[str, Any] | None:
        """Return the tokens for a code, once; None unless it is whoever began with it."""
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"]:
            return None
        token = secrets.token_urlsafe(16)
        self.tokens.append(token)
        said = {"access_token": token, "token_type": "Bearer", "scope": asked["scope"]}
        said["id_token"] = self.id_token(asked.get("nonce"))
        return said | ({"patient": self.open[asked["launch"]]} if "launch" in asked else {})

    def id_token(self, nonce: str | None) -> str:
        return jwt.encode(self.claims(nonce), self.key, "RS256", headers={"kid": self.kid})

    def claims(self, nonce: str | None) -> dict[str, Any]:
        now, fhir_user = int(time.time()), f"Practitioner/{PERSON}"
        whom = {"iss": self.base, "aud": CLIENT, "sub": PERSON, "fhirUser": fhir_user}
        return {**whom, "nonce": nonce, "iat": now, "exp": now + 60}

    def said(self, path: str, header: str) -> Any:
        """Return what is at a path, None where nothing is; patients only for a token."""
        parts = urlsplit(path)
        name = parts.path.removeprefix("/fhir/")
        if name == ".well-known/smart-configuration":
            return self.configuration()
        if parts.path == "/keys":
            public = jwt.algorithms.RSAAlgorithm.to_jwk(self.published.public_key(), as_dict=True)
            return {"keys": [{**public, "kid": self.kid, "alg": "RS256"}]}
        if header not in [f"Bearer {token}" for token in self.tokens]:
            return None
        if name.startswith("Patient/"):
            return self.patients.get(name.removeprefix("Patient/"), [None])[0]
        asked = dict(parse_qsl(parts.query))
        codes = {code.rpartition("|")[2] for code in asked.get("code", "").split(",") if code}
        found = [
            {"resource": each}
            for each in self.patients.get(asked.get("patient", ""), ())
            if each["resourceType"] == name
            and (not codes or each["code"]["coding"][0]["code"] in codes)
        ]
        return {"resourceType": "Bundle", "type": "searchset", "entry": found}

    def answer_get(self, path: str, header: str) -> tuple[int, dict[str, str], str]:
        """Return status, headers and body."""
        if path == "/":
            shown = {handle: self.patients[patient] for handle, patient in self.open.items()}
            body = page(shown, site=self.site, issuer=self.base)
            return 200, {"Content-Type": "text/html; charset=utf-8"}, body
        if path.startswith("/authorise?"):
            try:
                given = self.authorise(path)
            except ValueError as error:
                return 400, {}, str(error)
            asked = self.codes[given["code"]]
            return 302, {"Location": f"{asked['redirect_uri']}?{urlencode(given)}"}, ""
        said = self.said(path, header)
        return 404 if said is None else 200, {}, json.dumps(said)

    def answer_post(
        self, path: str, form: dict[str, str], header: str
    ) -> tuple[int, dict[str, str], str]:
        said = self.exchange(form, header) if path == "/token" else None
        return 200 if said else 400, {}, json.dumps(said or {"error": "invalid_grant"})


@contextmanager
def serving(record: Record, port: int = 0) -> Iterator[ThreadingHTTPServer]:
    """Listen on a port of this machine, any free one by default, within the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(*record.answer_get(self.path, self.headers.get("Authorization", "")))

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            header = self.headers.get("Authorization", "")
            self.answer(*record.answer_post(self.path, dict(parse_qsl(sent)), header))

        def answer(self, status: int, headers: dict[str, str], text: str) -> None:
            body = text.encode()
            self.send_response(status)
            length = {"Content-Length": str(len(body))}
            for name, value in ({"Content-Type": "application/json"} | headers | length).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    record.base = issuer_at(server.server_port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
