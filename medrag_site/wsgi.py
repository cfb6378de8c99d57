"""The web process."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")

from django.core.wsgi import get_wsgi_application

from medrag_site.start import prepare

prepare(["wsgi", "web"])
application = get_wsgi_application()
