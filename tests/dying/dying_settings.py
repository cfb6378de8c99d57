"""The tests' settings, with enough attempts for a document that a test often kills."""

from tests.settings import *  # noqa: F403

JOB_MAX_ATTEMPTS = 100
