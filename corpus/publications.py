"""The numbers that a document is known by as a publication: PubMed's, and its DOI."""

from __future__ import annotations

import re

from corpus import files
from corpus.models import Document
from corpus.parsing import sniff
from corpus.parsing.published import jats, pubmed
from corpus.parsing.types import ParseError

_READERS = {sniff.PUBMED: pubmed.READER, sniff.JATS: jats.READER}
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID_ADDRESS = re.compile(
    r"(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/(\d{1,12})\b"
)


def pmid_named(text: str) -> str:
    """Return `pmid:123` for PubMed's number; empty for what is none, 0 among it."""
    digits = text.strip().lstrip("0")
    return f"pmid:{digits}" if digits.isdecimal() and len(digits) <= 12 else ""


def doi_named(text: str) -> str:
    """Return `doi:10.1000/x` for the first DOI in a text, in small letters; empty where there is
    none.
    """
    found = _DOI.search(text)
    return f"doi:{found.group().lower().rstrip('.,;')}" if found else ""


def publication_numbers(document: Document) -> frozenset[str]:
    """Return those that its address names, and of a record of PubMed or JATS those that its file
    does.

    Reads its file; of one that is gone, or that can't be read any more, the address counts alone.
    """
    in_address = _PMID_ADDRESS.search(document.source_url)
    found = {doi_named(document.source_url), pmid_named(in_address.group(1) if in_address else "")}
    if reader := _READERS.get(document.media_type):
        try:
            facts = reader.inspect(files.document_path(document.sha256).read_bytes())
        except (OSError, ParseError):
            facts = {}
        found |= {doi_named(facts.get("doi", "")), pmid_named(facts.get("pmid", ""))}
    return frozenset(found - {""})
