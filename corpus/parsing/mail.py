"""Read an e-mail (RFC 5322): subject, sender, day and text as one page. Attachments are not read.

Nothing is fetched or run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from xml.etree.ElementTree import Element, SubElement

from corpus.filenames import title_said
from corpus.parsing.clean import clean_line
from corpus.parsing.drafts import text_draft
from corpus.parsing.office.archives import encrypted
from corpus.parsing.office.markup import (
    decode,
    document_with,
    page_of,
    text_page,
    title_of,
    tree_of,
)
from corpus.parsing.office.package import read_or_damaged
from corpus.parsing.registry import Request
from corpus.parsing.types import BlockKind, Doubt, Page, ParsedDocument, ParseError

_SEALED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_QUOTES = re.compile(
    r"^>|^-{2,} ?(?:original message|ursprüngliche nachricht|forwarded message|weitergeleitete)"
    r"|(?:from|von):[^:]{1,300}(?::[^:]{1,300})?\n\s*(?:sent|gesendet|date|datum):",
    re.I | re.M,
)
_MOST_CHARS = 1000
_EARLIER = Doubt(
    "standing_unsure",
    "The e-mail quotes an earlier one, which it may correct: the words of both are read. Compare "
    "them, and keep only what holds.",
)


def parse_mail(request: Request) -> ParsedDocument:
    """Return one page: the e-mail's headers, and its text, as HTML if it has that.

    Raises ParseError (`no_text`, `archive_encrypted`, `file_corrupt`).
    """
    with read_or_damaged():
        message = message_from_bytes(request.path.read_bytes(), policy=policy.default)
        assert isinstance(message, EmailMessage)
        if any(part.get_content_type() in _SEALED for part in message.walk()):
            raise encrypted()
        body = message.get_body(("html", "plain"))
        if body is None:
            raise ParseError(
                "The e-mail holds no text of its own.",
                code="no_text",
                hint="Save what is attached to it, and upload that.",
            )
        subject = clean_line(str(message["subject"] or ""))
        sent = message["date"].datetime if message["date"] else None
        facts = {
            "author": clean_line(_sender(message))[:500],
            "date": f"{sent:%Y-%m-%d}" if sent else "",
        }
        page = _page(body, subject, facts)
        attached = list(_attached(message, body))
    page = replace(page, doubts=(*page.doubts, *([_unread(attached)] if attached else [])))
    title = title_of([page], title_said(subject))
    metadata = {name: value for name, value in facts.items() if value}
    return replace(document_with(request, [page], title), metadata=metadata)


def _sender(message: MIMEPart) -> str:
    """Return the names of the senders, or the addresses of those without a name."""
    senders = message["from"].addresses if message["from"] else ()
    return ", ".join(each.display_name or each.addr_spec for each in senders)


def _page(body: MIMEPart, subject: str, facts: dict[str, str]) -> Page:
    payload = body.get_payload(decode=True)
    text = decode(payload if isinstance(payload, bytes) else b"", body.get_content_charset())
    said = (("From", facts["author"]), ("Date", facts["date"]))
    lines = [f"{name}: {value}" for name, value in said if value]
    if body.get_content_subtype() == "html":
        tree = tree_of(text)
        quotes = tree.find(".//blockquote") is not None
        text = "\n".join(tree.itertext())
        whole = Element("body")
        SubElement(whole, "h1").text = subject
        for line in lines:
            SubElement(whole, "p").text = line
        tree.tag = "div"
        whole.append(tree)
        page = page_of(whole)
    else:
        quotes = False
        above = [text_draft(BlockKind.PARAGRAPH, line) for line in lines]
        page = text_page(text, [text_draft(BlockKind.HEADING, subject, 1), *above])
    return replace(
        page, doubts=(*page.doubts, *([_EARLIER] if quotes or _QUOTES.search(text) else []))
    )


def _attached(part: MIMEPart, body: MIMEPart, *, is_form: bool = False) -> Iterator[MIMEPart]:
    """Yield what is neither the text, nor its plain form, nor a picture in it."""
    is_file = part.get_content_disposition() == "attachment"
    if part.get_content_maintype() == "multipart":
        is_form = part.get_content_type() == "multipart/alternative" and body in part.walk()
        for below in part.iter_parts():
            yield from _attached(below, body, is_form=is_form)
    elif is_file or not (
        part is body
        or (is_form and part.get_content_type() == "text/plain")
        or (part.get_content_maintype() == "image" and "content-id" in part)
    ):
        yield part


def _unread(parts: list[MIMEPart]) -> Doubt:
    names = [clean_line(part.get_filename() or part.get_content_type()) for part in parts]
    return Doubt(
        "part_unread",
        f"The e-mail has {len(names)} attachments that are not read: "
        f"{', '.join(names)[:_MOST_CHARS]}. Upload those that hold guidance as files of their own.",
    )
