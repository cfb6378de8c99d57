"""Check the settings of the hospital's sign-in, before every command and start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from medrag_site.sign_in.oidc import is_guarded


@register("sign_in")
def check_oidc(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Reject an issuer reached over plain http, where an interceptor could vouch for anybody."""
    if not settings.OIDC_ISSUER or is_guarded(settings.OIDC_ISSUER):
        return []
    hint = "By http anybody between could vouch for anybody; only this machine itself may."
    text = "MEDRAG_OIDC: its issuer must begin with https://."
    return [Error(text, hint=hint, id="sign_in.E002")]
