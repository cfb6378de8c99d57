"""How often a token may call, and how often it still may: `RateLimit`, `RateLimit-Policy`.

The headers are those of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-10).
"""

from __future__ import annotations

import math
from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import ScopedRateThrottle

from chat.sign_in.tokens import Granted


class TokenRate(ScopedRateThrottle):
    """Counts each token by itself, by its own rate where it has one."""

    is_counted = False
    own = ""  # the rate of the token
    num_requests: int
    duration: int

    def allow_request(self, request: Request, view: Any) -> bool:
        self.own = request.auth.rate if isinstance(request.auth, Granted) else ""
        allowed = super().allow_request(request, view)
        self.is_counted = self.rate is not None
        return allowed

    def get_rate(self) -> str | None:
        return self.own or super().get_rate()

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        if isinstance(request.auth, Granted):
            return self.cache_format % {"scope": self.scope, "ident": request.auth.digest}
        return super().get_cache_key(request, view)

    def headers(self) -> dict[str, str]:
        """Say the policy, and what is left of it; seconds until the oldest call is forgotten."""
        if not self.is_counted:
            return {}
        left = max(self.num_requests - len(self.history), 0)
        wait_s = math.ceil(self.history[-1] + self.duration - self.now) if self.history else 0
        return {
            "RateLimit-Policy": f'"token";q={self.num_requests};w={self.duration}',
            "RateLimit": f'"token";r={left};t={max(wait_s, 0)}',
        }
