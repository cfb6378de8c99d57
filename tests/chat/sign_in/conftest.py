"""The hospital's sign-in, which gives the groups of doctors and of the audit."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from medrag_site.groups import AUDITORS, CLINICIANS
from tests.chat.sign_in.provider import CLIENT, SECRET, Provider, provider


@pytest.fixture
def hospital(db: None, settings: LazySettings) -> Iterator[Provider]:
    cache.clear()
    with provider() as one:
        settings.OIDC_ISSUER = one.issuer
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
        settings.OIDC_GROUPS = {"gl-doctors": CLINICIANS, "gl-audit": AUDITORS}
        one.claims["groups"] = ["gl-doctors", "canteen"]
        yield one
