"""Settings of processes and of other programs: the API, webhooks, Prometheus, worker, logs."""

from medrag_site.configuration.environment import Env

env = Env()

SERVE_PORT = env.integer("PORT", 8000, low=1, high=65_535, about="port that `serve` listens on")
web = env.group("MEDRAG_WEB", about="how the site is served")
SERVE_HOST = web.text("host", "127.0.0.1", about="address that `serve` listens on")
SITE_ADDRESS = web.url(
    "address",
    about="public address of the site, for links in answers of `mcp`; pages and the API take it "
    "from the request. Without it, `host` with `PORT`",
)
HTTPS = web.boolean(
    "https",
    False,
    about="the site is served by HTTPS behind a reverse proxy that sets X-Forwarded-Proto: "
    "secure cookies, HSTS, redirect from HTTP",
)
PROXIES = web.integer(
    "proxies",
    0,
    low=0,
    high=10,
    about="number of your own proxies in front of the site: this many entries at the right "
    "end of `X-Forwarded-For` are trusted; with 0 none is trusted, and everybody behind "
    "a proxy has the proxy's address",
)
WEB_WORKERS = web.integer(
    "workers",
    1,
    low=1,
    high=64,
    about="web processes, each with the models in memory (0.85 to 1.2 GB after fifty questions)",
)
WEB_THREADS = web.integer(
    "threads",
    32,
    low=1,
    high=256,
    about="requests that each web process handles at the same time; up to five in eight of "
    "them may be streams. Two questions are answered at the same time (16 with a "
    "language model), others wait in order",
)
worker = env.group("MEDRAG_WORKER", about="the worker, which ingests documents")
WORKERS = worker.integer(
    "processes", 2, low=1, high=64, about="documents ingested at the same time"
)
JOB_LEASE_S = worker.integer(
    "lease_s",
    30,
    low=2,
    high=3600,
    about="seconds without a sign of life after which an attempt counts as dead and its job "
    "is run again",
)
WORKER_STALL_S = worker.integer(
    "stall_s",
    60,
    low=5,
    high=3600,
    about="seconds that jobs may wait while no process takes one; then the worker restarts "
    "its processes",
)

api = env.group("MEDRAG_API", about="the [API](api.md)")
API_RATE = api.rate(
    "rate",
    "60/min",
    about="requests per token, unless the token has a rate of its own",
)
API_TOKEN_DAYS = api.integer(
    "token_days", 90, low=1, high=3650, about="days until a new token expires"
)
CORS_ORIGINS = api.origins(
    "cors_origins", about="origins of other sites whose pages may call the API; without it none may"
)
MCP_TOKEN = env.text(
    "MEDRAG_MCP_TOKEN",
    about="token that `mcp` uses for the program that started it",
    is_secret=True,
)
webhooks = env.group("MEDRAG_WEBHOOKS", about="messages to [other systems](api.md#webhooks)")
WEBHOOKS_LOOPBACK = webhooks.boolean(
    "loopback",
    False,
    about="also allow `http://127.0.0.1`, for tests and for a relay on this machine; "
    "otherwise only https addresses are allowed",
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
    about="[metrics for Prometheus](running.md#watching) at `/metrics`: for this machine "
    "only (`true`), or for clients that send the token as `Authorization: Bearer`",
)
log = env.group("MEDRAG_LOG", about="logs of the processes, which hold no clinical text")
LOG_FORMAT = log.choice(
    "format",
    "text",
    ("text", "json"),
    about="`json` writes one JSON object per line, for log collectors",
)
LOG_LEVEL = log.choice(
    "level",
    "WARNING",
    ("DEBUG", "INFO", "WARNING", "ERROR"),
    about="lowest level that is written",
)
