"""The web process."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")

import django

from medrag_site.handler import Handler
from medrag_site.start import prepare

prepare(["wsgi", "web"])
django.setup(set_prefix=False)
application = Handler()
