"""Configure Django by the settings that `medrag_site.configuration` declares.

All names in capitals of those modules are imported unchanged.
"""

import os
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from medrag_site import configuration
from medrag_site.configuration.answers import *
from medrag_site.configuration.documents import *
from medrag_site.configuration.processes import *
from medrag_site.configuration.site import *
from medrag_site.database import roles as databases
from medrag_site.database.embedded import folder_of
from medrag_site.release import release

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
X_FRAME_OPTIONS = "DENY"

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
    "medrag_site.web.page_language.PageLanguage",  # before any that may answer
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
        **{name: {"level": "WARNING"} for name in ("openai", "httpx", "httpcore", "mcp")},
        "axes": {"level": "ERROR"},  # chat.sign_in.lockouts logs lockouts, once
        "medrag_site.request_log": {"level": "INFO"},  # a line for each request, in JSON
    },
}

# Variables passed between processes, and those read by the tests.
configuration.env.refuse_unknown(
    "MEDRAG_",
    besides=r"MEDRAG_(PARENT_PID|WORKER_ID|TEST_\w+|SHARED_DATA|DRAWN)$",
)
