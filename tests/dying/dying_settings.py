"""The tests' settings with as many attempts as a test has deaths for a document."""

from tests.settings import *  # noqa: F403

JOB_MAX_ATTEMPTS = 100
