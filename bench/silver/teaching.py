"""Have a teacher write or split claims and label them, and continue the file of what it said."""

from __future__ import annotations

import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from django.conf import settings

from bench.silver.material import Row
from chat.errors import VerifierUnavailable
from chat.evidence.judgements import Evidence, Label, Pair
from chat.question.guard import question_guarded
from chat.verification.claim_texts import SPLIT, model_texts
from chat.verification.entailment import judge
from core.errors import MedragError
from core.llm.client import Endpoint
from core.llm.failover import NoneAnswered
from core.llm.prompt_files import Prompt
from core.progress import Progress

WRITE = Prompt(
    Path(__file__).with_name("prompts") / "write_claims_v1.txt",
    frozenset({"heading", "before", "statement", "after"}),
)
PROMPTS = (WRITE, SPLIT, judge.PROMPT)
FILE = "silver.jsonl"
FAILURES = 3  # in a row, then the teacher is away
CALL_S = 120.0


class SilverError(MedragError):
    """The teacher is away, or the file can't be continued."""


def silver_write(
    materials: Iterable[Row], out: Path, *, limit: int, twice: bool, with_questions: bool
) -> list[Row]:
    """Ask [teacher] about up to `limit` materials that the file lacks, and return all its rows.

    An unusable answer is kept as a row without claims, so that nothing is asked twice; a call
    without an answer leaves its material for the next time. What seems to identify a patient is
    left out. Raises SilverError after `FAILURES` in a row, and for a file that was made otherwise.
    """
    teacher = settings.MODELS.teacher
    made = " ".join([teacher.model, *(p.identity for p in PROMPTS), f"{twice} {with_questions}"])
    out.mkdir(parents=True, exist_ok=True)
    with (out / FILE).open("a+b") as stream, Progress("  Asking", limit, "rows") as progress:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stream.seek(0)
            whole, newline, _ = stream.read().rpartition(b"\n")  # a line cut off by a kill goes
            rows: list[Row] = [json.loads(line) for line in whole.splitlines()]
            if any(row["by"] != made for row in rows):
                raise ValueError("by another teacher or prompt, or with other options")
        except (OSError, ValueError, KeyError, TypeError) as error:
            why = f"{out / FILE} can't be continued ({type(error).__name__}: {error})."
            raise SilverError(why, hint="It is as it was. Name another folder.") from error
        stream.truncate(len(whole + newline))
        known, failed = {row["id"] for row in rows}, 0
        for material in islice((m for m in materials if _may_be_sent(m, known)), limit):
            asked, answer = material.pop("question", ""), material.pop("answer", "")
            question = asked if with_questions else ""
            try:
                row = material | _taught(material, answer, question, teacher, twice=twice)
            except (NoneAnswered, VerifierUnavailable) as error:
                cause = error.__cause__ if isinstance(error, VerifierUnavailable) else error
                is_away = isinstance(cause, NoneAnswered) and not cause.answered
                failed += is_away
                if failed == FAILURES:
                    why = f"The teacher {error.what}, {FAILURES} times in a row."
                    raise SilverError(f"{why} What was written is kept.") from error
                if is_away:
                    continue
                row = material | {"true": [], "false": [], "questions": [], "labels": []}
            failed = 0
            rows.append(row | {"by": made})
            stream.write(f"{json.dumps(rows[-1], ensure_ascii=False)}\n".encode())
            stream.flush()
            os.fsync(stream.fileno())
            progress.step()
    return rows


def _may_be_sent(material: Row, known: set[str]) -> bool:
    told = (material.get("answer", ""), material.get("question", ""))
    is_new = material["id"] not in known and len(material["statement"]) <= judge.EVIDENCE_CHARS
    return is_new and not any(question_guarded(text, "block").is_blocked for text in told)


def _taught(row: Row, answer: str, question: str, teacher: Endpoint, *, twice: bool) -> Row:
    """Return claims by label, without those that two runs label otherwise, and all labels."""
    heading = "\n".join(filter(None, (row["title"], row["heading"])))
    if answer:
        prompt = SPLIT.filled(question=question or "(not told)", answer=answer)
        claims, asked = *_texts(prompt, teacher, "claims"), (question,) * bool(question)
    else:
        around = {key: "\n".join(row[key]) for key in ("before", "after")}
        prompt = WRITE.filled(heading=heading, statement=row["statement"], **around)
        claims, asked = _texts(prompt, teacher, "claims", "questions")
    evidence = Evidence((row["statement"],), heading)
    runs = [_labels([Pair(claim, evidence) for claim in claims], teacher)]
    if twice:
        runs.append(_labels([Pair(claim, evidence) for claim in claims[::-1]], teacher)[::-1])
    labels = list(zip(*runs, strict=True))
    kept = [(c, said[0]) for c, said in zip(claims, labels, strict=True) if len({*said}) == 1]
    return {
        "true": [claim for claim, label in kept if label == Label.SUPPORTED],
        "false": [
            {"kind": "answer" if answer else "written", "label": label, "text": claim}
            for claim, label in kept
            if label != Label.SUPPORTED
        ],
        "questions": [{"style": "asked", "text": text} for text in asked],
        "labels": labels,
    }


def _texts(prompt: str, teacher: Endpoint, *names: str) -> tuple[tuple[str, ...], ...]:
    return model_texts(prompt, *names, endpoint=teacher, use="teacher", timeout_s=CALL_S)


def _labels(pairs: Sequence[Pair], teacher: Endpoint) -> list[str]:
    judging = judge.LanguageModelJudge([teacher], call_timeout_s=CALL_S)
    return [each.label.value for each in judging.judge(pairs, timeout_s=CALL_S * len(pairs))]


def report_lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield counts, and how far two runs agree by Cohen's kappa (1960); no text."""
    said = [labels for row in rows for labels in row["labels"]]
    counts = Counter(each["label"] for row in rows for each in row["false"])
    counts["supported"] = sum(len(row["true"]) for row in rows)
    kept = ", ".join(f"{counts[label.value]} {label.value}" for label in Label)
    yield f"{counts.total()} of {len(said)} claims kept ({kept}), on {len(rows)} rows"
    yield f"rows without a claim: {sum(not row['labels'] for row in rows)}"
    if n := sum(len(each) == 2 for each in said):
        first, second = (Counter(column) for column in zip(*said, strict=True))
        share = sum(one == other for one, other in said) / n
        chance = sum(first[label] * second[label] for label in first) / n**2
        kappa = f"{(share - chance) / (1 - chance):.2f}" if chance < 1 else "undefined"
        yield f"two runs agree on {share:.1%} of {n} claims, kappa {kappa}"
