"""Settings of the site itself: where its state is, who may sign in and how, its database."""

import re
from datetime import timedelta
from pathlib import Path

from medrag_site.configuration.environment import Env
from medrag_site.configuration.processes import HTTPS

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
    about="the folder of all state: database, files, keys",
)
FILES_DIR = DATA_DIR / "files"
files = env.group(
    "MEDRAG_FILES",
    about="a bucket of S3, or of a server like it, for guidelines and pictures of pages, in place "
    "of the data folder; its key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or as "
    "boto3 finds it: see [files in S3](scaling.md#files-in-s3)",
)
FILES = {
    "bucket": files.text("bucket", about="its name; without one files are in the data folder"),
    "prefix": files.text("prefix", about="what the names of this site's files begin with"),
    "endpoint": files.url("endpoint", about="address of another server than Amazon's"),
    "region": files.text("region", about="such as `eu-west-2`"),
}
FILES_ON_DISK = {
    "BACKEND": "corpus.storages.disk.SyncedFiles",
    "OPTIONS": {"file_permissions_mode": 0o600},
}
FILES_IN_BUCKET = {
    "BACKEND": "corpus.storages.bucket.Bucket",
    "OPTIONS": {
        "bucket_name": FILES["bucket"],
        "location": FILES["prefix"],
        "endpoint_url": FILES["endpoint"] or None,
        "region_name": FILES["region"] or None,
    },
}
KEYS_DIR = DATA_DIR / "keys"
MODELS_DIR = DATA_DIR / "models"  # converted encoders, which can be converted again

CERTIFICATES_FILE = env.certificates(
    "SSL_CERT_FILE",
    about="the authorities whose certificates every outgoing connection takes, in place of those "
    "that everybody knows: see [your own authority](operations.md#your-own-authority)",
)
SITE_LABEL = env.text(
    "MEDRAG_SITE_LABEL",
    about='a badge in the header of every page, such as "Test system"; without it there is none',
)
TIME_ZONE = env.time_zone(
    "MEDRAG_TIME_ZONE", "UTC", about="time zone whose date decides which guidelines are in force"
)

SECRET_KEY = env.secret_key(
    "MEDRAG_SECRET_KEY",
    KEYS_DIR / "secret_key",
    about="Django's secret key; without it one is created once and kept in `keys/`; changing "
    "it ends all sessions",
)
DEBUG = env.boolean(
    "MEDRAG_DEBUG", False, about="show Django's debug pages; never use it with real questions"
)
hosts = env.hosts(
    "MEDRAG_ALLOWED_HOSTS",
    ["127.0.0.1", "localhost", "[::1]"],
    about="host names of the site, with the [port](operations.md#tls-and-the-reverse-proxy) if "
    "browsers use another port than the usual one; `.example.org` includes all its subdomains",
)
ALLOWED_HOSTS = without_ports(hosts)
CSRF_TRUSTED_ORIGINS = secure_origins(hosts) if HTTPS else []

session = env.group(
    "MEDRAG_SESSION", about="how long people stay [signed in](people.md#signing-in)"
)
SESSION_COOKIE_AGE = 3600 * session.integer(
    "hours", 12, low=1, high=720, about="hours after which a session ends in any case"
)
SESSION_IDLE = timedelta(
    minutes=session.integer(
        "idle_minutes",
        0,
        low=0,
        high=43_200,
        about="minutes without a request after which a session ends earlier; with 0 it does not",
    )
)
lockout = env.group(
    "MEDRAG_LOCKOUT",
    about="when wrong passwords or tokens lead to a [lockout](people.md#wrong-passwords)",
)
AXES_FAILURE_LIMIT = lockout.integer(
    "failures",
    5,
    low=2,
    high=1000,
    about="wrong passwords for one account from one address, or wrong tokens with the same "
    "beginning from one address, until that account or token is locked at that address",
)
LOCKOUT_ADDRESS_FAILURES = lockout.integer(
    "address_failures",
    50,
    low=AXES_FAILURE_LIMIT,
    high=100_000,
    about="wrong passwords and tokens from one address in all, until nobody can sign in from "
    "there; at least `failures`",
)
AXES_COOLOFF_TIME = timedelta(
    minutes=lockout.integer(
        "minutes", 15, low=1, high=1440, about="length of a lockout, in minutes"
    )
)
SECOND_FACTOR_FOR_STAFF = env.boolean(
    "MEDRAG_SECOND_FACTOR_FOR_STAFF",
    False,
    about="require a code of an authenticator app from staff who sign in by password",
)

oidc = env.toml(
    "MEDRAG_OIDC",
    needs=("issuer", "client_id", "client_secret"),
    about="[single sign-on](people.md#signing-in) by OpenID Connect; without a file it is off",
)
OIDC_ISSUER = oidc.url("issuer", about="address of the provider")
OIDC_CLIENT_ID = oidc.text("client_id", about="the site's client ID at the provider")
OIDC_CLIENT_SECRET = oidc.secret("client_secret", about="the site's client secret at the provider")
OIDC_GROUPS_CLAIM = oidc.text(
    "groups_claim", "groups", about="the claim that lists a person's groups"
)
OIDC_GROUPS = oidc.table("groups", about="maps each group of the provider to a group of the site")
OIDC_EXTERNAL_ID_CLAIM = oidc.text(
    "external_id_claim",
    "sub",
    about="the claim with a person's `externalId` of SCIM: `sub` with Okta, `oid` with Entra",
)
SCIM_TOKEN = env.token(
    "MEDRAG_SCIM",
    about="the token of the hospital's directory, which creates and closes accounts by "
    "[SCIM](people.md#leavers) at `/scim/v2/`; without one it is off",
)

DATABASE_URL = env.text(
    "DATABASE_URL",
    about="`postgresql://` address of your own server, with the application's role; without "
    "it the embedded server is used",
    is_secret=True,
)
DATABASE_OWNER_URL = env.text(
    "DATABASE_OWNER_URL",
    about="address with the role that owns the tables, by default that of `DATABASE_URL`; "
    "used by `migrate`, and by `reembed` and the worker to build the index of new "
    "vectors",
    is_secret=True,
)
DATABASE_AUDITOR_URL = env.text(
    "DATABASE_AUDITOR_URL",
    about="address with the role that reads the log, by default that of `DATABASE_URL`; used "
    "by `audit`",
    is_secret=True,
)
DATABASE_REPLICA_URL = env.text(
    "DATABASE_REPLICA_URL",
    about="address of a [standby](scaling.md#a-standby) of the same database, "
    "with the application's role; searches without an answer read it",
    is_secret=True,
)
REPLICA_MAX_LAG_S = env.integer(
    "MEDRAG_REPLICA_MAX_LAG_S",
    10,
    low=1,
    high=3600,
    about="seconds that the standby may be behind; if it is more, the primary is searched",
)
DATABASE_NAME = env.database_name(
    "MEDRAG_DATABASE_NAME",
    about="use another database on the same server, created if missing; `evaluate` gives each "
    "data set its own",
)
PREPARED_STATEMENTS = env.boolean(
    "MEDRAG_PREPARED_STATEMENTS",
    True,
    about="prepare search statements once per connection, and use cursors of the server; use "
    "`false` behind a [pool](scaling.md#a-pool) that changes the server "
    "connection with each transaction",
)
