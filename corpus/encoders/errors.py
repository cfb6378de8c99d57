"""What can be wrong with an encoder."""

from __future__ import annotations

from core.errors import MedragError


class EncoderUnusable(MedragError):
    """The encoder can't be loaded as it is configured. The message says what is wrong with it."""

    code = "encoder"


class EncodingFailed(MedragError):
    """The endpoint that encodes gave no vectors that can be used. Never holds text."""

    code = "encoder"
    retryable = True
