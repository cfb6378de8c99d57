"""Configurations that can't work on this site, refused before anything is indexed for them."""

from __future__ import annotations

from collections.abc import Sequence

from bench.runs.configurations import Configuration
from core.errors import MedragError
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import config_faults, endpoints_silence, site_config


class FaultyConfiguration(MedragError):
    """It needs a model, an endpoint or summaries that this site has not."""


def refuse_faulty(configurations: Sequence[Configuration]) -> None:
    """Raise FaultyConfiguration for the first that fails a check which the site's own passes.

    Such a search would fall back, query by query, and its figures would be those of another one.
    """
    for configuration in configurations:
        faults = config_faults(_combined(configuration))
        if faults:
            raise FaultyConfiguration(
                f"{configuration.name}: {faults[0].msg}",
                hint="Nothing was indexed or measured.",
            )


def refuse_silent(configurations: Sequence[Configuration]) -> None:
    """Raise FaultyConfiguration for the first that calls an endpoint which does not answer.

    Once hours of indexing are over it would be too late: each query would go on without it.
    """
    for configuration in configurations:
        if silence := endpoints_silence(_combined(configuration)):
            raise FaultyConfiguration(
                f"{configuration.name}: {silence}", hint="Nothing was indexed or measured."
            )


def _combined(configuration: Configuration) -> RetrievalConfig:
    try:
        return config_from(configuration.text, base=site_config())
    except ValueError as error:
        raise FaultyConfiguration(
            f"{configuration.name}: {error}.",
            hint="It is read on top of MEDRAG_RETRIEVAL. Nothing was indexed or measured.",
        ) from error
