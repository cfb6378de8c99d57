"""Tell where a site without a bucket keeps its files."""

from pathlib import Path

from corpus import files


def document_path(sha256: str) -> Path:
    return Path(files.storage().path(files.document_name(sha256)))


def page_image_path(sha256: str, number: int) -> Path:
    return Path(files.storage().path(files.page_image_name(sha256, number)))
