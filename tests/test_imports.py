"""Test what a process of the site loads.

Which room may import which is in `[tool.importlinter]`.
"""

import json
import os
import subprocess
import sys

from tests.processes import ROOT

# Seconds and gigabytes each, so they are loaded only where used: in a child or once in a worker.
HEAVY = (
    *("docling", "openvino", "ragas", "rapidocr", "sentence_transformers", "torch"),
    "transformers",
)
PROGRAM = f"""
import json, sys
import django
django.setup()
from django.core.management import get_commands, load_command_class
from django.urls import get_resolver
get_resolver().url_patterns
apps = ("corpus", "retrieval", "chat", "evaluation", "webhooks", "medrag_site")
ours = [(app, name) for name, app in get_commands().items() if app in apps]
for app, name in ours:
    load_command_class(app, name)
print(json.dumps([len(ours), [name for name in {HEAVY!r} if name in sys.modules]]))
"""


def test_no_page_and_no_command_waits_for_a_heavy_library() -> None:
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    commands, loaded = json.loads(said.stdout)
    assert commands > 20
    assert loaded == []
