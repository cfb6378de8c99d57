"""Read a library by Microsoft Graph, with the rights of an application alone.

All goes by the site's own transport, with its certificates: to `login` and `graph` of the file of
sources, and for the bytes of a file to the host of the library's site; to no other host, whatever
an answer says.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import httpx
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

from core.llm.transport import BoundedTransport, CallFailed, fetched, uncallable
from corpus.sources.folder import SourceAway, SourceFault
from corpus.sources.library_specs import LibrarySpec

CALL_S = 240.0  # of one call, with the waits that Retry-After asks for
_RETRIES = 4
_PAGE_BYTES = 32 * 1024**2
_GOES_ON = "What was taken in is kept, and the next look goes on from there."
_SIGN_IN = {  # by the number in AADSTS...
    7000215: "the secret is wrong or was revoked",
    7000222: "the secret has ended",
    700027: "the certificate has ended, was revoked, or belongs to another application",
    700016: "the tenant has no such application",
    7000112: "the application was switched off",
    90002: "there is no such tenant",
}


class NotFound(SourceFault):
    """Graph has no such thing, or shows it to others only."""


class LinkTooOld(SourceFault):
    """Graph no longer knows what changed since a link: all has to be listed anew."""


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
            return dict(json.loads(self._authorised(url)))
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

    def _authorised(self, url: str) -> bytes:
        for is_last in (False, True):
            try:
                token = {"Authorization": f"Bearer {self._token()}"}
                return self._fetched(url, token, _PAGE_BYTES)
            except _Unauthorised:
                if is_last:
                    raise SourceAway(
                        "Microsoft Graph refuses the application's token. Was it revoked?",
                        hint=f"Ask the tenant's administrator. {_GOES_ON}",
                    ) from None
                self._application.remove_tokens_for_client()
        raise AssertionError("unreachable")

    def _fetched(self, url: str, headers: dict[str, str], most_bytes: int) -> bytes:
        transport = BoundedTransport(most_bytes=most_bytes, retries=_RETRIES)
        try:
            return fetched(url, timeout_s=CALL_S, transport=transport, headers=headers)
        except TimeoutError:
            raise SourceAway(f"No answer within {CALL_S:.0f} s.", hint=_GOES_ON) from None
        except CallFailed as failed:
            raise _meaning(failed) from None

    def _token(self) -> str:
        try:
            got = self._application.acquire_token_for_client([f"{self.spec.graph}/.default"])
        except (CallFailed, httpx.HTTPError, ValueError) as error:
            what = error.what if isinstance(error, CallFailed) else "gave no usable answer"
            raise SourceAway(f"The sign-in of Microsoft {what}.", hint=_GOES_ON) from None
        if token := got.get("access_token"):
            return str(token)
        codes = [code for code in got.get("error_codes", ()) if code in _SIGN_IN]
        why = _SIGN_IN[codes[0]] if codes else f"it says {str(got.get('error'))[:40]!r}"
        raise SourceAway(
            f"The sign-in of Microsoft refuses the application: {why}.",
            hint=f"Give MEDRAG_SOURCES a new certificate or secret. {_GOES_ON}",
        )

    @cached_property
    def _application(self) -> Any:
        import msal  # late: only sites with a library need it

        try:
            return msal.ConfidentialClientApplication(
                self.spec.client,
                client_credential=self._credential(),
                authority=f"{self.spec.login}/{self.spec.tenant}",
                instance_discovery=False,
                http_client=_Carrier(self.spec.login),
            )
        except OSError as error:
            raise _unreadable(f"The file can't be opened: {error.strerror}.") from error

    def _credential(self) -> Any:
        if self.spec.secret is not None:
            return self.spec.secret.read_text(encoding="utf-8").strip()
        pem = _read_certificate(self.spec)
        return {"private_key": pem, "public_certificate": pem}


class _Unauthorised(SourceFault):
    """Graph refused the token that was sent."""


class _Carrier:
    """What MSAL sends by, in the place of its own client: the site's transport."""

    def __init__(self, login: str) -> None:
        self._login = login

    def get(self, url: str, **sent: Any) -> httpx.Response:
        return self._sent("GET", url, **sent)

    def post(self, url: str, **sent: Any) -> httpx.Response:
        return self._sent("POST", url, **sent)

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _sent(self, method: str, url: str, **sent: Any) -> httpx.Response:
        if not url.startswith(f"{self._login}/"):
            raise CallFailed("names another host")
        transport = BoundedTransport(most_bytes=1024**2, retries=2, reads_refusals=True)
        known = {key: sent[key] for key in ("params", "headers") if sent.get(key)}
        if form := sent.get("data"):
            known["content"] = urlencode(form)  # httpx would write bytes as Python does
            form_type = {"Content-Type": "application/x-www-form-urlencoded"}
            known["headers"] = form_type | dict(known.get("headers", {}))
        with httpx.Client(transport=transport, trust_env=False, timeout=60.0) as client:
            try:
                return client.request(method, url, **known)
            except (CallFailed, httpx.TimeoutException):
                raise
            except Exception as error:  # noqa: BLE001  httpx may raise any
                raise uncallable(error) from None


def credential_end(spec: LibrarySpec) -> datetime.date | None:
    """Return when the certificate ends, or the secret if the file says so. Raises SourceFault."""
    if spec.certificate is None:
        return spec.secret_ends
    pem = _read_certificate(spec).encode()
    return x509.load_pem_x509_certificate(pem).not_valid_after_utc.date()


def _read_certificate(spec: LibrarySpec) -> str:
    try:
        pem = spec.certificate.read_text(encoding="ascii") if spec.certificate else ""
        x509.load_pem_x509_certificate(pem.encode())
        key = serialization.load_pem_private_key(pem.encode(), None)
    except OSError as error:
        raise _unreadable(f"The file can't be opened: {error.strerror}.") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _unreadable("The file holds no certificate and open key in PEM.") from error
    if not isinstance(key, rsa.RSAPrivateKey):
        raise _unreadable("Its key is not of RSA, which Microsoft asks for.")
    return pem


def _unreadable(why: str) -> SourceAway:
    hint = "Nothing was looked at. It must hold key and certificate, readable by the worker's user."
    return SourceAway(f"The certificate or secret can't be used. {why}", hint=hint)


def _meaning(failed: CallFailed) -> SourceFault:
    """Return what a failed call of Graph, or of a site, means for the look."""
    match failed.status:
        case 401:
            return _Unauthorised("Access to it was refused.", hint="It is tried again.")
        case 403:
            return SourceFault(
                "The application may not read this.",
                hint="Grant it Sites.Selected for the site, with the role read.",
            )
        case 404:
            return NotFound(
                "It was not found, so nothing of it was changed.",
                hint="Is it named rightly in MEDRAG_SOURCES, and may the application read it?",
            )
        case 410:
            return LinkTooOld("It can't be had any more.", hint="It is tried again.")
        case 423:
            return SourceFault(
                "It is open for editing, or locked.", hint="It is tried again at the next look."
            )
        case 429 | 503:
            hint = f"Microsoft Graph asks for fewer requests. {_GOES_ON}"
            return SourceAway("Too many requests at the moment.", hint=hint)
        case None:
            return SourceAway(f"Microsoft Graph {failed.what}.", hint=_GOES_ON)
    return SourceFault(f"Microsoft Graph {failed.what}.", hint="It is tried again.")
