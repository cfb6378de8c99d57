"""Settings of processes and of other programs: the API, webhooks, Prometheus, worker, logs."""

from medrag_site.env import Env

env = Env()

SERVE_PORT = env.integer("PORT", 8000, low=1, high=65_535, about="the port that `serve` listens on")
web = env.group("MEDRAG_WEB", about="how the site is served")
SERVE_HOST = web.text("host", "127.0.0.1", about="address that `serve` listens on")
HTTPS = web.boolean(
    "https",
    False,
    about="served by HTTPS behind a proxy that sets X-Forwarded-Proto: secure cookies, HSTS, "
    "redirect",
)
PROXIES = web.integer(
    "proxies",
    0,
    low=0,
    high=10,
    about="how many proxies of yours stand in front: so many hops of `X-Forwarded-For` are "
    "believed, from its right end; 0 believes none, and then everybody behind a proxy has one "
    "address",
)
WEB_WORKERS = web.integer(
    "workers",
    1,
    low=1,
    high=64,
    about="web processes, each with the encoder in memory (about 0.5 GB)",
)
WEB_THREADS = web.integer(
    "threads",
    32,
    low=1,
    high=256,
    about="requests at a time in each, of which five in eight may hold a stream; of questions two "
    "are answered at once (16 with a language model), the others wait in turn",
)
worker = env.group("MEDRAG_WORKER", about="the worker, which ingests documents")
WORKERS = worker.integer("processes", 2, low=1, high=64, about="documents ingested at a time")
JOB_LEASE_S = worker.integer(
    "lease_s",
    30,
    low=2,
    high=3600,
    about="seconds after which a silent attempt is taken for dead",
)
WORKER_STALL_S = worker.integer(
    "stall_s",
    60,
    low=5,
    high=3600,
    about="seconds that work may wait while nobody works; then those who should are started again",
)

api = env.group("MEDRAG_API", about="the [API](api.md)")
API_RATE = api.rate(
    "rate",
    "60/min",
    about="requests per token and web process, where the token has no rate of its own",
)
API_TOKEN_DAYS = api.integer(
    "token_days", 90, low=1, high=3650, about="how many days a token lives"
)
CORS_ORIGINS = api.origins(
    "cors_origins", about="origins of other sites whose pages may call it; nobody's without"
)
MCP_TOKEN = env.text(
    "MEDRAG_MCP_TOKEN", about="the token by which `mcp` serves the program that started it"
)
webhooks = env.group("MEDRAG_WEBHOOKS", about="messages to [other systems](operations.md#webhooks)")
WEBHOOKS_LOOPBACK = webhooks.boolean(
    "loopback",
    False,
    about="they may go to `http://127.0.0.1`, for tests and a relay that stands beside; else only "
    "https addresses are told",
)
WEBHOOKS_KEEP_DAYS = webhooks.integer(
    "keep_days",
    30,
    low=1,
    high=3650,
    about="days after which a worker deletes a message that was delivered or given up",
)

METRICS, METRICS_TOKEN = env.switch_or_secret(
    "MEDRAG_METRICS",
    about="[numbers for Prometheus](operations.md#watching) at `/metrics`: for this machine alone, "
    "or for whoever sends the token as `Authorization: Bearer`",
)
log = env.group("MEDRAG_LOG", about="what processes write; logs hold no clinical text")
LOG_FORMAT = log.choice(
    "format",
    "text",
    ("text", "json"),
    about="`json`: a JSON object a line, for what collects logs",
)
LOG_LEVEL = log.choice(
    "level",
    "WARNING",
    ("DEBUG", "INFO", "WARNING", "ERROR"),
    about="from what on a line is written",
)
