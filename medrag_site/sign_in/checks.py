"""Checks of the hospital's sign-in, before every command and start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from medrag_site.sign_in.oidc import is_guarded


@register("sign_in")
def check_oidc(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse to start with half of it, or where somebody between could vouch for anybody."""
    issuer = settings.OIDC_ISSUER
    told = {
        "MEDRAG_OIDC_CLIENT_ID": settings.OIDC_CLIENT_ID,
        "MEDRAG_OIDC_CLIENT_SECRET": settings.OIDC_CLIENT_SECRET,
    }
    missing = [name for name, value in told.items() if bool(value) != bool(issuer)]
    found: list[CheckMessage] = []
    if missing:
        text = f"MEDRAG_OIDC_ISSUER and {' and '.join(missing)} go together."
        found.append(Error(text, hint="Set them all, or none.", id="sign_in.E001"))
    if issuer and not is_guarded(issuer):
        text = "MEDRAG_OIDC_ISSUER must begin with https://."
        hint = "By http anybody between could vouch for anybody; only this machine itself may."
        found.append(Error(text, hint=hint, id="sign_in.E002"))
    return found
