"""Settings of the site itself: where its state is, who may sign in and how, its database."""

import re
from datetime import timedelta
from pathlib import Path

from medrag_site.configuration.processes import HTTPS
from medrag_site.env import Env

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = Env()


def without_ports(hosts: list[str]) -> list[str]:
    """Return hosts without ports, as Django compares them with a request's host."""
    return [re.sub(r":[0-9]+$", "", host) for host in hosts]


def secure_origins(hosts: list[str]) -> list[str]:
    """Return the https origins of hosts, as Django takes them; none for `*`."""
    return [f"https://{'*' * host.startswith('.')}{host}" for host in hosts if host != "*"]


# State: everything that the system keeps is below this one folder.
DATA_DIR = env.folder(
    "MEDRAG_DATA_DIR",
    BASE_DIR / "var",
    about="the one folder of all state: database, files, keys",
)
FILES_DIR = DATA_DIR / "files"
KEYS_DIR = DATA_DIR / "keys"
MODELS_DIR = DATA_DIR / "models"  # converted encoders, which can be converted again

SITE_LABEL = env.text(
    "MEDRAG_SITE_LABEL", about='a badge in every header, such as "Test system"; none without'
)
TIME_ZONE = env.time_zone("MEDRAG_TIME_ZONE", "UTC", about="whose day decides what is in force")

SECRET_KEY = env.secret_key(
    "MEDRAG_SECRET_KEY",
    KEYS_DIR / "secret_key",
    about="Django's secret key, else one is made once, in `keys/`; changing it ends sessions",
)
DEBUG = env.boolean(
    "MEDRAG_DEBUG", False, about="Django's debug pages; never in use with real questions"
)
hosts = env.hosts(
    "MEDRAG_ALLOWED_HOSTS",
    ["127.0.0.1", "localhost", "[::1]"],
    about="names that the site answers to, with the [port](operations.md#a-real-site) where "
    "browsers ask at another than the usual one; `.example.org` is each below it too",
)
ALLOWED_HOSTS = without_ports(hosts)
CSRF_TRUSTED_ORIGINS = secure_origins(hosts) if HTTPS else []

session = env.group(
    "MEDRAG_SESSION", about="how long somebody stays [signed in](operations.md#signing-in)"
)
SESSION_COOKIE_AGE = 3600 * session.integer(
    "hours", 12, low=1, high=720, about="hours after which a session ends at the latest"
)
SESSION_IDLE = timedelta(
    minutes=session.integer(
        "idle_minutes",
        0,
        low=0,
        high=43_200,
        about="minutes without a request after which it ends before that; 0: never",
    )
)
lockout = env.group(
    "MEDRAG_LOCKOUT",
    about="after how many wrong passwords or tokens one [waits](operations.md#people)",
)
AXES_FAILURE_LIMIT = lockout.integer(
    "failures",
    5,
    low=2,
    high=1000,
    about="wrong passwords for an account from one address, or wrong tokens that begin alike, "
    "after which both wait",
)
LOCKOUT_ADDRESS_FAILURES = lockout.integer(
    "address_failures",
    50,
    low=AXES_FAILURE_LIMIT,
    high=100_000,
    about="wrong ones from one address in all, after which nobody signs in from there; at least "
    "`failures`",
)
AXES_COOLOFF_TIME = timedelta(
    minutes=lockout.integer("minutes", 15, low=1, high=1440, about="how long that is so")
)
SECOND_FACTOR_FOR_STAFF = env.boolean(
    "MEDRAG_SECOND_FACTOR_FOR_STAFF",
    False,
    about="who may enter the administration and signs in by password needs a code of an "
    "authenticator app too",
)

oidc = env.toml(
    "MEDRAG_OIDC",
    needs=("issuer", "client_id", "client_secret"),
    about="the hospital's own [sign-in](operations.md#signing-in) by OpenID Connect; off without",
)
OIDC_ISSUER = oidc.url("issuer", about="address of the provider")
OIDC_CLIENT_ID = oidc.text("client_id", about="the name by which the provider knows the site")
OIDC_CLIENT_SECRET = oidc.secret("client_secret", about="what the provider gave it")
OIDC_GROUPS_CLAIM = oidc.text(
    "groups_claim", "groups", about="the claim that lists the groups of who signs in"
)
OIDC_GROUPS = oidc.table("groups", about="which group of the provider's is which group here")

DATABASE_URL = env.text(
    "DATABASE_URL",
    about="`postgresql://` address of the application's role on a server of your own; without it "
    "the embedded server",
)
DATABASE_OWNER_URL = env.text(
    "DATABASE_OWNER_URL",
    about="the role that owns the tables, else that of `DATABASE_URL`; `migrate` uses it, and "
    "`reembed` and the worker for the index of new vectors",
)
DATABASE_AUDITOR_URL = env.text(
    "DATABASE_AUDITOR_URL",
    about="the role that reads the log, else that of `DATABASE_URL`; `audit` uses it",
)
DATABASE_NAME = env.database_name(
    "MEDRAG_DATABASE_NAME",
    about="another database on the same server, made where it is missing; `evaluate` gives each "
    "data set one",
)
PREPARED_STATEMENTS = env.boolean(
    "MEDRAG_PREPARED_STATEMENTS",
    True,
    about="searches are prepared once a connection; `false` behind a pool that changes the "
    "server's connection with each transaction",
)
