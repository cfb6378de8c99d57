"""An invented guideline, and what a language model's generator writes from it."""

from typing import Any

from chat.generation.language_model import LanguageModelGenerator
from chat.generation.types import Generation, Task
from chat.types import DraftClaim
from chat.verification.verify import verify
from core.llm.client import Endpoint
from core.llm.usage import Price
from tests.chat.evidence.hits import hits_for
from tests.chat.generation.writing_model import Write, writes
from tests.llm import server as llm_server

TEXT = """# Gentamicin in adults
## Dose
Give gentamicin 5 mg/kg once daily by infusion. Do not give gentamicin 7 mg/kg to pregnant women.
Take it with water, see the leaflet at www.ward.example for more.
| Clearance (mL/min) | Interval |
| More than 60 | Every 24 hours |
| 20 to 60 | Every 36 hours |
"""
DOSE = "Give gentamicin 5 mg/kg once daily by infusion."
NEVER = "Do not give gentamicin 7 mg/kg to pregnant women."
QUESTION = "What is the dose of gentamicin?"


def generator(
    *servers: llm_server.Endpoint, price: Price = (0.0, 0.0), **values: Any
) -> LanguageModelGenerator:
    endpoints = tuple(
        Endpoint(server.url, f"writer-{place}", "key-canary", role="generate", price=price)
        for place, server in enumerate(servers, start=1)
    )
    return LanguageModelGenerator(endpoints, **values)


def task(**values: Any) -> Task:
    return Task(**({"question": QUESTION, "passages": hits_for(QUESTION)} | values))


def generated(server: llm_server.Endpoint, write: Write, **values: Any) -> Generation:
    server.default = writes(write)
    return generator(server).generate(task(**values))


def fails(made: DraftClaim) -> bool:
    return not verify([made])[0].supported
