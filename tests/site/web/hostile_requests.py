"""Draw requests that no browser sends, from what a page's forms and links offer."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from typing import Any
from urllib.parse import parse_qsl, quote_from_bytes, urlsplit

BOUNDARY = "b0undary"
URLENCODED = "application/x-www-form-urlencoded"

VALUES = [
    *(b"\0", b"a\0b", b"\xed\xa0\x80", b"\xff\xfe", b"\xc3", b"\xf4\x90\x80\x80", b"\r\nX: y"),
    *(
        b"9" * 30,
        b"9" * 5000,
        b"-1",
        b"0",
        b"-9223372036854775809",
        b"2147483648",
        b"1e308",
        b"NaN",
    ),
    *("٣٤".encode(), "²".encode(), "1\u200b2".encode(), "\u202e\ufeff".encode(), "İß".encode()),
    *(
        b"",
        b" ",
        b"'",
        b'"',
        b"%",
        b"%00",
        b"_",
        b"\\",
        b"\\x",
        b"x" * 5000,
        b"<script>",
        b"{{ 7 }}",
    ),
    *(b"2026-02-30", b"0000-00-00", b"9999-12-31", b"10000-01-01", b"24:61:61", b"true", b"None"),
    *(b"[]", b"{}", b"[null]", b"1,2", b",", b"a__b__c", b"../../etc/passwd", b"//evil.example/"),
    *(b"1-2-3.-4", b".", b"-", b"?a=%00", b"lifecycle__exact=%00", b"_5F_00"),
]
CHARSETS = [
    *(
        "utf-7",
        "utf-16",
        "utf-32",
        "utf-8-sig",
        "rot13",
        "hex",
        "base64",
        "zip",
        "idna",
        "punycode",
    ),
    *(
        "undefined",
        "unicode_escape",
        "raw_unicode_escape",
        "cp037",
        "big5",
        "shift_jis",
        "nonsense",
    ),
    *('"utf-7"', "utf-8; charset=utf-7", "é", "x" * 3000, "mbcs", "latin-1", "us-ascii"),
]
JSON_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 10**30, -(10**30), 1e308, 0.5, "", " ", "\0", "\ud800", "a\udfffb"),
    *("x" * 3000, "?", "aspirin", "٣", [], {}, [[]], [None], [{}], ["\0"], ["\ud800"], {"": 0}),
    *([1] * 60, ["a"] * 60, {"\0": "\0"}, {"\ud800": 1}, "2026", "en", ["en"], ["guideline"]),
]
JSON_KEYS = [
    *("question", "query", "k", "collections", "filters", "mode", "surroundings", "\0", "\ud800"),
    *("specialties", "populations", "issuers", "languages", "source_types", "year_from", "year_to"),
]
HEADERS = [
    *("HTTP_HX_REQUEST", "HTTP_HX_CURRENT_URL", "HTTP_HX_TARGET", "HTTP_HX_PROMPT", "HTTP_REFERER"),
    *("HTTP_ACCEPT", "HTTP_ACCEPT_LANGUAGE", "HTTP_ACCEPT_ENCODING", "HTTP_X_FORWARDED_FOR"),
    *("HTTP_IF_MODIFIED_SINCE", "HTTP_IF_NONE_MATCH", "HTTP_RANGE", "HTTP_AUTHORIZATION"),
    *("HTTP_USER_AGENT", "HTTP_HOST", "HTTP_X_REQUESTED_WITH", "HTTP_ORIGIN", "REMOTE_ADDR"),
    *("HTTP_X_HTTP_METHOD_OVERRIDE", "HTTP_X_FORWARDED_PROTO", "HTTP_COOKIE"),
]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"]
EVERYWHERE = [  # names that pages read whether or not a link of theirs has them
    *("q", "p", "o", "e", "all", "page", "next", "_popup", "_to_field", "_changelist_filters"),
    *("_facets", "chunk", "collection", "first", "second", "pk", "action", "_selected_action"),
    *("app_label", "model_name", "field_name", "term", "id__in", "pk__in", "id__gte", "pk__isnull"),
]


@dataclass(frozen=True)
class Sent:
    """A request; `what` names in a word how it is hostile."""

    what: str
    method: str
    path: str  # percent-encoded, with its query
    body: bytes = b""
    content_type: str = URLENCODED
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Offer:
    """The fields and files that a page offers to send, with their values."""

    fields: dict[str, list[str]] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def add(self, name: str, value: str = "") -> None:
        self.fields.setdefault(name, []).append(value)


class _Reader(HTMLParser):
    """Collect the fields of forms, and the names in the queries of links."""

    def __init__(self) -> None:
        super().__init__()
        self.offer = Offer()
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = given.get("name", "")
        if tag == "input" and given.get("type") == "file":
            self.offer.files.append(name)
        elif tag in ("input", "textarea", "button", "select") and name:
            self._select = name if tag == "select" else self._select
            self.offer.add(name, given.get("value", ""))
        elif tag == "option" and self._select:
            self.offer.add(self._select, given.get("value", ""))
        elif tag == "a":
            for key, value in parse_qsl(urlsplit(given.get("href", "")).query):
                self.offer.add(key, value)


def offer_of(page: str) -> Offer:
    reader = _Reader()
    reader.feed(page)
    return reader.offer


def drawn(rng: Random, kind: str, address: str, offer: Offer) -> Sent:
    """Draw one of the `KINDS` for an address."""
    return KINDS[kind](rng, address, offer)


def _pairs(rng: Random, offer: Offer, *, base: bool) -> list[tuple[bytes, bytes]]:
    """Draw names and values, one to three of them hostile; with `base`, add the page's own form."""
    everywhere = [name.encode() for name in EVERYWHERE]
    offered = [name.encode() for name in offer.fields] or everywhere
    pairs = []
    if base:
        pairs = [(n.encode(), rng.choice(v).encode()) for n, v in offer.fields.items()]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        name = rng.choice(rng.choices([offered, everywhere, VALUES], [7, 2, 1])[0])
        for _ in range(rng.choice([1, 1, 1, 2, 40])):
            pairs.append((name, rng.choice(VALUES)))
    rng.shuffle(pairs)
    return pairs


def _encoded(pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    return "&".join(f"{quote_from_bytes(n)}={quote_from_bytes(v)}" for n, v in pairs).encode()


def _query(rng: Random, address: str, offer: Offer) -> Sent:
    query = _encoded(_pairs(rng, offer, base=False)).decode()
    return Sent("query", rng.choice(["GET", "GET", "HEAD", "POST"]), f"{address}?{query}")


def _form(rng: Random, address: str, offer: Offer) -> Sent:
    return Sent("form", "POST", address, _encoded(_pairs(rng, offer, base=True)))


def _charset(rng: Random, address: str, offer: Offer) -> Sent:
    charset = rng.choice(CHARSETS)
    kind = rng.choice([URLENCODED, "multipart/form-data; boundary=b", "application/json"])
    body = rng.choice([_encoded(_pairs(rng, offer, base=True)), b"username=+AGEAYg-&password=a"])
    return Sent("charset", "POST", address, body, f"{kind}; charset={charset}")


def _multipart(rng: Random, address: str, offer: Offer) -> Sent:
    line = b"--" + BOUNDARY.encode() + b"\r\n"
    parts = []
    for name, value in _pairs(rng, offer, base=True):
        odd = rng.choice([b"", b"", b"", b"Content-Transfer-Encoding: base64\r\n", b"X: \xff\r\n"])
        head = b'Content-Disposition: form-data; name="' + name.replace(b'"', b"") + b'"\r\n'
        parts.append(line + head + odd + b"\r\n" + value + b"\r\n")
    for field_name in offer.files:
        head = f'Content-Disposition: form-data; name="{field_name}"; filename="'.encode()
        kind = rng.choice([b"text/plain", b"application/pdf; charset=utf-7", b"\xff"])
        head += rng.choice(VALUES)[:200] + b'"\r\nContent-Type: ' + kind + b"\r\n\r\n"
        parts.append(line + head + rng.choice(VALUES) + b"\r\n")
    body = b"".join(parts) + b"--" + BOUNDARY.encode() + b"--\r\n"
    if rng.random() < 0.2:
        body = body[: rng.randint(0, len(body))]
    boundary = rng.choice([BOUNDARY] * 6 + ["", "x" * 300, "é"])
    return Sent("multipart", "POST", address, body, f"multipart/form-data; boundary={boundary}")


def _path(rng: Random, address: str, offer: Offer) -> Sent:
    parts = address.strip("/").split("/")
    parts[rng.randrange(len(parts))] = quote_from_bytes(rng.choice(VALUES), safe="")
    end = "/" if address.endswith("/") and rng.random() < 0.9 else ""
    return Sent("path", rng.choice(["GET", "POST"]), f"/{'/'.join(parts)}{end}")


def _envelope(rng: Random, address: str, offer: Offer) -> Sent:
    extra = {name: rng.choice(VALUES)[:2000].decode("latin-1") for name in rng.sample(HEADERS, 3)}
    if "HTTP_COOKIE" in extra:
        name = rng.choice(["sessionid", "csrftoken", "messages", "django_language"])
        value = rng.choice(['"aaaaaaaaaa\\000"', '"\\355\\240\\200aaaaaaa"', "a" * 5000, "x" * 32])
        extra["HTTP_COOKIE"] = f"{name}={value}"
    return Sent("envelope", rng.choice(METHODS), address, extra=extra)


def _json(rng: Random, address: str, offer: Offer) -> Sent:
    def value(depth: int) -> Any:
        if depth and rng.random() < 0.3:
            return {rng.choice(JSON_KEYS): value(depth - 1) for _ in range(rng.randint(1, 4))}
        return rng.choice(JSON_VALUES)

    asked = rng.choice(["question", "query"])
    body: Any = {asked: "dose?"} | {rng.choice(JSON_KEYS): value(2) for _ in range(3)}
    text = json.dumps(rng.choice([body, body, body, value(3)]))
    odd = ["[" * 100_000, '{"question": 1e999}', "\ufeff{}", "", "nul", '{"a": 1, "a": 2}']
    return Sent("json", "POST", address, rng.choice([text, text, text, *odd]).encode(), JSON)


JSON = "application/json"
KINDS: Mapping[str, Callable[[Random, str, Offer], Sent]] = {
    "query": _query,
    "form": _form,
    "charset": _charset,
    "multipart": _multipart,
    "path": _path,
    "envelope": _envelope,
    "json": _json,
}


def share(cases: Sequence[Any], *, number: int, of: int, seed: int) -> list[Any]:
    """Return one of `of` shares of the cases, each of which is in exactly one."""
    shuffled = list(cases)
    Random(seed).shuffle(shuffled)
    return shuffled[number::of]
