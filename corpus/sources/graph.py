"""Read a library by Microsoft Graph, with the rights of an application alone.

All goes by the site's own transport: to `login` and `graph` of the file of sources, and for the
bytes of a file to the host of the library's site; to no other host, whatever an answer says.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from django.conf import settings

from core.llm.transport import BoundedTransport, CallFailed, fetched
from corpus.sources.folder import SourceAway, SourceFault
from corpus.sources.library_specs import LibrarySpec

CALL_S = 240.0  # of one call, with the waits that Retry-After asks for
_RETRIES = 4
_PAGE_BYTES = 32 * 1024**2
_AGAIN = "It is tried again at the next look."
_GOES_ON = "What was taken in is kept, and the next look goes on from there."
_READABLE = "Nothing was looked at. It must be readable by the worker's user, and whole."
_SIGN_IN = {  # by the number in AADSTS...
    7000215: "the secret is wrong or was revoked",
    7000222: "the secret has ended",
    700027: "the certificate has ended, was revoked, or belongs to another application",
}


class NotFound(SourceFault):
    """Graph has no such thing, or shows it to others only."""


class LinkTooOld(SourceFault):
    """Graph no longer knows what changed since a link: all has to be listed anew."""


_MEANINGS: dict[int | None, tuple[type[SourceFault], str, str]] = {  # what, and what to do
    401: (
        SourceAway,
        "Microsoft Graph refuses the application's token. Was it revoked?",
        f"The next look signs in anew. {_GOES_ON}",
    ),
    403: (
        SourceFault,
        "The application may not read this.",
        "Grant it Sites.Selected for the site, with the role read.",
    ),
    404: (
        NotFound,
        "It was not found, so nothing of it was changed.",
        "Is it named rightly in MEDRAG_SOURCES, and may the application read it?",
    ),
    410: (LinkTooOld, "It can't be had any more.", _AGAIN),
    423: (SourceFault, "It is open for editing, or locked.", _AGAIN),
    **dict.fromkeys((429, 503), (SourceAway, "Too many requests at the moment.", _GOES_ON)),
}


@dataclass(frozen=True)
class Graph:
    """Calls of one look; signs in at the first."""

    spec: LibrarySpec

    def get(self, address: str) -> dict[str, Any]:
        """Return the answer to a path below /v1.0, or to a link that Graph gave.

        Raises LinkTooOld, SourceAway, and SourceFault for what is locked or missing.
        """
        url = address if address.startswith("https:") else f"{self.spec.graph}/v1.0{address}"
        if not url.startswith(f"{self.spec.graph}/"):
            raise SourceAway("A link of Microsoft Graph leads to another host. It wasn't followed.")
        try:
            token = {"Authorization": f"Bearer {self._token()}"}
            return dict(json.loads(self._fetched(url, token, _PAGE_BYTES)))
        except (ValueError, TypeError) as error:
            raise SourceAway("Microsoft Graph answered with what can't be read.") from error

    def content(self, item: dict[str, Any]) -> bytes:
        """Return the bytes of a file from its site, which needs no token. Raises as `get`."""
        url = str(item.get("@microsoft.graph.downloadUrl", ""))
        parts, site = urlsplit(url), urlsplit(self.spec.site)
        if parts.scheme != "https" or parts.netloc != site.netloc:
            raise SourceFault(
                f"It can't be fetched from {site.netloc}: Microsoft Graph names another host.",
                hint="Nothing was fetched. Is `site` in MEDRAG_SOURCES the library's own?",
            )
        return self._fetched(url, {}, settings.UPLOAD_MAX_BYTES)

    def site(self) -> str:
        """Return the path of the site."""
        parts = urlsplit(self.spec.site)
        below = f":{quote(parts.path)}" if parts.path else ""  # else it is the root site
        return f"/sites/{self.get(f'/sites/{parts.netloc}{below}')['id']}"

    def _fetched(self, url: str, headers: dict[str, str], most_bytes: int) -> bytes:
        transport = BoundedTransport(most_bytes=most_bytes, retries=_RETRIES)
        away = SourceAway if headers else SourceFault  # one file doesn't keep the others away
        try:
            return fetched(url, timeout_s=CALL_S, transport=transport, headers=headers)
        except TimeoutError:
            raise away(f"No answer within {CALL_S:.0f} s.", hint=_AGAIN) from None
        except CallFailed as failed:
            kind = away if failed.status is None else SourceFault
            unknown = (kind, f"Microsoft Graph {failed.what}.", _AGAIN)
            status = failed.status if headers or failed.status != 401 else 403  # of one file
            kind, what, hint = _MEANINGS.get(status, unknown)
            raise kind(what, hint=hint) from None

    def _token(self) -> str:
        try:
            got = self._application.acquire_token_for_client([f"{self.spec.graph}/.default"])
        except (CallFailed, httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            what = error.what if isinstance(error, CallFailed) else "gave no usable answer"
            raise SourceAway(f"The sign-in of Microsoft {what}.", hint=_GOES_ON) from None
        if token := got.get("access_token"):
            return str(token)
        codes = got.get("error_codes") or [got.get("error")]
        why = _SIGN_IN.get(codes[0], f"it says {str(codes[0])[:40]}")
        raise SourceAway(
            f"The sign-in of Microsoft refuses the application: {why}.",
            hint=f"Give MEDRAG_SOURCES a new certificate or secret. {_GOES_ON}",
        )

    @cached_property
    def _application(self) -> Any:
        import msal  # late: only sites with a library need it

        credential: Any = ""
        try:
            if self.spec.secret:
                credential = self.spec.secret.read_text(encoding="utf-8").strip()
            elif self.spec.certificate:
                pem = _read_pem(self.spec.certificate)
                credential = {"private_key": pem, "public_certificate": pem}
            return msal.ConfidentialClientApplication(
                self.spec.client,
                client_credential=credential,
                authority=f"{self.spec.login}/{self.spec.tenant}",
                instance_discovery=False,
                http_client=_Carrier(self.spec.login),
            )
        except OSError as error:
            what = f"The secret can't be opened: {error.strerror}."
            raise SourceAway(what, hint=_READABLE) from error


class _Carrier(httpx.Client):
    """What MSAL sends by, in the place of its own client: the site's transport."""

    def __init__(self, login: str) -> None:
        transport = BoundedTransport(most_bytes=1024**2, retries=2, reads_refusals=True)
        super().__init__(transport=transport, trust_env=False, timeout=60.0)
        self._login = login

    def request(self, method: str, url: Any, *, data: Any = None, **sent: Any) -> httpx.Response:
        if not url.startswith(f"{self._login}/"):
            raise CallFailed("names another host")
        form = {k: v.decode() if isinstance(v, bytes) else v for k, v in (data or {}).items()}
        return super().request(method, url, data=form or None, **sent)


def credential_end(spec: LibrarySpec) -> datetime.date | None:
    """Return when the certificate ends, or the secret if the file says so. Raises SourceAway."""
    if spec.certificate is None:
        return spec.secret_ends
    pem = _read_pem(spec.certificate).encode()
    return x509.load_pem_x509_certificate(pem).not_valid_after_utc.date()


def _read_pem(path: Path) -> str:
    try:
        pem = path.read_text(encoding="ascii")
        x509.load_pem_x509_certificate(pem.encode())
        if not isinstance(load_pem_private_key(pem.encode(), None), rsa.RSAPrivateKey):
            what = "The certificate's key is not of RSA, which Microsoft asks for."
            raise SourceAway(what, hint=_READABLE)
    except OSError as error:
        what = f"The certificate can't be opened: {error.strerror}."
        raise SourceAway(what, hint=_READABLE) from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        what = "The file holds no certificate and open key in PEM."
        raise SourceAway(what, hint=_READABLE) from None
    return pem
