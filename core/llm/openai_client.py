"""Call an OpenAI-compatible endpoint with the client that OpenAI publishes, over our transport."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from core.llm.transport import CallFailed, status_failed, uncallable

if TYPE_CHECKING:
    from openai import OpenAI

UNREADABLE = "gave an answer that can't be read"
_OF_READING = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


@contextmanager
def calling(
    url: str, key: str, *, timeout_s: float, transport: httpx.BaseTransport
) -> Iterator[OpenAI]:
    """Yield a client for calls within; each ends `timeout_s` after it began.

    Retries are the transport's. Raises TimeoutError, and CallFailed for whatever else the client
    raises, or a caller who reads an answer that is not of the protocol's form.
    """
    import openai  # late: it takes a second, and only sites with an endpoint need it

    # At DEBUG, which OPENAI_LOG sets, it logs what it sends.
    logging.getLogger("openai").setLevel(logging.WARNING)
    own: dict[str, Any] = {"organization": "", "project": ""}  # not those of the environment
    try:
        with httpx.Client(transport=transport, trust_env=False) as client:
            yield openai.OpenAI(
                base_url=url,
                api_key=key or "none",
                max_retries=0,
                timeout=max(timeout_s, 0.0),
                http_client=client,
                **own,
            )
    except openai.APITimeoutError:
        raise TimeoutError from None
    except openai.APIStatusError as error:
        raise status_failed(error.status_code) from None
    except openai.APIConnectionError as error:
        if isinstance(error.__cause__, CallFailed):
            raise error.__cause__ from None
        raise uncallable(error.__cause__ or error) from None
    except CallFailed:
        raise
    except (openai.OpenAIError, httpx.InvalidURL, *_OF_READING) as error:
        own_fault = isinstance(error, (httpx.InvalidURL, UnicodeError))  # of the address or the key
        if own_fault and not isinstance(error, UnicodeDecodeError):
            raise uncallable(error) from None
        raise CallFailed(UNREADABLE, answered=True) from None
