"""The tests' settings, with as many attempts for a document as a test kills."""

from tests.settings import *  # noqa: F403

JOB_MAX_ATTEMPTS = 100
