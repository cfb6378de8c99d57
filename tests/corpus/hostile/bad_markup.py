"""Make XML, HTML, Markdown and plain text, each wrong in one way."""

from collections.abc import Callable

from tests.corpus.hostile.bad_office import EXTERNAL, LAUGHS

Make = Callable[[], bytes]

MEDQUAD = b"""<?xml version="1.0" encoding="UTF-8"?>
<Document id="0000001" source="Invented" url="https://example.org/1">
<Focus>Anaemia</Focus>
<QAPairs><QAPair pid="1"><Question qid="1-1" qtype="information">What is anaemia?</Question>
<Answer>Anaemia means too little haemoglobin. Ask for a blood count.</Answer></QAPair></QAPairs>
</Document>
"""


def medquad(answer: bytes, *, prologue: bytes = b"") -> bytes:
    return (
        prologue + b"<Document source='x'><Focus>Anaemia</Focus><QAPairs><QAPair>"
        b"<Question qtype='information'>What?</Question><Answer>" + answer + b"</Answer>"
        b"</QAPair></QAPairs></Document>"
    )


def html(body: bytes, *, head: bytes = b"<meta charset=utf-8>") -> bytes:
    return b"<!DOCTYPE html><html><head>%s</head><body>%s</body></html>" % (head, body)


SAID = b"<p>Give ten milligrams of the drug once daily.</p>"
DEEP = "parsed too_deep file_corrupt"
# Name, allowed outcomes, and function that makes the file.
CRAFTED: list[tuple[str, str, Make]] = [
    ("xml-laughs.xml", "xml_entities", lambda: medquad(b"&j;", prologue=LAUGHS)),
    ("xml-external.xml", "xml_entities", lambda: medquad(b"&j;", prologue=EXTERNAL)),
    ("xml-external-dtd.xml", "xml_entities parsed",
     lambda: medquad(b"x y", prologue=b"<!DOCTYPE d SYSTEM 'http://192.0.2.1/d.dtd'>")),
    (
        "xml-quadratic.xml",
        "xml_entities",
        lambda: medquad(
            b"&a;" * 50_000, prologue=b"<!DOCTYPE d [<!ENTITY a '" + b"a" * 50_000 + b"'>]>"
        ),
    ),
    ("xml-deep.xml", "xml_deep", lambda: medquad(b"<a>" * 100_000 + b"</a>" * 100_000)),
    ("xml-unknown.xml", "xml_unknown", lambda: b"<Invoice><Total>1</Total></Invoice>"),
    ("xml-no-pairs.xml", "no_text parsed", lambda: b"<Document><QAPairs/></Document>"),
    ("xml-null.xml", "xml_corrupt type_mismatch", lambda: medquad(b"a\x00b")),
    ("xml-bad-utf8.xml", "xml_corrupt", lambda: medquad(b"a\xff\xfe\xc0b")),
    ("xml-surrogate.xml", "xml_corrupt", lambda: medquad(b"a&#xD800;b")),
    ("xml-wrong-encoding.xml", "xml_corrupt",
     lambda: medquad(b"x", prologue=b"<?xml version='1.0' encoding='utf-16'?>")),
    ("xml-odd-encoding.xml", "xml_corrupt",
     lambda: medquad(b"x", prologue=b"<?xml version='1.0' encoding='rot13'?>")),
    ("xml-long-attribute.xml", "parsed", lambda: medquad(b"Some.<a b='" + b"c" * 2**21 + b"'/>")),
    ("xml-many-attributes.xml", "parsed",
     lambda: medquad(b"Some. <a %s/>" % b" ".join(b"a%d=''" % n for n in range(50_000)))),
    ("html-deep.html", DEEP, lambda: html(b"<div>" * 100_000 + SAID)),
    ("html-deep-inline.html", DEEP, lambda: html(b"<b><i>" * 20_000 + b"Text")),
    ("html-deep-lists.html", DEEP, lambda: html(b"<ul><li>x" * 20_000)),
    ("html-deep-tables.html", DEEP, lambda: html(b"<table><tr><td>x" * 3_000)),
    ("html-wide-cell.html", "parsed table_too_wide",
     lambda: html(b"<table><tr><td colspan=999999999 rowspan=999999999>x</td></tr></table>")),
    ("html-wide-row.html", "parsed table_too_wide",
     lambda: html(b"<table><tr>" + b"<td>x" * 20_000 + b"</tr></table>")),
    ("html-spanning-rows.html", "table_too_large",
     lambda: html(b"<table>" + b"<tr><td rowspan=900 colspan=900>x</td></tr>" * 900)),
    ("html-200000-cells.html", "table_too_large",
     lambda: html((b"<table>" + b"<tr><td>x<td>y" * 20_000 + b"</table>") * 5)),
    ("html-100000-cells.html", "parsed",
     lambda: html((b"<table>" + b"<tr><td>x<td>y" * 10_000 + b"</table>") * 5)),
    ("html-only-script.html", "no_text", lambda: html(b"<script>alert(1)</script>")),
    ("html-hidden.html", "no_text", lambda: html(b"<div style='display:none'>" + SAID + b"</div>")),
    ("html-null.html", "parsed type_mismatch", lambda: html(b"<p>Give\x00 ten.</p>")),
    ("html-surrogates.html", "parsed", lambda: html(b"<p>a &#xD800; b &#xDFFF; &#x110000;</p>")),
    ("html-bad-utf8.html", "parsed", lambda: html(b"<p>Give \xff\xc0\xed\xa0\x80 ten.</p>")),
    *(
        (
            f"html-charset-{name}.html",
            "parsed type_mismatch",
            lambda name=name: html(SAID + b"\xff", head=b"<meta charset=%s>" % name.encode()),
        )
        for name in ("utf-16", "punycode", "idna", "unicode_escape", "zlib", "undefined", "rot13")
    ),
    ("html-open-tag.html", "parsed no_text", lambda: b"<html><p " + b"a=b " * 200_000),
    ("html-open-comment.html", "parsed no_text", lambda: b"<html>" + b"<!-- " * 6_000),
    ("html-many-tags.html", "parsed", lambda: html(b"<p>x</p>" * 5_000)),
    ("html-entity-flood.html", "parsed", lambda: html(b"<p>" + b"&amp;" * 200_000 + b"</p>")),
    ("html-fetches.html", "parsed",
     lambda: html(b"<img src='file:///etc/passwd'><img src='http://192.0.2.1/a'>" + SAID)),
    ("html-definitions.html", DEEP, lambda: html(b"<dl><dt>a<dd>" * 2_000 + b"x")),
    ("md-quotes.md", DEEP, lambda: b"> " * 2_000 + b"text\n"),
    ("md-lists.md", DEEP, lambda: b"".join(b"  " * n + b"- x\n" for n in range(700))),
    ("md-brackets.md", DEEP, lambda: b"[" * 20_000 + b"text\n"),
    ("md-links.md", "parsed parser_timeout", lambda: b"[a](" * 2_500 + b"\n"),
    ("md-stars.md", "parsed", lambda: b"*a **b " * 8_000 + b"\n"),
    ("md-stars-closed.md", DEEP, lambda: b"**a *b " * 600 + b"* **" * 600 + b"\n"),
    ("md-backticks.md", "parsed", lambda: b"".join(b"`" * n + b"a" for n in range(350)) + b"\n"),
    ("md-escapes.md", "parsed", lambda: b"\\" * 50_000 + b"a\n"),
    ("md-wide-table.md", "parsed table_too_wide",
     lambda: b"|a" * 3_000 + b"|\n" + b"|-" * 3_000 + b"|\n" + b"|b" * 3_000 + b"|\n"),
    ("md-long-line.md", "parsed", lambda: b"word " * 200_000 + b"\n"),
    ("md-many-lines.md", "parsed", lambda: b"# x\n\ny\n\n" * 2_000),
    ("md-references.md", "parsed",
     lambda: b"".join(b"[a%d]: b\n" % n for n in range(1_500)) + b"Text\n"),
    ("md-null.md", "parsed type_mismatch", lambda: b"# Dose\n\nGive\x00 ten.\n"),
    ("md-html-inside.md", DEEP, lambda: b"# Dose\n\n" + b"<div>" * 20_000 + b"\n\nGive ten.\n"),
    ("txt-bom-only.txt", "empty_file no_text", lambda: b"\xef\xbb\xbf"),
    ("txt-invisible.txt", "no_text", lambda: "\u200b\u2060\ufeff\u00ad \n".encode() * 50),
    ("txt-bad-utf8.txt", "parsed", lambda: b"Give \xc0\xff\xfe ten \xed\xa0\x80 milligrams.\n"),
    ("txt-odd-utf16.txt", "parsed", lambda: "\ufeffGive ten.".encode("utf-16-le") + b"x"),
    ("txt-lone-utf16.txt", "parsed", lambda: b"\xff\xfe\x00\xd8G\x00i\x00v\x00e\x00"),
    ("txt-nulls-within.txt", "parsed type_mismatch", lambda: b"Give\x00ten\x00mg" * 9),
    ("txt-nulls-late.txt", "parsed", lambda: b"Give ten. " * 1_000 + b"\x00" * 9_000),
    ("txt-long-line.txt", "parsed", lambda: b"word " * 800_000),
    ("txt-one-word.txt", "parsed", lambda: b"x" * 3_000_000),
    ("txt-blank-lines.txt", "parsed", lambda: b"\n" * 1_000_000 + b"Give ten.\n"),
    ("txt-many-lines.txt", "parsed", lambda: b"Give ten.\n" * 30_000),
    ("txt-many-items.txt", "parsed", lambda: b"- Give ten.\n\n" * 30_000),
    ("txt-blanks-in-line.txt", "parsed", lambda: b"a" + b"\t \t" * 300_000 + b"b\n"),
]  # fmt: skip
