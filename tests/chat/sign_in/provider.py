"""An OpenID provider on loopback, with its own key, that can misbehave."""

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
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "medrag", "a-secret-of-the-client"


class Provider:
    """A provider that signs in the user of `claims`.

    `wrong` replaces claims in the ID token; None leaves one out.
    """

    def __init__(self) -> None:
        self.key = self.published = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.claims: dict[str, Any] = {"sub": "s-1", "preferred_username": "ada"}
        self.wrong: dict[str, Any] = {}
        self.keys: list[dict[str, Any]] = []  # published instead of its own
        self.codes: dict[str, dict[str, str]] = {}
        self.issuer = ""
        self.moved = ""  # a path that sends on, keeping the request (307)
        self.heard: list[str] = []
        self.audience = ""  # of access tokens; without one they are opaque

    def authorise(self, address: str) -> dict[str, str]:
        """Consent to the browser's request; return the parameters of the way back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def tokens(self, sent: dict[str, str]) -> dict[str, Any] | None:
        asked = self.codes.pop(sent.get("code", ""), None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"]:
            return None
        if (sent["client_secret"], sent["redirect_uri"]) != (SECRET, asked["redirect_uri"]):
            return None
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": asked.get("nonce"),
            **self.claims,
            **self.wrong,
        }
        said = {name: value for name, value in said.items() if value is not None}
        token = jwt.encode(said, self.key, "RS256", headers={"kid": "1"})
        access = self.access_token() if self.audience else "opaque"
        return {"access_token": access, "token_type": "Bearer", "id_token": token}

    def access_token(self, **wrong: Any) -> str:
        """Return an access token for the audience; `wrong` replaces claims; None leaves one out."""
        now = int(time.time())
        said = {"iss": self.issuer, "aud": [self.audience], "sub": self.claims["sub"]}
        said |= {"scope": "openid ask", "iat": now, "exp": now + 300} | wrong
        said = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(said, self.key, "RS256", headers={"kid": "1"})

    def pages(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.published.public_key(), as_dict=True)
        config = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorise",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
        }
        keys = {"keys": self.keys or [{**public, "kid": "1", "alg": "RS256"}]}
        return {"/.well-known/openid-configuration": config, "/keys": keys}


@contextmanager
def provider() -> Iterator[Provider]:
    one = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.is_moved():
                return
            if self.path.startswith("/authorise?"):  # a browser: it is signed in at once
                given = one.authorise(self.path)
                self.send_response(302)
                asked = one.codes[given["code"]]
                self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(given)}")
                self.end_headers()
                return
            self.answer(one.pages().get(self.path))

        def is_moved(self) -> bool:
            one.heard.append(self.path)
            if self.path == one.moved:
                self.send_response(307)
                self.send_header("Location", f"{self.path}?moved")
                self.send_header("Content-Length", "0")
                self.end_headers()
            return self.path == one.moved

        def do_POST(self) -> None:
            if self.is_moved():
                return
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.answer(one.tokens({name: values[0] for name, values in form.items()}))

        def answer(self, said: Any) -> None:
            body = json.dumps(said or {"error": "invalid_grant"}).encode()
            self.send_response(200 if said else 400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    one.issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield one
    finally:
        server.shutdown()
        server.server_close()
