"""Find passages that may limit an answer: those of its sections and of the sections next to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Q

from chat.types import DraftClaim
from core.language.en.medicines.doses import says_of_dose
from core.language.en.statements.limits import Limit, is_limiting_heading, limit_of
from core.language.en.statements.topics import topic_words
from core.language.gloss import gloss
from corpus.models import Chunk
from retrieval.types import Hit, Span

REACH = 4  # passages read on either side of a quoted one
_NAME_WORDS = 2  # of a section's heading that distinguish it from others
_CONTRA = re.compile(r"\bcontra-?indicat", re.IGNORECASE)

Section = tuple[str, ...]


def adjacent_passages(claims: Sequence[DraftClaim], passages: Sequence[Hit]) -> list[Hit]:
    """Return the passages of the claims' sections and of limiting sections next to them.

    Runs one query, and up to two more for each section whose claim gives a dose and has no
    contraindications near it. Disabled passages are left out.
    """
    own = list({hit.key: hit for claim in claims for hit in hits_of(claim)}.values())
    known = {hit.key: hit for hit in (*passages, *own)}
    reached = Q()
    for hit in own:
        reached |= Q(document=hit.document_id, index__range=(hit.index - REACH, hit.index + REACH))
    rows = list(Chunk.objects.filter(reached, disabled_at=None).order_by("document", "index"))
    by_key: dict[str, Hit] = {}
    for hit in own:
        near = [row for row in rows if row.document_id == hit.document_id]
        paths = [tuple(row.section_path) for row in near]
        sections = _sections(paths, hit.section_path, hit.language)
        for row in near:
            text = gloss(row.text, row.language or hit.language)
            if tuple(row.section_path) in sections or forbids_by_name(text, hit.in_english):
                by_key[row.key] = known.get(row.key) or hit_of(row, hit)
    dosed = {
        (hit.document_id, hit.section_path[:-1], len(hit.section_path)): hit
        for claim in claims
        if says_of_dose(claim.in_english.text)
        for hit in hits_of(claim)
    }
    for hit in dosed.values():
        if any(adjacent_limits(each, hit) for each in by_key.values()):
            continue  # contraindications were found nearby
        for row in _only_sibling_limits(hit):
            by_key.setdefault(row.key, known.get(row.key) or hit_of(row, hit))
    return sorted(by_key.values(), key=lambda hit: (hit.document_id, hit.index))


def _only_sibling_limits(hit: Hit) -> list[Chunk]:
    """Return the passages of the only section on contraindications with the same parent heading.

    Empty if there are several, since each may be about another medicine. Runs one or two queries.
    """
    rows = Chunk.objects.filter(document=hit.document_id, disabled_at=None).order_by("index")
    level = rows.filter(section_path__len=len(hit.section_path)).values_list("pk", "section_path")
    own, language = hit.section_path, hit.language
    path_of = {
        pk: tuple(path) for pk, path in level if _is_sibling_limit(tuple(path), own, language)
    }
    return list(rows.filter(pk__in=path_of)) if len(set(path_of.values())) == 1 else []


def _is_sibling_limit(path: Section, own: Section, language: str) -> bool:
    """Tell whether a section is about contraindications and has the same parent as `own`."""
    if path == own or path[:-1] != own[:-1]:
        return False
    return bool(path and _CONTRA.search(gloss(path[-1], language)))


def forbids_by_name(text: str, hit: Hit) -> bool:
    """Tell whether a text forbids something by the name of a passage's section.

    `Do not give pharmacological prophylaxis ...`, before the section `Pharmacological prophylaxis`.
    """
    name = topic_words(hit.section_path[-1]) if hit.section_path else frozenset()
    if len(name) < _NAME_WORDS or limit_of(text) is not Limit.CONTRAINDICATION:
        return False
    return name <= topic_words(text)


def _sections(paths: Sequence[Section], own: Section, language: str) -> set[Section]:
    """Return `own` and the sections directly before and after it whose headings limit."""
    runs = [path for at, path in enumerate(paths) if at == 0 or paths[at - 1] != path]
    wanted = {own}
    for steps in (runs, runs[::-1]):
        at = max((place for place, path in enumerate(steps) if path == own), default=len(steps))
        for path in steps[at + 1 :]:
            if not is_limiting(tuple(gloss(part, language) for part in path[-1:])):
                break
            wanted.add(path)
    return wanted


def hit_of(row: Chunk, base: Hit) -> Hit:
    """Build a hit for a chunk of the same document as `base`; its scores are 0."""
    offset, spans = 0, []
    for page, start, end in row.spans:
        spans.append(Span(page=page, start=start, end=end, offset=offset))
        offset += end - start + 1
    return replace(
        base,
        chunk_id=row.pk,
        key=row.key,
        index=row.index,
        page=row.page,
        position=row.position,
        language=row.language or base.language,
        text=row.text,
        context=row.context,
        spans=tuple(spans),
        section_path=tuple(row.section_path),
        also_in=(),
        cosine=0.0,
        coverage=0.0,
        score=0.0,
    )


def hits_of(claim: DraftClaim) -> list[Hit]:
    """Return the passages that a claim cites, each once, in order."""
    return list({quote.hit.key: quote.hit for quote in claim.quotes}.values())


def is_limiting(section: Section) -> bool:
    return bool(section) and is_limiting_heading(section[-1])


def adjacent_limits(hit: Hit, other: Hit) -> bool:
    """Tell whether a passage is on contraindications next to another's section, in one document."""
    is_same = hit.document_id == other.document_id
    return is_same and _is_sibling_limit(hit.section_path, other.section_path, hit.language)
