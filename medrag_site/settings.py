"""Configure Django by the settings that `medrag_site.configuration` declares."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from medrag_site.configuration import given
from medrag_site.configuration.site import BASE_DIR, secure_origins, without_ports
from medrag_site.database import roles as databases
from medrag_site.database.embedded import folder_of
from medrag_site.release import release

# Programs, processes and logs
SERVE_PORT = given.PORT
SERVE_HOST = given.MEDRAG_WEB.host
SITE_ADDRESS = given.MEDRAG_WEB.address
HTTPS = given.MEDRAG_WEB.https
PROXIES = given.MEDRAG_WEB.proxies
WEB_WORKERS = given.MEDRAG_WEB.workers
WEB_THREADS = given.MEDRAG_WEB.threads
WORKERS = given.MEDRAG_WORKER.processes
JOB_LEASE_S = given.MEDRAG_WORKER.lease_s
WORKER_STALL_S = given.MEDRAG_WORKER.stall_s
API_RATE = given.MEDRAG_API.rate
API_TOKEN_DAYS = given.MEDRAG_API.token_days
CORS_ORIGINS = given.MEDRAG_API.cors_origins
MCP_TOKEN = given.MEDRAG_MCP_TOKEN
WEBHOOKS_LOOPBACK = given.MEDRAG_WEBHOOKS.loopback
WEBHOOKS_KEEP_DAYS = given.MEDRAG_WEBHOOKS.keep_days
METRICS = bool(given.MEDRAG_METRICS)  # a token switches them on
METRICS_TOKEN = given.MEDRAG_METRICS if isinstance(given.MEDRAG_METRICS, str) else ""
LOG_FORMAT = given.MEDRAG_LOG.format
LOG_LEVEL = given.MEDRAG_LOG.level

# Site, people and database
DATA_DIR = given.MEDRAG_DATA_DIR
FILES_DIR = DATA_DIR / "files"
KEYS_DIR = DATA_DIR / "keys"
MODELS_DIR = DATA_DIR / "models"  # converted encoders, which can be converted again
FILES = given.MEDRAG_FILES.model_dump()
CERTIFICATES_FILE = given.SSL_CERT_FILE
SITE_LABEL = given.MEDRAG_SITE_LABEL
TIME_ZONE = given.MEDRAG_TIME_ZONE
SECRET_KEY = given.MEDRAG_SECRET_KEY
DEBUG = given.MEDRAG_DEBUG
ALLOWED_HOSTS = without_ports(given.MEDRAG_ALLOWED_HOSTS)
CSRF_TRUSTED_ORIGINS = secure_origins(given.MEDRAG_ALLOWED_HOSTS) if HTTPS else []
SESSION_COOKIE_AGE = 3600 * given.MEDRAG_SESSION.hours
SESSION_IDLE = timedelta(minutes=given.MEDRAG_SESSION.idle_minutes)
AXES_FAILURE_LIMIT = given.MEDRAG_LOCKOUT.failures
LOCKOUT_ADDRESS_FAILURES = given.MEDRAG_LOCKOUT.address_failures
AXES_COOLOFF_TIME = timedelta(minutes=given.MEDRAG_LOCKOUT.minutes)
SECOND_FACTOR_FOR_STAFF = given.MEDRAG_SECOND_FACTOR_FOR_STAFF
OIDC_ISSUER = given.MEDRAG_OIDC.issuer
OIDC_CLIENT_ID = given.MEDRAG_OIDC.client_id
OIDC_CLIENT_SECRET = given.MEDRAG_OIDC.client_secret
OIDC_GROUPS_CLAIM = given.MEDRAG_OIDC.groups_claim
OIDC_GROUPS = given.MEDRAG_OIDC.groups
OIDC_EXTERNAL_ID_CLAIM = given.MEDRAG_OIDC.external_id_claim
OIDC_AUDIENCE = given.MEDRAG_OIDC.audience
SCIM_TOKEN = given.MEDRAG_SCIM
RECORD = given.MEDRAG_RECORD
FRAME_ANCESTORS = given.MEDRAG_FRAME_ANCESTORS
DATABASE_URL = given.DATABASE_URL
DATABASE_OWNER_URL = given.DATABASE_OWNER_URL
DATABASE_AUDITOR_URL = given.DATABASE_AUDITOR_URL
DATABASE_REPLICA_URL = given.DATABASE_REPLICA_URL
REPLICA_MAX_LAG_S = given.MEDRAG_REPLICA_MAX_LAG_S
DATABASE_NAME = given.MEDRAG_DATABASE_NAME
PREPARED_STATEMENTS = given.MEDRAG_PREPARED_STATEMENTS

# Documents and search
SCANNER = given.MEDRAG_SCANNER
UPLOAD_MAX_BYTES = 1024**2 * given.MEDRAG_PARSING.upload_mb
PARSE_TIMEOUT_S = given.MEDRAG_PARSING.timeout_s
PARSE_MEMORY_MB = given.MEDRAG_PARSING.memory_mb
PARSE_MAX_PAGES = given.MEDRAG_PARSING.pages
DOCLING_READS = given.MEDRAG_PARSING.docling
DOCLING_ARTIFACTS_PATH = given.DOCLING_ARTIFACTS_PATH
CHUNK_TOKENS = given.MEDRAG_CHUNKS.tokens
CHUNK_OVERLAP_TOKENS = given.MEDRAG_CHUNKS.overlap
_encoders = given.MEDRAG_ENCODERS
ENCODERS = _encoders if _encoders.endswith(".toml") or Path(_encoders).is_file() else ""
EMBEDDER = "bundled" if ENCODERS else _encoders
ENCODER_BACKEND = given.MEDRAG_COMPUTING.backend
ENCODER_PRECISION = given.MEDRAG_COMPUTING.precision
ENCODER_THREADS = given.MEDRAG_COMPUTING.threads
SUMMARIES = given.MEDRAG_SUMMARIES
RETRIEVAL = given.MEDRAG_RETRIEVAL
CONCEPTS = given.MEDRAG_CONCEPTS
RETRACTIONS_FILE = given.MEDRAG_RETRACTIONS_FILE
SOURCES = given.MEDRAG_SOURCES

# Questions, answers and their log
MODE = given.MEDRAG_MODE
MODELS = given.MEDRAG_MODELS
GENERATOR = given.MEDRAG_GENERATOR
VERIFIER = given.MEDRAG_VERIFIER
GATE_THRESHOLD = given.MEDRAG_THRESHOLDS.gate
CONFIDENCE_THRESHOLD = given.MEDRAG_THRESHOLDS.confidence
VERIFIER_THRESHOLD = given.MEDRAG_THRESHOLDS.verifier
ANSWER_TIMEOUT_S = given.MEDRAG_QUESTIONS.timeout_s
QUESTION_MAX_CHARS = given.MEDRAG_QUESTIONS.max_chars
OMISSIONS = given.MEDRAG_CAVEATS.omissions
CONFLICTS = given.MEDRAG_CAVEATS.conflicts
APPLICABILITY = given.MEDRAG_CAVEATS.applicability
CLOSED = given.MEDRAG_CAVEATS.closed
IDENTIFIERS = given.MEDRAG_IDENTIFIERS
FOLLOW_UPS = given.MEDRAG_FOLLOW_UPS
ANSWER_LANGUAGES = given.MEDRAG_LANGUAGES
CONVERSATIONS_DELETABLE = given.MEDRAG_CONVERSATIONS_DELETABLE
TWO_PERSON_PUBLISH = given.MEDRAG_TWO_PERSON_PUBLISH
AUDIT_HEADS_FILE = DATA_DIR / given.MEDRAG_AUDIT_HEADS.file
AUDIT_HEADS_COPY = given.MEDRAG_AUDIT_HEADS.copy_
AUDIT_HEADS_URL = given.MEDRAG_AUDIT_HEADS.url
RETENTION: dict[str, int] = given.MEDRAG_RETENTION.model_dump()
AUDIT_FORWARD_TO = given.MEDRAG_AUDIT_FORWARD.to
AUDIT_FORWARD_FORMAT = given.MEDRAG_AUDIT_FORWARD.format
AUDIT_FORWARD_PAYLOAD = given.MEDRAG_AUDIT_FORWARD.payload
AUDIT_FORWARD_KEY = given.MEDRAG_AUDIT_FORWARD.key
DRIFT_DAYS = given.MEDRAG_DRIFT.days
DRIFT_REFERENCE_DAYS = given.MEDRAG_DRIFT.reference_days

# No dependency may call home.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# What is SSL_CERT_FILE to the other libraries is another name to boto3 and to requests.
if CERTIFICATES_FILE:
    for _name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        os.environ.setdefault(_name, CERTIFICATES_FILE)
os.environ.pop("OPENAI_LOG", None)  # it makes that client log whole requests

# Security
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# Requested by machines, on the port behind the proxy
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "chat.sign_in.sessions"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"  # but for medrag_site.web.framing
# Pages at 127.0.0.1 are of the same site as one that is served there: their frames get its cookies.
if not HTTPS and any(not each.startswith("http://127.0.0.1:") for each in FRAME_ANCESTORS):
    raise ImproperlyConfigured(
        "MEDRAG_FRAME_ANCESTORS needs https=true in MEDRAG_WEB: browsers send no cookie without it."
    )

# Wrong passwords and tokens, counted by django-axes: see chat.sign_in.lockouts
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_HANDLER = "chat.sign_in.lockouts.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # else anybody could prolong it for ever
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "chat.sign_in.lockouts.account_of"
AXES_CLIENT_IP_CALLABLE = "medrag_site.web.client_address.client_address"
AXES_LOCKOUT_CALLABLE = "chat.sign_in.lockouts.locked_page"
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are in the log of chat.audit
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code"]  # not kept of a failed sign-in
SOCIALACCOUNT_ADAPTER = "chat.sign_in.oidc.StraightRequests"
AXES_ENABLE_ADMIN = False  # medrag_site.admin has its own
OTP_TOTP_ISSUER = "MedRAG"  # codes of an authenticator app: see chat.sign_in.second_factor

# Database
DATABASE_IS_EMBEDDED = not DATABASE_URL
if DATABASE_IS_EMBEDDED and DATABASE_REPLICA_URL:
    raise ImproperlyConfigured("DATABASE_REPLICA_URL needs the primary's address in DATABASE_URL.")
DATABASES = (
    databases.embedded(str(folder_of(DATA_DIR)), DATABASE_NAME)
    if DATABASE_IS_EMBEDDED
    else databases.external(
        DATABASE_URL,
        DATABASE_OWNER_URL,
        DATABASE_AUDITOR_URL,
        DATABASE_NAME,
        replica=DATABASE_REPLICA_URL,
    )
)
if not PREPARED_STATEMENTS:  # a pool gives each transaction another session, without its cursors
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
DATABASE_ROUTERS = ["core.replica.ReplicaRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Uploads
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024**2
DATA_UPLOAD_MAX_NUMBER_FILES = 500
FILE_UPLOAD_PERMISSIONS = 0o600

KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a table

# Jobs
JOB_MAX_ATTEMPTS = 3
JOB_TIMEOUT_S = PARSE_TIMEOUT_S + 2700  # the rest is for embedding the largest document
PARSER_COMMAND: tuple[str, ...] = ()  # empty: the parser of corpus.parsing

# Background work: see core.wake_ups and medrag_site.processes
Q_CLUSTER: dict[str, Any] = {
    "name": "medrag",
    "label": "Background work",
    "orm": "default",
    "broker_class": "medrag_site.processes.broker.LastingBroker",
    # One for each document read at the same time, one for each of six other kinds of work, and one
    # that is always free for what takes a moment. They are small: the work is done in children.
    "workers": WORKERS + 7,
    "queue_limit": 1,  # what waits, waits in the table
    "bulk": 1,
    "poll": 0.5,
    "timeout": 120,  # seconds; children have limits of their own
    "retry": 86_400,  # lost tasks are repaired from the rows, long before
    "ack_failures": True,
    "max_attempts": 1,  # attempts are counted in the rows
    "catch_up": False,
    "save_limit": 20,
    "save_limit_per": "group",
}

INSTALLED_APPS = [
    "bench",
    "medrag_site",
    "evaluation",
    "chat",
    "retrieval",
    "corpus",
    "webhooks",  # after chat, so that the log receives each signal first
    "medrag_site.apps.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "knox",
    "axes",
    "allauth",
    "allauth.account",  # the next one needs its tables
    "allauth.socialaccount",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "django_q",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "medrag_site.request_log.RequestIds",
    "medrag_site.web.health.probes_first",
    "medrag_site.web.page_language.PageLanguage",  # before any that may answer
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "medrag_site.web.framing.Framing",
    "medrag_site.web.request_validation.SoundRequests",
    "medrag_site.web.cross_origin.CrossOrigin",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}

ROOT_URLCONF = "medrag_site.urls"
WSGI_APPLICATION = "medrag_site.wsgi.application"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat:home"
LOGOUT_REDIRECT_URL = "login"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "medrag_site.web.context.deployment",
            ],
        },
    }
]

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]  # see medrag_site.web.page_language
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "medrag_site.formats"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # served from the checkout, without a step to collect files
MEDIA_ROOT = FILES_DIR
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
STORAGES = {
    "guidelines": FILES_IN_BUCKET if FILES["bucket"] else FILES_ON_DISK,
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["knox.auth.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_RATES": {"query": API_RATE},
    "EXCEPTION_HANDLER": "chat.api.problems.problem_details",
    "NUM_PROXIES": PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "MedRAG",
    "DESCRIPTION": "Cited answers from a hospital's own guidelines, or a refusal.",
    "VERSION": "1",
    "EXTENSIONS_INFO": {"x-release": release()},
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",  # the next part of the path is the tag
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "webhooks.description.add_webhooks",
    ],
    # A request may name only modes that the site is equipped for.
    "ENUM_NAME_OVERRIDES": {
        "ModeEnum": "chat.models.Mode",
        "SourceTypeEnum": "corpus.models.SourceType",
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "{asctime} {levelname} {name} {request_id} {message}", "style": "{"},
        "json": {"()": "medrag_site.request_log.JsonLines"},
    },
    "filters": {
        "away": {"()": "medrag_site.database.faults.WithoutTraceback"},
        "request": {"()": "medrag_site.request_log.RequestLines"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["away", "request"],
        },
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        # At DEBUG these write whole requests, which hold questions and passages.
        **{name: {"level": "WARNING"} for name in ("openai", "httpx", "httpcore", "mcp", "msal")},
        "axes": {"level": "ERROR"},  # chat.sign_in.lockouts logs lockouts, once
        "medrag_site.request_log": {"level": "INFO"},  # a line for each request, in JSON
    },
}
