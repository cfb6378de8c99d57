"""Settings, read strictly from the environment. Every name here has a line in the README."""

import os
from datetime import timedelta
from pathlib import Path

from medrag_site.database import roles as databases
from medrag_site.database.embedded import folder_of
from medrag_site.env import Env, secure_origins, without_ports
from medrag_site.moved_settings import MOVED

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env()

# Nothing of a dependency's may call home.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.pop("OPENAI_LOG", None)  # it has that client write whole requests into the log

# State: everything that the system keeps is below this one folder.
DATA_DIR = env.folder("MEDRAG_DATA_DIR", BASE_DIR / "var")
FILES_DIR = DATA_DIR / "files"
KEYS_DIR = DATA_DIR / "keys"
MODELS_DIR = DATA_DIR / "models"  # encoders in the form that they are computed in; made anew

# Security
SECRET_KEY = env.secret_key("MEDRAG_SECRET_KEY", KEYS_DIR / "secret_key")
DEBUG = env.boolean("MEDRAG_DEBUG", False)
hosts = env.hosts("MEDRAG_ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
ALLOWED_HOSTS = without_ports(hosts)
HTTPS = env.boolean("MEDRAG_HTTPS", False)
CSRF_TRUSTED_ORIGINS = secure_origins(hosts) if HTTPS else []
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
# What machines ask, on the port behind the proxy
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_ENGINE = "medrag_site.sign_in.sessions"
session = env.group("MEDRAG_SESSION")
SESSION_COOKIE_AGE = session.integer("hours", 12, low=1, high=720) * 3600
SESSION_IDLE = timedelta(minutes=session.integer("idle_minutes", 0, low=0, high=43_200))
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
PROXIES = env.integer("MEDRAG_PROXIES", 0, low=0, high=10)

# Wrong passwords and tokens, counted by django-axes: see chat.sign_in.lockouts
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_HANDLER = "chat.sign_in.lockouts.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
lockout = env.group("MEDRAG_LOCKOUT")
AXES_FAILURE_LIMIT = lockout.integer("failures", 5, low=2, high=1000)
LOCKOUT_ADDRESS_FAILURES = lockout.integer(
    "address_failures", 50, low=AXES_FAILURE_LIMIT, high=100_000
)
AXES_COOLOFF_TIME = timedelta(minutes=lockout.integer("minutes", 15, low=1, high=1440))
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # else anybody could prolong it for ever
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "chat.sign_in.lockouts.account_of"
AXES_CLIENT_IP_CALLABLE = "medrag_site.web.client_address.client_address"
AXES_LOCKOUT_CALLABLE = "chat.sign_in.lockouts.locked_page"
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are in the log of chat.audit
AXES_ENABLE_ADMIN = False  # medrag_site.admin has its own
# Codes of an authenticator app after a password: see chat.sign_in.second_factor
SECOND_FACTOR_FOR_STAFF = env.boolean("MEDRAG_SECOND_FACTOR_FOR_STAFF", False)
OTP_TOTP_ISSUER = "MedRAG"

# The hospital's own sign-in by OpenID Connect; off without a file
oidc = env.toml("MEDRAG_OIDC", needs=("issuer", "client_id", "client_secret"))
OIDC_ISSUER = oidc.url("issuer")
OIDC_CLIENT_ID = oidc.text("client_id")
OIDC_CLIENT_SECRET = oidc.secret("client_secret")
OIDC_GROUPS_CLAIM = oidc.text("groups_claim", "groups")
OIDC_GROUPS = oidc.table("groups")
SECURE_REFERRER_POLICY = "same-origin"

# Database
DATABASE_URL = env.text("DATABASE_URL")
DATABASE_OWNER_URL = env.text("DATABASE_OWNER_URL")
DATABASE_AUDITOR_URL = env.text("DATABASE_AUDITOR_URL")
DATABASE_IS_EMBEDDED = not DATABASE_URL
DATABASE_NAME = env.database_name("MEDRAG_DATABASE_NAME")  # another one on the same server
DATABASES = (
    databases.embedded(str(folder_of(DATA_DIR)), DATABASE_NAME)
    if DATABASE_IS_EMBEDDED
    else databases.external(DATABASE_URL, DATABASE_OWNER_URL, DATABASE_AUDITOR_URL, DATABASE_NAME)
)
PREPARED_STATEMENTS = env.boolean("MEDRAG_PREPARED_STATEMENTS", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Uploads and parsing
parsing = env.group("MEDRAG_PARSING")
UPLOAD_MAX_BYTES = parsing.integer("upload_mb", 50, low=1, high=2000) * 1024**2
PARSE_TIMEOUT_S = parsing.integer("timeout_s", 900, low=5, high=14_400)
PARSE_MEMORY_MB = parsing.integer("memory_mb", 6144, low=512, high=262_144)
PARSE_MAX_PAGES = parsing.integer("pages", 1000, low=1, high=20_000)
DOCLING_ARTIFACTS_PATH = env.text("DOCLING_ARTIFACTS_PATH")
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024**2
DATA_UPLOAD_MAX_NUMBER_FILES = 500
FILE_UPLOAD_PERMISSIONS = 0o600

# Chunking and embedding
chunks = env.group("MEDRAG_CHUNKS")
CHUNK_TOKENS = chunks.integer("tokens", 550, low=100, high=2000)
CHUNK_OVERLAP_TOKENS = chunks.integer("overlap", 125, low=0, high=CHUNK_TOKENS // 2)
EMBEDDER = env.text("MEDRAG_EMBEDDER", "bundled")
SUMMARIES = env.choice("MEDRAG_SUMMARIES", "none", ("none", "extractive", "llm"))
ENCODERS = env.text("MEDRAG_ENCODERS")  # a TOML file, see corpus.encoders.specs
ENCODER_BACKEND = env.choice("MEDRAG_ENCODER_BACKEND", "auto", ("auto", "torch", "openvino"))
ENCODER_PRECISION = env.choice("MEDRAG_ENCODER_PRECISION", "auto", ("auto", "f32"))
ENCODER_THREADS = env.integer("MEDRAG_ENCODER_THREADS", 2, low=1, high=64)

# Retrieval: what differs from the defaults of retrieval.config, such as `fusion=sum k=5`
RETRIEVAL = env.text("MEDRAG_RETRIEVAL")
CONCEPTS = env.text("MEDRAG_CONCEPTS")  # a folder with rows of UMLS; else the lexicon's concepts

# Language models and cross-encoders by role: a TOML file, see core.llm.models_file
MODELS = env.models("MEDRAG_MODELS")
GENERATOR = env.choice("MEDRAG_GENERATOR", "extractive", ("extractive", "llm"))
VERIFIER = env.choice("MEDRAG_VERIFIER", "checker", ("checker", "nli", "llm"))  # after the guards
VERIFIER_THRESHOLD = env.optional_number("MEDRAG_VERIFIER_THRESHOLD", low=0.5, high=1.0)

# Answers
MODE = env.choice(
    "MEDRAG_MODE", "confident-lite", ("standard", "faithful", "confident", "confident-lite")
)
CONFIDENCE_THRESHOLD = env.number("MEDRAG_CONFIDENCE_THRESHOLD", 0.6, low=0.0, high=1.0)
ANSWER_TIMEOUT_S = env.number("MEDRAG_ANSWER_TIMEOUT_S", 30.0, low=1.0, high=600.0)
caveats = env.group("MEDRAG_CAVEATS")
OMISSIONS = caveats.choice("omissions", "add", ("add", "warn", "block", "off"))
CONFLICTS = caveats.choice("conflicts", "warn", ("warn", "block"))
APPLICABILITY = caveats.choice("applicability", "warn", ("warn", "block"))
IDENTIFIERS = env.choice("MEDRAG_IDENTIFIERS", "redact", ("warn", "redact", "block"))
FOLLOW_UPS = env.choice("MEDRAG_FOLLOW_UPS", "rules", ("rules", "llm", "off"))
CONVERSATIONS_DELETABLE = env.boolean("MEDRAG_CONVERSATIONS_DELETABLE", False)
GATE_THRESHOLD = env.optional_number("MEDRAG_GATE_THRESHOLD", low=0.0, high=1.0)
QUESTION_MAX_CHARS = env.integer("MEDRAG_QUESTION_MAX_CHARS", 2000, low=100, high=10_000)
TWO_PERSON_PUBLISH = env.boolean("MEDRAG_TWO_PERSON_PUBLISH", False)

# Audit
heads = env.group("MEDRAG_AUDIT_HEADS")
AUDIT_HEADS_FILE = heads.file_to_append("file", DATA_DIR / "audit" / "heads.jsonl")
AUDIT_HEADS_COPY = heads.text("copy")
AUDIT_HEADS_URL = heads.url("url")

# API
API_RATE = env.rate("MEDRAG_API_RATE", "60/min")
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a table
API_TOKEN_DAYS = env.integer("MEDRAG_API_TOKEN_DAYS", 90, low=1, high=3650)
CORS_ORIGINS = env.origins("MEDRAG_CORS_ORIGINS")
MCP_TOKEN = env.text("MEDRAG_MCP_TOKEN")

# Webhooks: http to this machine is allowed, for tests and a relay that stands beside
webhooks = env.group("MEDRAG_WEBHOOKS")
WEBHOOKS_LOOPBACK = webhooks.boolean("loopback", False)
WEBHOOKS_KEEP_DAYS = webhooks.integer("keep_days", 30, low=1, high=3650)

# How many of the last days are held against how many before them
drift = env.group("MEDRAG_DRIFT")
DRIFT_DAYS = drift.integer("days", 7, low=1, high=90)
DRIFT_REFERENCE_DAYS = drift.integer("reference_days", 28, low=7, high=365)

# A list of retracted publications, looked at each day; empty for none
RETRACTIONS_FILE = env.text("MEDRAG_RETRACTIONS_FILE")

# Numbers for Prometheus, at /metrics
METRICS, METRICS_TOKEN = env.switch_or_secret("MEDRAG_METRICS")

# Web process
SERVE_HOST = env.text("MEDRAG_HOST", "127.0.0.1")
SERVE_PORT = env.integer("PORT", 8000, low=1, high=65_535)
web = env.group("MEDRAG_WEB")
WEB_WORKERS = web.integer("workers", 1, low=1, high=64)
WEB_THREADS = web.integer("threads", 32, low=1, high=256)

# Jobs
worker = env.group("MEDRAG_WORKER")
WORKERS = worker.integer("processes", 2, low=1, high=64)
JOB_LEASE_S = worker.integer("lease_s", 30, low=2, high=3600)
JOB_MAX_ATTEMPTS = 3
WORKER_STALL_S = worker.integer("stall_s", 60, low=5, high=3600)
JOB_TIMEOUT_S = PARSE_TIMEOUT_S + 2700  # the rest is for embedding the largest document
PARSER_COMMAND: tuple[str, ...] = ()  # empty: the parser of corpus.parsing
Q_CLUSTER = {
    "name": "medrag",
    "orm": "default",
    "workers": WORKERS,
    "recycle": 500,
    "timeout": JOB_TIMEOUT_S,
    # The clock of a retry starts when a job is fetched: it must outlast the ones fetched before.
    "retry": 3 * (JOB_TIMEOUT_S + 3) + 60,
    "queue_limit": 1,
    "bulk": 1,
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": -1,
    "label": "Queue",
    "log_level": "WARNING",
}

INSTALLED_APPS = [
    "bench",
    "medrag_site",
    "evaluation",
    "chat",
    "retrieval",
    "corpus",
    "webhooks",  # behind chat: the log hears of everything first
    "medrag_site.apps.AdministrationConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_q",
    "rest_framework",
    "knox",
    "axes",
    "allauth",
    "allauth.account",  # the next one needs its tables
    "allauth.socialaccount",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

MIDDLEWARE = [
    "medrag_site.request_log.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
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

# Pages
SITE_LABEL = env.text("MEDRAG_SITE_LABEL")  # a badge in every header, such as "Test system"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.time_zone("MEDRAG_TIME_ZONE", "UTC")
FORMAT_MODULE_PATH = "medrag_site.formats"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # served from the checkout: there is no step to forget
MEDIA_ROOT = FILES_DIR
STORAGES = {
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
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",  # what follows it is the tag
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "webhooks.description.add_webhooks",
    ],
    # A request names only the modes that the site has the parts for.
    "ENUM_NAME_OVERRIDES": {
        "ModeEnum": "chat.models.Mode",
        "SourceTypeEnum": "corpus.models.SourceType",
    },
}

log = env.group("MEDRAG_LOG")
LOG_FORMAT = log.choice("format", "text", ("text", "json"))
LOG_LEVEL = log.choice("level", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR"))
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
    # At DEBUG these write whole requests, which hold questions and passages.
    "loggers": {name: {"level": "WARNING"} for name in ("openai", "httpx", "httpcore", "mcp")},
}

# What one process tells another, and what the tests read.
env.refuse_unknown(
    "MEDRAG_",
    besides=r"MEDRAG_(PARENT_PID|WORKER_ID|TEST_\w+|SHARED_DATA|DRAWN)$",
    moved=MOVED,
)
