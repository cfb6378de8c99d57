"""Keep files in a bucket of S3, by django-storages. Imported only where one is named."""

from __future__ import annotations

from typing import Any

from botocore.config import Config
from storages.backends.s3 import S3Storage

# A page or a question never waits longer for a server that does not answer.
_WAITS = {"connect_timeout": 5, "read_timeout": 20}
_IN_MEMORY_BYTES = 8 * 1024**2  # of a file; the rest of it is on disk


class Bucket(S3Storage):  # type: ignore[misc]
    """A private bucket. Files are replaced, sent in parts, and never whole in memory."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **options,
            client_config=Config(retries={"max_attempts": 3, "mode": "standard"}, **_WAITS),
            default_acl=None,
            file_overwrite=True,
            querystring_auth=True,
            max_memory_size=_IN_MEMORY_BYTES,
        )
