"""A patient's record on loopback: FHIR and authorization server, which can misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.chat.records.launch.patients import patients

CLIENT = "medrag"


class RecordServer:
    """A record with a person signed in; `wrong` replaces claims, `tokens` what is granted."""

    def __init__(self) -> None:
        self.key = self.published = rsa.generate_private_key(65537, 2048)
        self.kid = "1"
        self.base = ""  # its FHIR server
        self.patients = patients()
        self.open = {"l-kidneys": "p-kidneys", "l-well": "p-well", "l-old": "p-old"}
        self.claims: dict[str, Any] = {"sub": "s-7", "fhirUser": "Practitioner/7"}
        self.wrong: dict[str, Any] = {}
        self.granted: dict[str, Any] = {}  # replaces parts of the token's answer
        self.config: dict[str, Any] = {}  # replaces parts of smart-configuration
        self.codes: dict[str, dict[str, str]] = {}
        self.proved: Callable[[dict[str, str], str], bool] = lambda form, header: True
        self.status: dict[str, int] = {}  # by a word in the address
        self.changed: Callable[[Any], Any] = lambda body: body  # each FHIR answer
        self.heard: list[str] = []
        self.tokens: list[str] = []

    def authorise(self, address: str) -> dict[str, str]:
        """Consent to the browser's request; return the parameters of the way back."""
        asked = dict(parse_qsl(urlsplit(address).query))
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert asked["aud"] == self.base
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def exchange(self, form: dict[str, str], header: str) -> dict[str, Any] | None:
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"] or not self.proved(form, header):
            return None
        token = secrets.token_urlsafe(16)
        self.tokens.append(token)
        said = {"access_token": token, "token_type": "Bearer", "scope": asked["scope"]}
        said["id_token"] = self.id_token(asked.get("nonce"))
        if "launch" in asked:
            said["patient"] = self.open[asked["launch"]]
        return {name: value for name, value in (said | self.granted).items() if value is not None}

    def id_token(self, nonce: str | None) -> str:
        now = int(time.time())
        said = {"iss": self.config.get("issuer", self.base), "aud": CLIENT, "nonce": nonce}
        said |= {"iat": now, "exp": now + 60} | self.claims | self.wrong
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, self.key, "RS256", headers={"kid": self.kid})

    def page(self, address: str, header: str) -> Any:
        parts = urlsplit(address)
        name = parts.path.removeprefix("/fhir/")
        if name == ".well-known/smart-configuration":
            return self.configuration()
        if parts.path == "/keys":
            public = jwt.algorithms.RSAAlgorithm.to_jwk(self.published.public_key(), as_dict=True)
            return {"keys": [{**public, "kid": self.kid, "alg": "RS256"}]}
        if header not in [f"Bearer {token}" for token in self.tokens]:
            return None
        if name.startswith("Patient/"):
            found = self.patients.get(name.removeprefix("Patient/"), [None])
            return self.changed(found[0])
        asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
        codes = {code.rpartition("|")[2] for code in asked.get("code", "").split(",") if code}
        found = [
            {"resource": each}
            for each in self.patients.get(asked.get("patient", ""), ())
            if each["resourceType"] == name
            and (not codes or each["code"]["coding"][0]["code"] in codes)
        ]
        return self.changed({"resourceType": "Bundle", "type": "searchset", "entry": found})

    def configuration(self) -> dict[str, Any]:
        root = self.base.removesuffix("/fhir")
        said = {
            "issuer": self.base,
            "authorization_endpoint": f"{root}/authorise",
            "token_endpoint": f"{root}/token",
            "jwks_uri": f"{root}/keys",
            "capabilities": ["launch-ehr", "sso-openid-connect", "context-ehr-patient"],
            "code_challenge_methods_supported": ["S256"],
        } | self.config
        return {name: value for name, value in said.items() if value is not None}


@contextmanager
def record_server() -> Iterator[RecordServer]:
    one = RecordServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            one.heard.append(self.path)
            if self.path.startswith("/authorise?"):  # a browser: it consents at once
                given = one.authorise(self.path)
                self.send_response(302)
                asked = one.codes[given["code"]]
                self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(given)}")
                self.end_headers()
                return
            said = one.page(self.path, self.headers.get("Authorization", ""))
            wrong = [status for word, status in one.status.items() if word in self.path]
            self.answer(said, wrong[0] if wrong else 200 if said is not None else 404)

        def do_POST(self) -> None:
            form = dict(parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            said = one.exchange(form, self.headers.get("Authorization", ""))
            self.answer(said or {"error": "invalid_grant"}, 200 if said else 400)

        def answer(self, said: Any, status: int) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    one.base = f"http://127.0.0.1:{server.server_port}/fhir"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield one
    finally:
        server.shutdown()
        server.server_close()
