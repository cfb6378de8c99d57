"""Refuse configurations that can't work on this site before anything is indexed for them."""

from __future__ import annotations

from collections.abc import Sequence

from bench.runs.configurations import Configuration
from core.errors import MedragError
from retrieval.config import RetrievalConfig, config_from
from retrieval.configured import config_faults, endpoints_silence, site_config


class FaultyConfiguration(MedragError):
    """A configuration that is malformed, or needs what this site does not have.

    It may need a model, an endpoint or summaries.
    """


def refuse_faulty(configurations: Sequence[Configuration]) -> None:
    """Raise FaultyConfiguration for the first that this site's settings or endpoints don't allow.

    Its search would fall back query by query, and the figures would be those of another
    configuration. Checked before indexing, which may take hours.
    """
    for configuration in configurations:
        combined = _combined(configuration)
        faults = [fault.msg for fault in config_faults(combined)]
        if fault := next(iter(faults), "") or endpoints_silence(combined):
            raise FaultyConfiguration(
                f"{configuration.name}: {fault}", hint="Nothing was indexed or measured."
            )


def _combined(configuration: Configuration) -> RetrievalConfig:
    try:
        return config_from(configuration.text, base=site_config())
    except ValueError as error:
        raise FaultyConfiguration(
            f"{configuration.name}: {error}.",
            hint="It is read on top of MEDRAG_RETRIEVAL. Nothing was indexed or measured.",
        ) from error
