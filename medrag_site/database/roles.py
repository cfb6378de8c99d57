"""Connect as the three roles of the database, on the embedded server or an external one."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

OWNER, APPLICATION, AUDITOR = "medrag_owner", "medrag_app", "medrag_auditor"
NAME = "medrag"

# A search takes milliseconds: compiling it, starting a parallel worker or planning a prepared
# statement again would cost more.
_FOR_SEARCHES = (
    "-c jit=off -c max_parallel_workers_per_gather=0 -c plan_cache_mode=force_generic_plan"
)

CONNECT_S = 10  # for a server that takes no connection, such as a paused one
REPLICA_CONNECT_S = 2  # then the primary is asked

_COMMON: dict[str, Any] = {
    "ENGINE": "django.db.backends.postgresql",
    "CONN_MAX_AGE": 60,
    "CONN_HEALTH_CHECKS": True,
    "ATOMIC_REQUESTS": False,
}


def embedded(socket_dir: str, name: str = "") -> dict[str, dict[str, Any]]:
    """Return aliases `default` (application), `owner` and `auditor` on the embedded server."""
    same = {**_COMMON, "NAME": name or NAME, "HOST": socket_dir}
    timed = {"connect_timeout": CONNECT_S}
    return {
        "default": {**same, "USER": APPLICATION, "OPTIONS": {**timed, "options": _FOR_SEARCHES}},
        "owner": {**same, "USER": OWNER, "OPTIONS": timed},
        "auditor": {**same, "USER": AUDITOR, "OPTIONS": timed},
    }


def external(
    application: str, owner: str, auditor: str, name: str = "", *, replica: str = ""
) -> dict[str, dict[str, Any]]:
    """Return the same aliases from `postgresql://` URLs; an empty one falls back to `application`.

    With `replica` there is one more, for reads on a standby. `name` replaces the database that the
    URLs name.
    """
    databases = {
        "default": _from_url("DATABASE_URL", application),
        "owner": _from_url("DATABASE_OWNER_URL", owner or application),
        "auditor": _from_url("DATABASE_AUDITOR_URL", auditor or application),
    }
    if replica:
        databases["replica"] = _from_url(
            "DATABASE_REPLICA_URL", replica, connect_s=REPLICA_CONNECT_S
        )
    return {alias: values | ({"NAME": name} if name else {}) for alias, values in databases.items()}


def _from_url(setting: str, url: str, *, connect_s: int = CONNECT_S) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
    except ValueError as error:
        raise _no_address(setting) from error
    path = parts.path.lstrip("/")
    options = dict(parse_qsl(parts.query))
    host = options.pop("host", "") or parts.hostname or ""
    is_cut_off = set("/@") & set(path)  # by a password that holds a slash
    if parts.scheme not in ("postgres", "postgresql") or not path or is_cut_off:
        raise _no_address(setting)
    return {
        **_COMMON,
        "NAME": unquote(path),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": port,
        "OPTIONS": {"connect_timeout": connect_s, **options},
    }


def _no_address(setting: str) -> ImproperlyConfigured:
    """Return the error, without the address, which holds a password."""
    return ImproperlyConfigured(
        f"{setting} must look like postgresql://user:password@host:5432/database. A password's "
        "characters other than letters, digits and -._~ are written as % and their code, such as "
        "%40 for @, %2F for / and %25 for %."
    )
