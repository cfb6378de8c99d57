"""A semantic HTML page with captioned tables."""

from collections.abc import Iterator
from html import escape

from samples.renderers import source
from samples.renderers.source import BANNER, Guideline

STYLE = """
body {
  font: 1rem/1.5 system-ui, sans-serif; color: #1d2a35; background: #fff;
  max-width: 48rem; margin: 0 auto; padding: 1rem;
}
header { border-top: 0.8rem solid #00566b; } h1, h2 { color: #00566b; }
.banner { color: #9c1f1f; font-weight: bold; }
aside { background: #e6f1f3; border-left: 4px solid #00566b; padding: 0.5rem 1rem; }
table { border-collapse: collapse; width: 100%; }
caption { font-weight: bold; text-align: left; padding: 0.5rem 0; }
th, td { border: 1px solid #b9c3cc; padding: 0.3rem 0.6rem; text-align: left; }
thead th { background: #00566b; color: #fff; }
.note { font-size: 0.85rem; color: #5b6875; margin: 0.2rem 0; }
"""


def render(guideline: Guideline) -> bytes:
    meta = guideline.meta
    facts = "\n".join(
        f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in meta.facts
    )
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en-GB">',
        f'<head>\n<meta charset="utf-8">\n<title>{escape(meta.title)}</title>',
        f"<style>{STYLE}</style>\n</head>",
        "<body>",
        f'<header>\n<p>{escape(meta.organisation)}</p>\n<p class="banner">{BANNER}</p>\n</header>',
        f"<main>\n<h1>{escape(meta.title)}</h1>\n<dl>\n{facts}\n</dl>",
        *(line for block in guideline.blocks for line in _block_lines(block)),
        "</main>",
        f'<footer>\n<p class="banner">{BANNER}</p>\n</footer>\n</body>\n</html>',
    ]
    return ("\n".join(lines) + "\n").encode()


def _block_lines(block: source.Block) -> Iterator[str]:
    match block:
        case source.Heading(level=level, text=text):
            yield f"<h{level + 1}>{_markup(text)}</h{level + 1}>"
        case source.Paragraph(text=text):
            yield f"<p>{_markup(text)}</p>"
        case source.Callout(text=text):
            yield f"<aside><p>{_markup(text)}</p></aside>"
        case source.Items(texts=texts, ordered=ordered):
            tag = "ol" if ordered else "ul"
            yield f"<{tag}>"
            yield from (f"<li>{_markup(text)}</li>" for text in texts)
            yield f"</{tag}>"
        case source.Table():
            yield from _table_lines(block)
        case source.PageBreak():
            yield "<hr>"


def _table_lines(table: source.Table) -> Iterator[str]:
    head, *body = table.rows
    yield f"<table>\n<caption>{_markup(table.caption)}</caption>"
    yield (
        "<thead>\n<tr>"
        + "".join(f'<th scope="col">{_markup(cell)}</th>' for cell in head)
        + "</tr>\n</thead>\n<tbody>"
    )
    for first, *rest in body:
        yield (
            f'<tr><th scope="row">{_markup(first)}</th>'
            + "".join(f"<td>{_markup(cell)}</td>" for cell in rest)
            + "</tr>"
        )
    yield "</tbody>\n</table>"
    yield from (f'<p class="note">{_markup(note)}</p>' for note in table.notes)


def _markup(text: str) -> str:
    tags = {"plain": "{}", "bold": "<strong>{}</strong>", "mark": "<sup>{}</sup>"}
    return "".join(
        tags[kind].format(escape(part, quote=False)) for kind, part in source.inline_runs(text)
    )
