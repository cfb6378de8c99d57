"""An app that replaces the demonstration's samples by those that a test names."""

import os
from pathlib import Path

from django.apps import AppConfig


class FewSamples(AppConfig):
    name = "tests.site"
    label = "few_samples"

    def ready(self) -> None:
        from medrag_site import demo

        manifest = Path(os.environ["MEDRAG_TEST_SAMPLES"])
        vars(demo)["MANIFEST"] = manifest
        demo.samples_are_here.__defaults__ = (manifest,)
