"""Write PDFs object by object, each wrong in one way."""

import io
import random
import zlib
from collections.abc import Callable
from functools import cache

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

Make = Callable[[], bytes]
Objects = dict[int, bytes]

PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
SMALL = b"[0 0 200 120]"  # in points: quick to read where a broken font leaves only the picture
WORDS = b"BT /F1 8 Tf 10 80 Td (Give ten milligrams of the drug once daily.) Tj ET"


def stream(content: bytes, extra: bytes = b"", *, packed: bytes | None = None) -> bytes:
    body = content if packed is None else packed
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(body), extra, body)


def flate(content: bytes, extra: bytes = b"") -> bytes:
    return stream(b"", b"/Filter /FlateDecode " + extra, packed=zlib.compress(content, 1))


def page(more: bytes = b"", box: bytes = SMALL, resources: bytes = b"") -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox %s /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> %s >> %s >>" % (box, resources, more)
    )


def pdf(changes: Objects | None = None, *, trailer: bytes = b"", prev: bytes = b"") -> bytes:
    """Return a PDF of one page with words, with some of its objects replaced or added."""
    objects = {1: CATALOG, 2: PAGES, 3: page(), 4: stream(WORDS), 5: FONT, **(changes or {})}
    out, offsets = bytearray(b"%PDF-1.7\n"), {}
    for number, body in sorted(objects.items()):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, offset in offsets.items():
        out += b"%d 1\n%010d 00000 n \n" % (number, offset)
    size = max(objects) + 1
    ending = b"trailer\n<< /Size %d /Root 1 0 R %s %s >>\n" % (size, trailer, prev)
    return bytes(out) + ending + b"startxref\n%d\n%%%%EOF\n" % start


def content(operators: bytes) -> bytes:
    return pdf({4: flate(operators)})


def picture(header: bytes, body: bytes = b"\x00" * 64) -> bytes:
    image = stream(body, b"/Type /XObject /Subtype /Image " + header)
    draw = stream(WORDS + b" q 90 0 0 60 50 10 cm /I Do Q")
    return pdf({3: page(resources=b"/XObject << /I 6 0 R >>"), 4: draw, 6: image})


def huge_picture() -> bytes:
    """Return a scan of 20,000 by 20,000 pixels, packed to half a megabyte, without text."""
    side = 20_000
    packer = zlib.compressobj(9)
    body = b"".join(packer.compress(b"\xff" * side) for _ in range(side)) + packer.flush()
    header = b"/Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8" % (side, side)
    image = stream(b"", b"/Subtype /Image /Filter /FlateDecode " + header, packed=body)
    resources = b"/XObject << /I 6 0 R >>"
    draw = stream(b"q 200 0 0 120 0 0 cm /I Do Q")
    return pdf({3: page(resources=resources), 4: draw, 6: image})


def font(entry: bytes, more: Objects | None = None) -> bytes:
    return pdf({5: entry, **(more or {})})


def true_type(program: bytes) -> bytes:
    descriptor = (
        b"<< /Type /FontDescriptor /FontName /Broken /Flags 4 /FontBBox [0 0 1 1] /ItalicAngle 0 "
        b"/Ascent 1 /Descent 0 /CapHeight 1 /StemV 1 /FontFile2 7 0 R >>"
    )
    entry = (
        b"<< /Type /Font /Subtype /TrueType /BaseFont /Broken /FirstChar 32 /LastChar 33 "
        b"/Widths [500 500] /FontDescriptor 6 0 R >>"
    )
    return font(entry, {6: descriptor, 7: stream(program)})


@cache
def leaflet() -> bytes:
    """Return a good PDF of two small pages with headings, tables and packed streams."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(200, 120), invariant=1, pageCompression=1)
    for title in ("1 Dose", "2 Monitoring"):
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(10, 100, title)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(10, 85, "Give ten milligrams of the drug once daily.")
        canvas.grid([10, 70, 130], [20, 35, 50])
        for number, cell in enumerate(("Weight", "Dose", "50 kg", "20 mg")):
            canvas.drawString(13 + 60 * (number % 2), 39 - 15 * (number // 2), cell)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def encrypted(*, user: str, owner: str) -> bytes:
    buffer = io.BytesIO()
    lock = StandardEncryption(user, ownerPassword=owner)
    canvas = Canvas(buffer, pagesize=(200, 120), invariant=1, encrypt=lock)
    canvas.drawString(10, 80, "Give ten milligrams of the drug once daily.")
    canvas.save()
    return buffer.getvalue()


def many_pages(count: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % (10 + number) for number in range(count))
    tree = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)
    return pdf({2: tree, **{10 + number: page() for number in range(count)}})


def deep_tree(depth: int) -> bytes:
    nodes = {
        10 + n: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (11 + n, 9 + n)
        for n in range(depth)
    }
    nodes[10 + depth - 1] = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return pdf({2: b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>", **nodes})


def doubly_packed(megabytes: int) -> bytes:
    once = zlib.compress(b" " * 2**20 * megabytes, 1)
    return pdf(
        {4: stream(b"", b"/Filter [/FlateDecode /FlateDecode]", packed=zlib.compress(once, 9))}
    )


def object_stream(megabytes: int) -> bytes:
    body = zlib.compress(b"6 0 " + b" " * 2**20 * megabytes + b"(x)", 1)
    extra = b"/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode"
    return pdf({7: stream(b"", extra, packed=body)})


def self_drawing_form() -> bytes:
    form = stream(
        b"/X Do /X Do " + WORDS,
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
        b"/Resources << /XObject << /X 6 0 R >> /Font << /F1 5 0 R >> >>",
    )
    resources = b"/XObject << /X 6 0 R >>"
    return pdf({3: page(resources=resources), 4: stream(WORDS + b" /X Do"), 6: form})


def form_fan(depth: int, width: int) -> bytes:
    """Return forms that each draw the next several times: `width ** depth` drawings."""
    forms = {}
    for n in range(depth):
        last = n == depth - 1
        body = WORDS if last else b"/X Do " * width
        extra = (
            b"/Type /XObject /Subtype /Form /BBox [0 0 200 120] "
            b"/Resources << /XObject << /X %d 0 R >> /Font << /F1 5 0 R >> >>" % (7 + n)
        )
        forms[6 + n] = stream(body, extra)
    resources = b"/XObject << /X 6 0 R >>"
    return pdf({3: page(resources=resources), 4: stream(b"/X Do"), **forms})


def outline_cycle() -> bytes:
    return pdf(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>",
            6: b"<< /Type /Outlines /First 7 0 R /Last 7 0 R /Count 2 >>",
            7: b"<< /Title (a) /Parent 7 0 R /Next 8 0 R /First 8 0 R >>",
            8: b"<< /Title (b) /Parent 7 0 R /Next 7 0 R /First 7 0 R >>",
        }
    )


def with_bad_xref() -> bytes:
    good = pdf()
    return good[: good.rindex(b"startxref")] + b"startxref\n99999999\n%%EOF\n"


def lines(count: int) -> bytes:
    drawn = b"".join(
        b"%d %d m %d %d l S\n" % (n % 150, n * 7 % 70, n % 150 + 40, n * 7 % 70)
        for n in range(count)
    )
    return content(WORDS + b"\n" + drawn)


def scattered_words(count: int) -> bytes:
    words = b"".join(
        b"BT /F1 2 Tf %d %d Td (w%d) Tj ET\n" % (n * 37 % 190, n * 101 % 115, n)
        for n in range(count)
    )
    return content(words)


def printed_over(count: int, spread: float) -> bytes:
    """Return a page of words at random places, the closer the smaller `spread` is."""
    dice = random.Random(count)
    words = b"".join(
        b"BT /F1 2 Tf %.2f %.2f Td (%s) Tj ET\n"
        % (
            5 + 180 * spread * dice.random(),
            5 + 110 * spread * dice.random(),
            dice.choice((b"gentamicin", b"once", b"daily")),
        )
        for _ in range(count)
    )
    return content(words)


# Name, allowed outcomes, and function that makes the file.
CRAFTED: list[tuple[str, str, Make]] = [
    ("pdf-empty.pdf", "empty_file", lambda: b""),
    ("pdf-nulls.pdf", "empty_file", lambda: b"\x00" * 5000),
    ("pdf-header-only.pdf", "pdf_corrupt", lambda: b"%PDF-1.7\n"),
    ("pdf-header-and-noise.pdf", "pdf_corrupt", lambda: b"%PDF-1.7\n" + bytes(range(256)) * 40),
    ("pdf-late-header.pdf", "parsed pdf_corrupt", lambda: b"x" * 900 + pdf()),
    ("pdf-no-pages.pdf", "pages_missing pdf_empty pdf_corrupt",
     lambda: pdf({2: PAGES.replace(b"3 0 R", b"")})),
    ("pdf-no-page-tree.pdf", "pdf_empty pdf_corrupt", lambda: pdf({1: b"<< /Type /Catalog >>"})),
    ("pdf-claims-pages.pdf", "parsed too_many_pages pdf_corrupt pages_missing",
     lambda: pdf({2: PAGES.replace(b"Count 1", b"Count 1000000000")})),
    ("pdf-claims-some-pages.pdf", "parsed pages_missing pdf_corrupt",
     lambda: pdf({2: PAGES.replace(b"Count 1", b"Count 9")})),
    ("pdf-negative-count.pdf", "parsed pdf_empty pdf_corrupt",
     lambda: pdf({2: PAGES.replace(b"Count 1", b"Count -5")})),
    ("pdf-many-pages.pdf", "too_many_pages", lambda: many_pages(400)),
    ("pdf-huge-page.pdf", "parsed", lambda: pdf({3: page(box=b"[0 0 900000000 900000000]")})),
    ("pdf-long-page.pdf", "no_text", lambda: pdf({3: page(box=b"[0 0 1 9000000]")})),
    ("pdf-flat-page.pdf", "parsed pdf_corrupt no_text", lambda: pdf({3: page(box=b"[0 0 0 0]")})),
    ("pdf-inside-out-page.pdf", "parsed", lambda: pdf({3: page(box=b"[200 120 0 0]")})),
    ("pdf-named-box.pdf", "parsed pdf_corrupt", lambda: pdf({3: page(box=b"[/a (b) null 1e999]")})),
    ("pdf-no-box.pdf", "parsed", lambda: pdf({3: page(box=b"null")})),
    ("pdf-user-unit.pdf", "parsed", lambda: pdf({3: page(b"/UserUnit 1e9")})),
    ("pdf-rotated-aslant.pdf", "parsed", lambda: pdf({3: page(b"/Rotate 37")})),
    ("pdf-stream-bomb.pdf", "parsed parser_memory", lambda: content(b" " * 2**20 * 100 + WORDS)),
    ("pdf-packed-twice.pdf", "parsed no_text parser_memory", lambda: doubly_packed(30)),
    ("pdf-object-stream-bomb.pdf", "parsed parser_memory", lambda: object_stream(100)),
    ("pdf-operator-flood.pdf", "parsed", lambda: content(b"q Q " * 500_000 + WORDS)),
    ("pdf-saves-never-restored.pdf", "parsed", lambda: content(b"q " * 200_000 + WORDS)),
    ("pdf-deep-array.pdf", "parsed pdf_corrupt", lambda: pdf({6: b"[" * 100_000})),
    ("pdf-deep-operand.pdf", "parsed no_text", lambda: content(b"[" * 100_000 + b" TJ " + WORDS)),
    ("pdf-deep-dictionary.pdf", "parsed pdf_corrupt", lambda: pdf({6: b"<</A" * 50_000})),
    ("pdf-deep-tree.pdf", "parsed pdf_empty pdf_corrupt pages_missing", lambda: deep_tree(3_000)),
    ("pdf-tree-cycle.pdf", "parsed pdf_empty pdf_corrupt pages_missing",
     lambda: pdf({2: b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 3 >>"})),
    ("pdf-page-is-its-parent.pdf", "parsed pdf_corrupt",
     lambda: pdf({3: page().replace(b"/Parent 2 0 R", b"/Parent 3 0 R")})),
    ("pdf-catalog-cycle.pdf", "pdf_corrupt pdf_empty no_text", lambda: pdf({2: CATALOG})),
    ("pdf-reference-cycle.pdf", "pdf_corrupt parsed", lambda: pdf({6: b"7 0 R", 7: b"6 0 R"})),
    ("pdf-content-cycle.pdf", "parsed no_text pdf_corrupt",
     lambda: pdf({4: b"6 0 R", 6: b"4 0 R"})),
    ("pdf-length-cycle.pdf", "parsed no_text pdf_corrupt",
     lambda: pdf({4: b"<< /Length 4 0 R >>\nstream\n" + WORDS + b"\nendstream"})),
    ("pdf-outline-cycle.pdf", "parsed", outline_cycle),
    ("pdf-xref-cycle.pdf", "parsed pdf_corrupt", lambda: pdf(prev=b"/Prev 9")),
    ("pdf-bad-xref.pdf", "parsed pdf_corrupt", with_bad_xref),
    ("pdf-form-draws-itself.pdf", "parsed parser_killed", self_drawing_form),
    ("pdf-form-fan.pdf", "parsed", lambda: form_fan(6, 4)),
    ("pdf-user-password.pdf", "pdf_encrypted", lambda: encrypted(user="secret", owner="other")),
    ("pdf-owner-password.pdf", "parsed pdf_encrypted", lambda: encrypted(user="", owner="other")),
    ("pdf-broken-encryption.pdf", "pdf_encrypted pdf_corrupt",
     lambda: pdf(trailer=b"/Encrypt << /Filter /Standard /V 99 /R -1 >>")),
    ("pdf-no-font.pdf", "parsed no_text", lambda: font(b"null")),
    ("pdf-font-is-page.pdf", "parsed no_text", lambda: font(b"3 0 R")),
    ("pdf-font-program-noise.pdf", "parsed no_text", lambda: true_type(bytes(range(256)) * 9)),
    ("pdf-font-tables-lie.pdf", "parsed no_text",
     lambda: true_type(b"\x00\x01\x00\x00\xff\xff" + b"glyf\xff\xff\xff\xff" * 400)),
    ("pdf-to-unicode-noise.pdf", "parsed no_text",
     lambda: font(FONT[:-2] + b"/ToUnicode 6 0 R >>", {6: stream(b"beginbfrange <00> <ff")})),
    (
        "pdf-to-unicode-bomb.pdf",
        "parsed no_text",
        lambda: font(
            FONT[:-2] + b"/ToUnicode 6 0 R >>",
            {6: stream(b"1 beginbfrange <00000000> <ffffffff> <0000> endbfrange")},
        ),
    ),
    ("pdf-widths-of-words.pdf", "parsed",
     lambda: font(FONT[:-2] + b"/FirstChar -9 /LastChar 99999999 /Widths [/a (b) null] >>")),
    (
        "pdf-type3-draws-itself.pdf",
        "parsed no_text",
        lambda: font(
            b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] "
            b"/CharProcs << /G 6 0 R >> /Encoding << /Differences [71 /G] >> /FirstChar 71 "
            b"/LastChar 71 /Widths [1] /Resources << /Font << /F1 5 0 R >> >> >>",
            {6: stream(b"BT /F1 1 Tf (GG) Tj ET")},
        ),
    ),
    ("pdf-huge-picture.pdf", "no_text parser_memory", huge_picture),
    ("pdf-picture-lies.pdf", "parsed",
     lambda: picture(b"/Width 99999 /Height 99999 /ColorSpace /DeviceRGB /BitsPerComponent 8")),
    ("pdf-picture-negative.pdf", "parsed",
     lambda: picture(b"/Width -5 /Height 0 /ColorSpace /DeviceRGB /BitsPerComponent 77")),
    *(
        (
            f"pdf-picture-{name}.pdf",
            "parsed",
            lambda name=name: picture(
                b"/Width 50 /Height 50 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /%s"
                % name.encode(),
                bytes(range(256)) * 8,
            ),
        )
        for name in ("DCTDecode", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode", "Nonsense")
    ),
    (
        "pdf-picture-masks-itself.pdf",
        "parsed",
        lambda: picture(
            b"/Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8 /SMask 6 0 R"
        ),
    ),
    ("pdf-inline-picture-open.pdf", "parsed", lambda: content(WORDS + b" BI /W 9 /H 9 ID " * 99)),
    ("pdf-endless-matrix.pdf", "parsed no_text",
     lambda: content(b"1e38 0 0 1e38 1e38 1e38 cm " * 9 + WORDS)),
    ("pdf-huge-font-size.pdf", "parsed no_text",
     lambda: content(WORDS.replace(b"/F1 8", b"/F1 1e30"))),
    ("pdf-negative-font-size.pdf", "parsed no_text",
     lambda: content(WORDS.replace(b"/F1 8", b"/F1 -9"))),
    ("pdf-long-line.pdf", "parsed",
     lambda: content(b"BT /F1 1 Tf 0 80 Td (" + b"word " * 2_000 + b") Tj ET")),
    ("pdf-many-lines.pdf", "parsed", lambda: lines(5_000)),
    ("pdf-many-words.pdf", "parsed", lambda: scattered_words(900)),
    ("pdf-glued-words.pdf", "parsed", lambda: printed_over(12_000, 1)),
    ("pdf-words-on-a-heap.pdf", "parsed", lambda: printed_over(4_000, 0)),
    (
        "pdf-script-and-launch.pdf",
        "parsed",
        lambda: pdf(
            {
                1: b"<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /AA << /WC 7 0 R >> >>",
                6: b"<< /S /JavaScript /JS (while(true){}) >>",
                7: b"<< /S /Launch /F (/bin/sh) >>",
            }
        ),
    ),
    (
        "pdf-bad-text-strings.pdf",
        "parsed",
        lambda: pdf(
            {6: b"<< /Title <FEFFD800D800> /Author (\x00\x01\xff) /CreationDate [1 2] >>"},
            trailer=b"/Info 6 0 R",
        ),
    ),
]  # fmt: skip
