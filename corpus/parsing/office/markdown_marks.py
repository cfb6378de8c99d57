"""Turn marks of Markdown's common extensions into what CommonMark has, and keep formulas. Pure.

Extensions: MkDocs Material, MyST, Docusaurus, MDX, Pandoc, CriticMarkup, Obsidian, GitHub's alerts.
A tab or box becomes `details`, whose name is a heading; its indented text is text. An asterisk
between figures, letters and brackets multiplies, and is kept as printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from corpus.parsing.clean import UNREADABLE
from corpus.parsing.published.xml_text import HIDDEN, UNKNOWN_SIGN

_BOX = re.compile(
    r"(?P<indent> *)(?:!!!|\?\?\?\+?|===[!+]?)(?: +(?P<kind>[\w-]+)[\w -]*?)?"
    r"(?: *[\"“](?P<title>.*)[\"”])? *$"
)
_FENCE = re.compile(
    r"(?P<indent> *)(?P<fence>:{3,}|`{3,}|~{3,}) *(?:\{?[. ]*(?P<kind>[\w-]+)[^}\n]*?\}?)?"
    r"(?:\[(?P<square>[^\]]*)\]| +(?P<title>[^{}]*?))? *$"
)
_OPTION = re.compile(r" *:[\w-]+:")
_KINDS = frozenset(
    "note warning danger tip important caution hint attention error seealso admonition dropdown "
    "tab tab-item details info success question failure bug example quote abstract summary".split()
)
_INCLUDED = re.compile(r"^ *(?:--8<--.*|\{%.*%\}|!\[\[.*\]\]) *$")
_TOC = re.compile(r"^ *\[+_?toc_?\]+ *$", re.I)
_ALERT = re.compile(r"^( *>[> ]*)\[!(\w+)\] *$")
_ABBREVIATION = re.compile(r"^ *\*\[([^\]]+)\]: *(.*)$")
_NOTE = re.compile(r"^ {0,3}\[\^(\d+)\]: *(.*)$")
# Parts of a line that are no text: code, places of links, tags.
_OPAQUE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\]\([^)\s]*|<[/!a-z][^>]*>|https?://\S+", re.I)
_ATTRIBUTE = r"(?:[.#][\w-]+|[\w-]+=(?:\"[^\"]*\"|[^\s}]+))"
_MARKS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\{--(.*?)--\}"), r"<del>\1</del>"),
    (re.compile(r"\{~~(.*?)~>(.*?)~~\}"), r"<del>\1</del>\2"),
    (re.compile(r"\{(\+\+|==)(.*?)\1\}"), r"\2"),
    (re.compile(r"\{>>.*?<<\}|%%.*?%%|!\[\[.*?\]\]"), HIDDEN),
    (re.compile(r"\[([^\[\]]*)\]\{\.(?:strikeout|strike|del|line-through)\}"), r"<del>\1</del>"),
    (re.compile(r"(?<![~\w)])~(?=[^\s~])([^~]+?)(?<=\S)~(?![~\w])"), r"<del>\1</del>"),
    (re.compile(r"\{\{.*?\}\}"), UNREADABLE + UNKNOWN_SIGN),
    (re.compile(rf"\{{:?\s*{_ATTRIBUTE}(?:\s+{_ATTRIBUTE})*\s*\}}"), ""),
    (re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*[a-z0-9]:(?![\w:]) ?"), ""),
    (re.compile(r"(?<!=)==(?=\S)([^=]+?)(?<=\S)==(?!=)"), r"\1"),
    (re.compile(r"(?<!\+)\+\+(?=\S)([^+]+?)(?<=\S)\+\+(?!\+)"), r"\1"),
    (re.compile(r"(?<!\^)\^\^(?=\S)([^^]+?)(?<=\S)\^\^(?!\^)"), r"\1"),
    (re.compile(r"(?<=[A-Za-z)])(?<!~)~(\w{1,4})~(?!~)"), r"<sub>\1</sub>"),
    (re.compile(r"(?<=[\w)])\^([-+−]?\w{1,4})\^"), r"<sup>\1</sup>"),
    (re.compile(r"\[\^(\d+)\]"), r"<sup>\1</sup>"),
    (re.compile(r"(?<=[\d)\]]) \*([\w.]+)\* (?=[\d(\[])"), r" \\*\1\\* "),
)
# Comments of Obsidian and of MDX, which may run over lines.
_COMMENTS = re.compile(r"^%%[^\S\n]*\n.*?^%%[^\S\n]*$|\{/\*.*?\*/\}", re.M | re.S)
# Tabs and boxes of MDX, which hold their name in an attribute.
_MDX = re.compile(
    r"^( *)<(TabItem|Admonition|Details|Accordion|Card|Callout)\b([^>]*)>[^\S\n]*$(.*?)^ *</\2>",
    re.M | re.S,
)
_MDX_NAME = re.compile(r"\b(?:label|title|summary)=[\"']([^\"']*)[\"']")
_MDX_KIND = re.compile(r"\b(?:type|value)=[\"']([^\"']*)[\"']")
_STARS = re.compile(r"\\.|\*+")


def plain_marks(text: str) -> str:
    """Return Markdown with the marks of extensions turned into CommonMark and HTML."""
    text = _MDX.sub(_mdx, _COMMENTS.sub(HIDDEN, text))
    return "\n".join(_plain(text.split("\n")))


def _mdx(part: re.Match[str]) -> str:
    name = _MDX_NAME.search(part[3]) or _MDX_KIND.search(part[3])
    inside = part[4].split("\n")
    return "\n".join(_panel(part[1], name[1].capitalize() if name else part[2], inside))


def _plain(lines: list[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        fence = _FENCE.match(line)
        if fence and (fence["fence"][0] == ":" or fence["kind"] or set(line.strip()) <= set("`~")):
            end = _closing(lines, at, fence["fence"])
            yield from _fenced(fence, line, lines[at:end], lines[end : end + 1])
            at = end + 1
        elif box := _BOX.match(line) if line.lstrip()[:3] in ("!!!", "???", "===") else None:
            title = box["title"]
            if title is None and not box["kind"]:
                yield line  # the line under a heading
                continue
            end = _indented(lines, at, len(box["indent"]) + 2)
            named = (box["kind"] or "").capitalize() if title is None else title
            yield from _panel(box["indent"], named, lines[at:end])
            at = end
        else:
            yield _line(line)


def _closing(lines: list[str], at: int, fence: str) -> int:
    """Return where the fence ends that opened before a line; the end of the text if nowhere."""
    for end in range(at, len(lines)):
        said = lines[end].strip()
        if len(said) >= len(fence) and not said.strip(fence[0]):
            return end
    return len(lines)


def _fenced(
    fence: re.Match[str], line: str, inside: list[str], closing: list[str]
) -> Iterator[str]:
    kind, is_code = (fence["kind"] or "").lower(), fence["fence"][0] != ":"
    if is_code and not (kind in _KINDS and "{" in line):
        is_included = "{" in line and kind == "include"
        yield from (HIDDEN,) if is_included else (line, *inside, *closing)
        return
    while inside and _OPTION.match(inside[0]):
        inside = inside[1:]
    title = fence["square"] or fence["title"] or (kind.capitalize() if kind in _KINDS else "")
    yield from _panel(fence["indent"], title, inside)


def _indented(lines: list[str], at: int, least: int) -> int:
    """Return where the lines end that are blank or indented by at least so many blanks."""
    end = at
    for place in range(at, len(lines)):
        if lines[place].strip():
            if len(lines[place]) - len(lines[place].lstrip()) < least:
                break
            end = place + 1
    return end


def _panel(indent: str, title: str, inside: list[str]) -> Iterator[str]:
    """Yield a part with a name, its text moved to the left so that it is no code."""
    deep = min((len(x) - len(x.lstrip()) for x in inside if x.strip()), default=0)
    body = [indent + line for line in _plain([line[deep:] for line in inside])]
    name = _inline(title).strip()
    if not name:
        yield from ("", *body, "")
        return
    named = f"{indent}<details><summary>{escape(name, quote=False)}</summary>"
    yield from ("", named, "", *body, "", f"{indent}</details>", "")


def _line(line: str) -> str:
    if _INCLUDED.match(line):
        return HIDDEN
    if _TOC.match(line):
        return ""
    if alert := _ALERT.match(line):
        return f"{alert[1]}{alert[2].capitalize()}:"
    if short := _ABBREVIATION.match(line):
        return f"\n{short[1]}: {short[2]}\n"
    if note := _NOTE.match(line):
        return f"\n<sup>{note[1]}</sup> {_inline(note[2])}\n"
    return _inline(line)


def _inline(line: str) -> str:
    """Return a line with marks resolved in what is text of it."""
    parts, at = [], 0
    for opaque in _OPAQUE.finditer(line):
        parts += [_text(line[at : opaque.start()], line[: opaque.end()]), opaque.group()]
        at = opaque.end()
    return "".join([*parts, _text(line[at:], line)])


def _text(text: str, line: str) -> str:
    if line.startswith(("    ", "\t")) and line.lstrip()[:1] not in "-*+0123456789":
        return _multiplied(text)
    for mark, plain in _MARKS:
        text = mark.sub(plain, text)
    return _multiplied(text)


def _multiplied(text: str) -> str:
    """Escape the asterisks that multiply, which would begin or end emphasis."""
    is_open = False

    def kept(stars: re.Match[str]) -> str:
        nonlocal is_open
        before, after = text[: stars.start()][-1:], text[stars.end() :][:1]
        inside = (before.isalnum() or before in tuple(")]}%")) and (
            after.isalnum() or after in tuple("([{")
        )
        if stars.group()[0] == "\\":
            return stars.group()
        is_value = (
            before.isdigit() or after.isdigit() or before in tuple(")]") or after in tuple("([")
        )
        if inside and (is_value or (len(stars.group()) == 1 and not is_open)):
            return "\\*" * len(stars.group())
        if len(stars.group()) == 1 and not (before.isspace() and after.isspace()):
            is_open = not is_open
        return stars.group()

    return _STARS.sub(kept, text)
