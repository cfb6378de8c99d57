"""Settings of the site itself: where its state is, who may sign in and how, its database."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from chat.records.launch.allowed import Launch, launch_from
from chat.records.trust import Hooks, hooks_from
from medrag_site.configuration.environment import Fault, FileKeys, Keys, Section
from medrag_site.configuration.kinds import (
    Address,
    Certificates,
    DatabaseName,
    Folder,
    Hidden,
    Hosts,
    Origins,
    Readable,
    Secret,
    SecretKey,
    Switch,
    Table,
    TimeZone,
    Token,
    kept_key,
    tables,
)

BASE_DIR = Path(__file__).resolve().parent.parent.parent


def without_ports(hosts: list[str]) -> list[str]:
    """Return hosts without ports, as Django compares them with a request's host."""
    return [re.sub(r":[0-9]+$", "", host) for host in hosts]


def secure_origins(hosts: list[str]) -> list[str]:
    """Return the https origins of hosts, as Django takes them; none for `*`."""
    return [f"https://{'*' * host.startswith('.')}{host}" for host in hosts if host != "*"]


class Files(Keys):
    bucket: str = ""
    """its name; without one files are in the data folder"""
    prefix: str = ""
    """what the names of this site's files begin with"""
    endpoint: Address = ""
    """address of another server than Amazon's"""
    region: str = ""
    """such as `eu-west-2`"""


class Record(Keys):
    infobutton: Switch = False
    """answer [infobuttons](record.md) at `/infobutton`"""
    terminology: Readable = ""
    """a CSV file of codes and names: code, name, or system, code, name"""
    hooks: Annotated[Hooks, tables(hooks_from)] = Hooks()
    """answer [CDS Hooks](record.md#cds-hooks) at `/cds-services`, to the callers of the file"""
    launch: Annotated[Launch, tables(launch_from)] = Launch()
    """be [opened from the record](record.md#opened-from-the-record) at `/launch`, by SMART App
    Launch, by the records of the file"""


class Session(Keys):
    hours: int = Field(12, ge=1, le=720)
    """hours after which a session ends in any case"""
    idle_minutes: int = Field(0, ge=0, le=43_200)
    """minutes without a request after which a session ends earlier; with 0 it does not"""


class Lockout(Keys):
    failures: int = Field(5, ge=2, le=1000)
    """wrong passwords for one account from one address, or wrong tokens with the same beginning
    from one address, until that account or token is locked at that address"""
    address_failures: int = Field(50, ge=2, le=100_000)
    """wrong passwords and tokens from one address in all, until nobody can sign in from there; at
    least `failures`"""
    minutes: int = Field(15, ge=1, le=1440)
    """length of a lockout, in minutes"""

    @field_validator("address_failures")
    @classmethod
    def _at_least_failures(cls, said: int, info: ValidationInfo) -> int:
        if said < (low := info.data.get("failures", said)):
            raise Fault(f"{{name}} must be at least {low}, as `failures` is; it is {said}.")
        return said


class Oidc(FileKeys):
    needed = ("issuer", "client_id", "client_secret")

    issuer: Address = ""
    """address of the provider"""
    client_id: str = ""
    """the site's client ID at the provider"""
    client_secret: Secret = ""
    """the site's client secret at the provider"""
    groups_claim: str = "groups"
    """the claim that lists a person's groups"""
    groups: Table = {}
    """maps each group of the provider to a group of the site"""
    external_id_claim: str = "sub"
    """the claim with a person's `externalId` of SCIM: `sub` with Okta, `oid` with Entra"""
    audience: str = ""
    """whom access tokens of the provider have to be for, that [MCP](api.md#access-tokens) accepts
    them, such as `https://guidelines.example.org/mcp`; without it none is accepted"""


class Site(Section):
    MEDRAG_DATA_DIR: Folder = Field(BASE_DIR / "var", validate_default=True)
    """the folder of all state: database, files, keys"""
    MEDRAG_FILES: Files = Files.model_construct()
    """a bucket of S3, or of a server like it, for guidelines and pictures of pages, in place of the
    data folder; its key is read from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or as boto3 finds
    it: see [files in S3](scaling.md#files-in-s3)"""
    SSL_CERT_FILE: Certificates = ""
    """the authorities whose certificates every outgoing connection takes, in place of those that
    everybody knows: see [your own authority](operations.md#your-own-authority)"""
    MEDRAG_SITE_LABEL: str = ""
    """a badge in the header of every page, such as "Test system"; without it there is none"""
    MEDRAG_TIME_ZONE: TimeZone = "UTC"
    """time zone whose date decides which guidelines are in force"""
    MEDRAG_SECRET_KEY: SecretKey = Field("", validate_default=True)
    """Django's secret key; without it one is created once and kept in `keys/`; changing it ends all
    sessions"""
    MEDRAG_DEBUG: Switch = False
    """show Django's debug pages; never use it with real questions"""
    MEDRAG_ALLOWED_HOSTS: Hosts = ["127.0.0.1", "localhost", "[::1]"]
    """host names of the site, with the [port](operations.md#tls-and-the-reverse-proxy) if browsers
    use another port than the usual one; `.example.org` includes all its subdomains"""
    MEDRAG_SESSION: Session = Session.model_construct()
    """how long people stay [signed in](people.md#signing-in)"""
    MEDRAG_LOCKOUT: Lockout = Lockout.model_construct()
    """when wrong passwords or tokens lead to a [lockout](people.md#wrong-passwords)"""
    MEDRAG_SECOND_FACTOR_FOR_STAFF: Switch = False
    """require a code of an authenticator app from staff who sign in by password"""
    MEDRAG_OIDC: Oidc = Oidc.model_construct()
    """[single sign-on](people.md#signing-in) by OpenID Connect; without a file it is off"""
    MEDRAG_SCIM: Token = ""
    """the token of the hospital's directory, which creates and closes accounts by
    [SCIM](people.md#leavers) at `/scim/v2/`; without one it is off"""
    MEDRAG_RECORD: Record = Record.model_construct()
    """doors for the [patient's record](record.md); all are closed without it"""
    MEDRAG_FRAME_ANCESTORS: Origins = []
    """whose pages may show the site [in a frame](record.md#in-a-frame); needs https in
    `MEDRAG_WEB`, but for pages at 127.0.0.1; without it nobody's may"""
    DATABASE_URL: Hidden = ""
    """`postgresql://` address of your own server, with the application's role; without it the
    embedded server is used"""
    DATABASE_OWNER_URL: Hidden = ""
    """address with the role that owns the tables, by default that of `DATABASE_URL`; used by
    `migrate`, and by `reembed` and the worker to build the index of new vectors"""
    DATABASE_AUDITOR_URL: Hidden = ""
    """address with the role that reads the log, by default that of `DATABASE_URL`; used by
    `audit`"""
    DATABASE_REPLICA_URL: Hidden = ""
    """address of a [standby](scaling.md#a-standby) of the same database, with the application's
    role; searches without an answer read it"""
    MEDRAG_REPLICA_MAX_LAG_S: int = Field(10, ge=1, le=3600)
    """seconds that the standby may be behind; if it is more, the primary is searched"""
    MEDRAG_DATABASE_NAME: DatabaseName = ""
    """use another database on the same server, created if missing; `evaluate` gives each data set
    its own"""
    MEDRAG_PREPARED_STATEMENTS: Switch = True
    """prepare search statements once per connection, and use cursors of the server; use `false`
    behind a [pool](scaling.md#a-pool) that changes the server connection with each transaction"""

    @field_validator("MEDRAG_SECRET_KEY")
    @classmethod
    def _or_the_one_kept(cls, said: str, info: ValidationInfo) -> str:
        data = info.data.get("MEDRAG_DATA_DIR")
        return said or (kept_key(data / "keys" / "secret_key") if data else "")
