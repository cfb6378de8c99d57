"""Build the sample guidelines and their manifest from `samples/content/`, byte by byte the same."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

from samples.renderers import html, markdown, pdf, scan, word
from samples.renderers.source import LICENCE, Guideline, Meta, read_guideline

ROOT = Path(__file__).resolve().parent
RENDERERS: dict[str, Callable[[Guideline], bytes]] = {
    ".pdf": pdf.render,
    ".docx": word.render,
    ".html": html.render,
    ".md": markdown.render,
}


def main() -> None:
    guidelines = [read_guideline(path) for path in sorted((ROOT / "content").glob("*.txt"))]
    for guideline in guidelines:
        target = ROOT / "guidelines" / guideline.meta.file
        target.write_bytes(_renderer(guideline.meta)(guideline))
        print(f"{target.stat().st_size:>8} bytes  {guideline.meta.file}")
    manifest = {
        "collections": _collections(),
        "documents": [_entry(item.meta) for item in guidelines],
    }
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (ROOT / "manifest.json").write_text(text, encoding="utf-8")


def _renderer(meta: Meta) -> Callable[[Guideline], bytes]:
    return scan.render if meta.layout == "scan" else RENDERERS[Path(meta.file).suffix]


def _collections() -> list[dict[str, str]]:
    collections: list[dict[str, str]] = tomllib.loads(
        (ROOT / "content" / "collections.toml").read_text()
    )["collections"]
    return collections


def _entry(meta: Meta) -> dict[str, str | None]:
    return {
        "file": meta.file,
        "title": meta.title,
        "collection": meta.collection,
        "issuer": meta.issuer,
        "version": meta.version,
        "lifecycle": meta.lifecycle,
        "effective_from": meta.effective_from.isoformat(),
        "review_by": meta.review_by.isoformat(),
        "supersedes": meta.supersedes or None,
        "population": meta.population,
        "specialty": meta.specialty,
        "authority": meta.authority,
        "language": "en",
        "licence": LICENCE,
        "source_url": "",
        "withdrawn_reason": meta.withdrawn_reason,
    }


if __name__ == "__main__":
    main()
