import pytest

from corpus.filenames import clean_filename, title_from, title_said


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sepsis.pdf", "sepsis.pdf"),
        ("../../etc/passwd.pdf", "passwd.pdf"),
        ("C:\\guidelines\\sepsis.pdf", "sepsis.pdf"),
        ("a\x00b.pdf", "ab.pdf"),
        ("inno\u202efdp.exe.pdf", "innofdp.exe.pdf"),
        ("two\r\nlines.pdf", "two lines.pdf"),
        ("", "document"),
        (".pdf", "document.pdf"),
        ("sepsis.", "sepsis"),
        ("...", "document"),
        ("dose\udc80.pdf", "dose.pdf"),
        ("Dosierung für Säuglinge 👶.pdf", "Dosierung für Säuglinge 👶.pdf"),
    ],
)
def test_clean_filename(name: str, expected: str) -> None:
    assert clean_filename(name) == expected


def test_a_name_of_300_characters_keeps_its_extension() -> None:
    cleaned = clean_filename("x" * 300 + ".pdf")
    assert (len(cleaned), cleaned[-5:]) == (255, "x.pdf")


@pytest.mark.parametrize(
    ("filename", "title"),
    [
        ("sepsis_adults-v2.pdf", "sepsis adults v2"),
        ("document", "document"),
        ("---.pdf", "Untitled document"),
    ],
)
def test_title_from(filename: str, title: str) -> None:
    assert title_from(filename) == title


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ("Microsoft Word - asthma_v3.docx", "asthma v3"),
        ("Microsoft Word - Warfarin perioperative management", "Warfarin perioperative management"),
        ("Microsoft PowerPoint - Sepsis 2019.pptx", "Sepsis 2019"),
        ("sepsis-adults.doc", "sepsis adults"),
        ("C:\\Guidelines\\sepsis.doc", "sepsis"),
        ("Microsoft Word - ", ""),
        ("Microsoft Word in a hospital", "Microsoft Word in a hospital"),
        ("Acute asthma: management", "Acute asthma: management"),
        ("", ""),
    ],
)
def test_a_title_is_told_without_the_program_that_wrote_the_file(metadata: str, title: str) -> None:
    assert title_said(metadata) == title
