"""The tests' settings, with the child process failing on demand."""

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*_APPS, "tests.bench.failing.Failing"]
