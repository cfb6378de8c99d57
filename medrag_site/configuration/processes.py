"""Settings of processes and of other programs: the API, webhooks, Prometheus, worker, logs."""

from typing import Literal

from pydantic import Field

from medrag_site.configuration.environment import Keys, Section
from medrag_site.configuration.kinds import (
    Address,
    Hidden,
    Origins,
    Rate,
    Switch,
    SwitchOrToken,
)


class Web(Keys):
    host: str = "127.0.0.1"
    """address that `serve` listens on"""
    address: Address = ""
    """public address of the site, for links in answers of `mcp`; pages and the API take it from the
    request. Without it, `host` with `PORT`"""
    https: Switch = False
    """the site is served by HTTPS behind a reverse proxy that sets X-Forwarded-Proto: secure
    cookies, HSTS, redirect from HTTP"""
    proxies: int = Field(0, ge=0, le=10)
    """number of your own proxies in front of the site: this many entries at the right end of
    `X-Forwarded-For` are trusted; with 0 none is trusted, and everybody behind a proxy has the
    proxy's address"""
    workers: int = Field(1, ge=1, le=64)
    """web processes, each with the models in memory (0.85 to 1.2 GB after fifty questions)"""
    threads: int = Field(32, ge=1, le=256)
    """requests that each web process handles at the same time; up to five in eight of them may be
    streams. Two questions are answered at the same time (16 with a language model), others wait in
    order"""


class Worker(Keys):
    processes: int = Field(2, ge=1, le=64)
    """documents ingested at the same time"""
    lease_s: int = Field(30, ge=2, le=3600)
    """seconds without a sign of life after which an attempt counts as dead and its job is run
    again"""
    stall_s: int = Field(60, ge=5, le=3600)
    """seconds that jobs may wait while no process takes one; then the worker restarts its
    processes"""


class Api(Keys):
    rate: Rate = "60/min"
    """requests per token, unless the token has a rate of its own"""
    token_days: int = Field(90, ge=1, le=3650)
    """days until a new token expires"""
    cors_origins: Origins = []
    """origins of other sites whose pages may call the API; without it none may"""


class Webhooks(Keys):
    loopback: Switch = False
    """also allow `http://127.0.0.1`, for tests and for a relay on this machine; otherwise only
    https addresses are allowed"""
    keep_days: int = Field(30, ge=1, le=3650)
    """days after which a worker deletes a message that was delivered or given up"""


class Log(Keys):
    format: Literal["text", "json"] = "text"
    """`json` writes one JSON object per line, for log collectors"""
    level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "WARNING"
    """lowest level that is written"""


class Processes(Section):
    PORT: int = Field(8000, ge=1, le=65_535)
    """port that `serve` listens on"""
    MEDRAG_WEB: Web = Web.model_construct()
    """how the site is served"""
    MEDRAG_WORKER: Worker = Worker.model_construct()
    """the worker, which ingests documents"""
    MEDRAG_API: Api = Api.model_construct()
    """the [API](api.md)"""
    MEDRAG_MCP_TOKEN: Hidden = ""
    """token that `mcp` uses for the program that started it"""
    MEDRAG_WEBHOOKS: Webhooks = Webhooks.model_construct()
    """messages to [other systems](api.md#webhooks)"""
    MEDRAG_METRICS: SwitchOrToken = False
    """[metrics for Prometheus](running.md#watching) at `/metrics`: for this machine only (`true`),
    or for clients that send the token as `Authorization: Bearer`"""
    MEDRAG_LOG: Log = Log.model_construct()
    """logs of the processes, which hold no clinical text"""
