"""Keep files in a bucket of S3, by django-storages. Imported only where one is named."""

from __future__ import annotations

from typing import Any

from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from storages.backends.s3 import S3Storage

from corpus.storages.breaker import breaker_of

# A page never waits longer for a server that does not answer: 5 s, twice (`read_timeout` is of one
# read, so that a large file may take as long as it comes).
_WAITS = {"connect_timeout": 2, "read_timeout": 5}
_TRIES = 2
_IN_MEMORY_BYTES = 8 * 1024**2  # of a file; the rest of it is on disk


class Bucket(S3Storage):  # type: ignore[misc]
    """A private bucket. Files are replaced, sent in parts, and never whole in memory."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **options,
            client_config=Config(
                retries={"total_max_attempts": _TRIES, "mode": "standard"},
                # Stores like S3 refuse `aws-chunked` and checksums that they don't know. Documents
                # are compared with their own hash whenever they are read.
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                **_WAITS,
            ),
            transfer_config=TransferConfig(num_download_attempts=_TRIES),
            default_acl=None,
            file_overwrite=True,
            querystring_auth=True,
            max_memory_size=_IN_MEMORY_BYTES,
        )
        self.breaker = breaker_of(f"{self.endpoint_url} {self.bucket_name}")
