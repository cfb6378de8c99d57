"""Sign in by OpenID Connect: code flow with PKCE, state and nonce, one provider set in settings.

Uses django-allauth's client, state and token decoding, but none of its pages. Allauth takes scope
and parameters from the URL of its own login page; here they are passed by name.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import jwt
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.internal import jwtkit, statekit
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.apps import AppConfig
from django.conf import settings
from django.core.cache import cache
from django.core.checks import CheckMessage, Error, register
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from requests import RequestException, Session

from chat.sign_in.signed_tokens import KEYS_TIMEOUT_S, LEEWAY_S, signed_claims
from core.endpoint_settings import is_guarded

SCOPES = ["openid", "profile"]
REQUIRED = ("sub", "exp", "iat", "nonce")
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
CONFIG_S = 300  # how long the provider's configuration is cached


class ProviderError(Exception):
    """The provider is away, refused, or sent something that must not be trusted."""


class TokenError(ProviderError):
    """The ID token must not be trusted."""


class ClockError(TokenError):
    """The ID token is of a time yet to come, or already expired: the two clocks differ."""

    def __init__(self, issued_s: float) -> None:
        now = datetime.now(UTC)
        issued = datetime.fromtimestamp(issued_s, UTC)
        self.minutes = max(1, round(abs((issued - now).total_seconds()) / 60))
        self.here, self.there = f"{now:%Y-%m-%d %H:%M:%S}", f"{issued:%Y-%m-%d %H:%M:%S}"
        super().__init__(
            f"the clocks differ by {self.minutes} min: it is {self.here} UTC here, and the "
            f"provider's token is of {self.there} UTC. Set the wrong one of them by NTP"
        )


class StraightRequests(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Follows no redirect, so that codes, secrets and tokens go to checked addresses alone.

    Of single sign-on and of launches: discovery, tokens, keys, and a record's FHIR server.
    """

    def get_requests_session(self) -> Session:
        session: Session = super().get_requests_session()
        session.max_redirects = 0  # a redirect is then TooManyRedirects
        return session


class _Adapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # allauth has no types
    def get_provider(self) -> OpenIDConnectProvider:
        return _provider(self.request)

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        return request.build_absolute_uri(reverse("single_sign_on_callback"))

    @property
    def openid_config(self) -> dict[str, Any]:
        key = f"oidc.config.{settings.OIDC_ISSUER}"
        config: dict[str, Any] | None = cache.get(key)
        if config is None:
            config = super().openid_config
            if config["issuer"] != settings.OIDC_ISSUER:
                raise ProviderError("it names another issuer than the setting")
            for name in ENDPOINTS:
                if not is_guarded(config[name]):
                    raise ProviderError(f"its {name} is not https")
            cache.set(key, config, CONFIG_S)
        return config


class _Provider(OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = _Adapter


def _provider(request: HttpRequest) -> OpenIDConnectProvider:
    app = SocialApp(
        provider="openid_connect",
        provider_id=settings.OIDC_ISSUER,
        client_id=settings.OIDC_CLIENT_ID,
        secret=settings.OIDC_CLIENT_SECRET,
        settings={"server_url": settings.OIDC_ISSUER.rstrip("/"), "oauth_pkce_enabled": True},
    )
    return _Provider(request, app=app)


@register("sign_in")
def check_oidc(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Reject an issuer reached over plain http, where an interceptor could vouch for anybody."""
    if not settings.OIDC_ISSUER or is_guarded(settings.OIDC_ISSUER):
        return []
    hint = "By http anybody between could vouch for anybody; only this machine itself may."
    text = "MEDRAG_OIDC: its issuer must begin with https://."
    return [Error(text, hint=hint, id="sign_in.E002")]


def provider_config() -> dict[str, Any]:
    """Fetch the provider's configuration over the network; return it. Raises ProviderError."""
    request = HttpRequest()
    try:
        config: dict[str, Any] = _provider(request).get_oauth2_adapter(request).openid_config
    except (RequestException, KeyError, TypeError, ValueError) as error:
        raise ProviderError(type(error).__name__) from error
    return config


def to_provider(request: HttpRequest, *, next_page: str) -> HttpResponse:
    """Redirect the browser to the provider. Raises ProviderError."""
    nonce = secrets.token_urlsafe(24)
    try:
        response: HttpResponse = _provider(request).redirect(
            request,
            process="login",
            next_url=next_page,
            scope=SCOPES,
            auth_params={"nonce": nonce},
            nonce=nonce,
        )
    except (RequestException, KeyError, TypeError, ValueError) as error:
        raise ProviderError(type(error).__name__) from error
    return response


def from_provider(request: HttpRequest) -> tuple[dict[str, Any], str]:
    """Return the ID token's claims, all checked, and the page that was asked for.

    Raises TokenError if the token must not be trusted, else ProviderError.
    """
    provider = _provider(request)
    state = statekit.unstash_state(
        request, provider_id=provider.sub_id, state_id=request.GET.get("state", "")
    )
    if state is None:
        raise ProviderError("state unknown or used")
    if "code" not in request.GET:
        raise ProviderError("it sent no code")
    adapter = provider.get_oauth2_adapter(request)
    try:
        client = adapter.get_client(request, provider.app)
        verifier = state["pkce_code_verifier"]
        tokens = adapter.get_access_token_data(request, provider.app, client, verifier)
        config = adapter.openid_config
    except (OAuth2Error, RequestException, KeyError, TypeError, ValueError) as error:
        raise ProviderError(type(error).__name__) from error
    claims = claims_checked(
        tokens,
        config["jwks_uri"],
        issuer=settings.OIDC_ISSUER,
        client_id=settings.OIDC_CLIENT_ID,
        nonce=state["nonce"],
    )
    return claims, str(state.get("next") or "")


def claims_checked(
    tokens: dict[str, Any], keys: str, *, issuer: str, client_id: str, nonce: str
) -> dict[str, Any]:
    """Return the claims of a valid ID token, its signature included. Raises TokenError.

    `keys` is the address of the issuer's set of keys.

    The checks are those of OpenID Connect Core 1.0, section 3.1.3.7. Its times come last, since
    only a token that is the provider's tells its clock. Raises ProviderError if the provider's keys
    can't be fetched.
    """
    try:
        # Fetched anew: a key may have been changed just now.
        published = jwt.PyJWKClient(keys, cache_jwk_set=False, timeout=KEYS_TIMEOUT_S)
        claims = signed_claims(
            tokens["id_token"],
            published.get_signing_key_from_jwt(tokens["id_token"]),
            issuer=issuer,
            audience=client_id,
            options={"verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except jwt.PyJWKClientConnectionError as error:
        raise ProviderError("its keys are away") from error
    except Exception as error:
        raise TokenError(str(error)) from error
    missing = [name for name in REQUIRED if name not in claims]
    if missing or not isinstance(claims["sub"], str) or not 0 < len(claims["sub"]) <= 191:
        raise TokenError("a claim is missing")
    if claims["nonce"] != nonce:
        raise TokenError("it answers another request")
    if claims.get("azp", client_id) != client_id:
        raise TokenError("it is for another client")
    _check_times(claims)
    try:
        jwtkit.verify_jti(claims)
    except OAuth2Error as error:
        raise TokenError(str(error)) from error
    return claims


def _check_times(claims: dict[str, Any]) -> None:
    """Raise TokenError for a token that has expired or isn't valid yet, with a leeway."""
    try:
        issued, ends = float(claims["iat"]), float(claims["exp"])
        begins = max(issued, float(claims.get("nbf", issued)))
        now = time.time()
        if begins > now + LEEWAY_S:
            raise ClockError(begins)
        if ends <= now - LEEWAY_S:
            raise ClockError(issued) if now - issued > LEEWAY_S else TokenError("it has expired")
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise TokenError("a time in it is no number") from error
