"""The passages in which an answer's limits may stand: of its own section and of those beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from django.db.models import Q

from chat.caveats.limits import Limit, is_limiting_heading, limit_of
from chat.caveats.topics import topic_words
from chat.reader.agreement import says_of_dose
from chat.types import DraftClaim
from corpus.models import Chunk
from retrieval.types import Hit, Span

REACH = 4  # passages on either side of a quoted one that are read
_NAME_WORDS = 2  # of a section's heading that tell it from others
_CONTRA = re.compile(r"\bcontra-?indicat", re.IGNORECASE)

Section = tuple[str, ...]


def passages_beside(claims: Sequence[DraftClaim], passages: Sequence[Hit]) -> list[Hit]:
    """Return the passages of the claims' sections and of limiting ones next to them.

    One query. A passage that staff took out of the search is not read.
    """
    own = list({hit.key: hit for claim in claims for hit in hits_of(claim)}.values())
    known = {hit.key: hit for hit in (*passages, *own)}
    reached = Q()
    for hit in own:
        reached |= Q(document=hit.document_id, index__range=(hit.index - REACH, hit.index + REACH))
    rows = list(Chunk.objects.filter(reached, disabled_at=None).order_by("document", "index"))
    found: dict[str, Hit] = {}
    for hit in own:
        near = [row for row in rows if row.document_id == hit.document_id]
        sections = _sections([tuple(row.section_path) for row in near], hit.section_path)
        for row in near:
            if tuple(row.section_path) in sections or forbids_by_name(row.text, hit):
                found[row.key] = known.get(row.key) or _hit_of(row, hit)
    dosed = {
        (hit.document_id, hit.section_path[:-1], len(hit.section_path)): hit
        for claim in claims
        if says_of_dose(claim.text)
        for hit in hits_of(claim)
    }
    for hit in dosed.values():
        if any(limits_beside(each, hit) for each in found.values()):
            continue  # it stands near
        for row in _only_limits_beside(hit):
            found.setdefault(row.key, known.get(row.key) or _hit_of(row, hit))
    return sorted(found.values(), key=lambda hit: (hit.document_id, hit.index))


def _only_limits_beside(hit: Hit) -> list[Chunk]:
    """Return the passages of the one section with a limiting heading under the heading of a
    passage's own, wherever it stands; of several, each may be of another medicine. A query, and one
    where it is.
    """
    rows = Chunk.objects.filter(document=hit.document_id, disabled_at=None).order_by("index")
    level = rows.filter(section_path__len=len(hit.section_path)).values_list("pk", "section_path")
    found = {pk: tuple(path) for pk, path in level if _is_beside(tuple(path), hit.section_path)}
    return list(rows.filter(pk__in=found)) if len(set(found.values())) == 1 else []


def _is_beside(path: Section, own: Section) -> bool:
    """Tell whether a section is of contraindications and has the parent of one's own."""
    return path != own and path[:-1] == own[:-1] and bool(path and _CONTRA.search(path[-1]))


def forbids_by_name(text: str, hit: Hit) -> bool:
    """Tell whether something is forbidden by the name of the section in which a claim stands.

    `Do not give pharmacological prophylaxis ...`, before the section `Pharmacological prophylaxis`.
    """
    name = topic_words(hit.section_path[-1]) if hit.section_path else frozenset()
    if len(name) < _NAME_WORDS or limit_of(text) is not Limit.CONTRAINDICATION:
        return False
    return name <= topic_words(text)


def _sections(paths: Sequence[Section], own: Section) -> set[Section]:
    """One's own, and those directly before and after it whose headings limit."""
    runs = [path for at, path in enumerate(paths) if at == 0 or paths[at - 1] != path]
    wanted = {own}
    for steps in (runs, runs[::-1]):
        at = max((place for place, path in enumerate(steps) if path == own), default=len(steps))
        for path in steps[at + 1 :]:
            if not is_limiting(path):
                break
            wanted.add(path)
    return wanted


def _hit_of(row: Chunk, base: Hit) -> Hit:
    """Return a passage beside one that was found, of the same document; it was not ranked."""
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
    """Return each passage that a claim cites once, in order."""
    return list({quote.hit.key: quote.hit for quote in claim.quotes}.values())


def is_limiting(section: Section) -> bool:
    return bool(section) and is_limiting_heading(section[-1])


def limits_beside(one: Hit, other: Hit) -> bool:
    """Tell whether a passage is of contraindications beside the section of another, in one file."""
    is_same = one.document_id == other.document_id
    return is_same and _is_beside(one.section_path, other.section_path)
