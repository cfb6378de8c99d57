"""The settings of a site whose demonstration has only a few samples.

`MEDRAG_TEST_SAMPLES` is a manifest like that of the samples. All other settings are the product's.
"""

from medrag_site.settings import *  # noqa: F403
from medrag_site.settings import INSTALLED_APPS as _APPS

INSTALLED_APPS = [*_APPS, "tests.site.few_samples.FewSamples"]
