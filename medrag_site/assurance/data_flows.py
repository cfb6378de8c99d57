"""Say for a data protection assessment what is kept and what leaves, by the settings in force."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now
from knox.models import get_token_model

from corpus.encoders.registry import configured_specs
from medrag_site.release import release
from webhooks.models import Endpoint as WebhookEndpoint

_HERE = ("127.0.0.1", "localhost", "::1", "")
# What the model of each role is sent: the table of docs/models.md.
_SENT = {
    "generate": "question, options, passages found with title, section and population",
    "judge": "question, claims, passages",
    "rewrite": "question",
    "context": "text of guidelines",
    "rerank": "question, passages",
    "teacher": "passages, answers and claims; questions only where `evaluate silver` is told to",
}
_TEXTS = {
    "questions": "Questions and answers, with traces",
    "comments": "Comments of feedback",
    "notes": "Notes of reviewers",
}
_KEPT = (
    ("Log: who did what and when, no clinical text", "database", "for good"),
    ("Signed heads of the log: numbers and hashes", "data folder", "for good"),
    ("Guidelines and their text, withdrawn ones too", "files and database", "for good"),
    ("Accounts, groups, hashes of passwords and tokens", "database", "until deleted"),
    ("Sessions", "database", "until they end"),
    ("Failed sign-ins: account and address", "database", "30 days"),
    ("Request log: path without query, id, status, milliseconds", "standard error", "the site's"),
)


@dataclass(frozen=True)
class Flow:
    """What leaves this machine, to whom, and by which setting; `is_here`: it does not leave.

    `is_plain`: its address is of no protocol with TLS. A database says in its address what it does.
    """

    to: str
    what: str
    setting: str
    is_here: bool = False
    is_plain: bool = False

    @property
    def way(self) -> str:
        if self.is_here:
            return "on this machine"
        return "leaves, **not encrypted**" if self.is_plain else "leaves"


def flows() -> Iterator[Flow]:
    """Yield each flow that the settings and the database allow now. Runs two queries."""
    yield from _services()
    yield from _models()
    for spec in configured_specs():
        if spec.url:
            yield _flow(spec.url, "text of guidelines, questions", f"MEDRAG_ENCODERS [{spec.name}]")
    for host in dict.fromkeys(urlsplit(a).hostname for s in settings.SOURCES for a in s.addresses):
        yield _flow(f"https://{host}", "requests for watched addresses", "MEDRAG_SOURCES")
    libraries = [spec.library for spec in settings.SOURCES if spec.library]
    for login in dict.fromkeys(library.login for library in libraries):
        yield _flow(login, "the sign-in of an application", "MEDRAG_SOURCES")
    asked = [address for library in libraries for address in (library.graph, library.site)]
    for host in dict.fromkeys(urlsplit(address).hostname for address in asked):
        yield _flow(f"https://{host}", "requests for a library's guidelines", "MEDRAG_SOURCES")
    for endpoint in WebhookEndpoint.objects.filter(is_active=True):
        events = ", ".join(endpoint.events)
        yield _flow(endpoint.url, f"{events}: codes, titles and ids, no question", "Webhooks")
    is_valid = Q(expiry=None) | Q(expiry__gt=Now())
    if tokens := get_token_model().objects.filter(is_valid).count():
        what = "answers, passages and documents, by each token's scopes and its owner's rights"
        yield Flow(f"programs with {tokens} API tokens", what, "API tokens")


def _services() -> Iterator[Flow]:
    if settings.DATABASE_URL:
        yield _flow(settings.DATABASE_URL, "all that is kept but files", "DATABASE_URL")
    if settings.DATABASE_REPLICA_URL:
        what = "all that is kept but files, by the database itself"
        yield _flow(settings.DATABASE_REPLICA_URL, what, "DATABASE_REPLICA_URL")
    if bucket := settings.FILES["bucket"]:
        where = settings.FILES["endpoint"] or f"https://s3.amazonaws.com ({bucket})"
        yield _flow(where, "guidelines and pictures of their pages", "MEDRAG_FILES")
    if settings.SCANNER:
        yield _flow(settings.SCANNER, "each uploaded file", "MEDRAG_SCANNER")
    if settings.OIDC_ISSUER:
        yield _flow(settings.OIDC_ISSUER, "codes of signing in; no question", "MEDRAG_OIDC")
    for record in settings.RECORD.launch.records:
        what = "codes of launches, requests for the open patient's facts; no question"
        yield _flow(record.issuer, what, "MEDRAG_RECORD launch")
    if settings.SCIM_TOKEN:
        what = "names, mail addresses and groups of the accounts that it keeps"
        yield Flow("the hospital's directory", what, "MEDRAG_SCIM")
    if settings.AUDIT_HEADS_URL:
        yield _flow(settings.AUDIT_HEADS_URL, "row number, hash and time", "MEDRAG_AUDIT_HEADS url")
    if settings.AUDIT_FORWARD_TO:
        more = ", payloads" if settings.AUDIT_FORWARD_PAYLOAD else ""
        what = f"the log: who did what and when{more}; no question"
        yield _flow(settings.AUDIT_FORWARD_TO, what, "MEDRAG_AUDIT_FORWARD")


def _models() -> Iterator[Flow]:
    for role, what in _SENT.items():
        named = getattr(settings.MODELS, role)
        for endpoint in named if isinstance(named, tuple) else (named,):
            if endpoint.url:
                yield _flow(endpoint.url, what, f"MEDRAG_MODELS [{role}]")


def _flow(address: str, what: str, setting: str) -> Flow:
    """Name the host only: an address may hold a password."""
    parts = urlsplit(address)
    is_here = parts.scheme == "unix" or (parts.hostname or "") in _HERE
    is_plain = parts.scheme in ("http", "tcp")
    return Flow(parts.hostname or parts.path or address, what, setting, is_here, is_plain)


def data_flows(known: Iterable[Flow] | None = None) -> str:
    """Return the page as Markdown."""
    return "\n".join(_page(list(flows() if known is None else known)))


def _page(known: list[Flow]) -> Iterator[str]:
    yield f"# Data flows, release {release()}\n"
    yield "From the settings in force and the endpoints in the database. This page does not know "
    yield "who reads the disk, backups and logs of this machine, what the named services keep, and "
    yield "on which legal basis.\n"
    yield "## What leaves\n"
    if not known:
        yield "Nothing: no service, endpoint or token is configured.\n"
    else:
        yield "| to | what | by | |\n|---|---|---|---|"
        for flow in known:
            yield f"| {flow.to} | {flow.what} | {flow.setting} | {flow.way} |"
        yield ""
    yield "Browsers of people who are signed in get pages, answers and documents. "
    yield f"Identifiers of patients in questions: `{settings.IDENTIFIERS}`.\n"
    yield "## What is kept\n"
    yield "| what | where | how long |\n|---|---|---|"
    for what, where, how_long in _KEPT:
        yield f"| {what} | {where} | {how_long} |"
    for kind, days in settings.RETENTION.items():
        period = f"{days} days, by `manage.py retention`" if days else "for good: no period is set"
        yield f"| {_TEXTS[kind]} | database | {period} |"
    yield f"| Messages of webhooks | database | {settings.WEBHOOKS_KEEP_DAYS} days |"
    yield "| Backups | where `manage.py backup` writes them | until deleted |\n"
