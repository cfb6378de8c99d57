"""The tests' settings, in which the process that searches fails on demand."""

from tests.settings import *  # noqa: F403
from tests.settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*_APPS, "tests.bench.failing.Failing"]
