"""Start the web process."""

import os
from contextlib import suppress

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "medrag_site.settings")

import django
from django.db import Error, connection

from medrag_site.database.restore_mark import SENTENCE, is_unfinished
from medrag_site.processes.start import prepare
from medrag_site.web.handler import Handler

prepare(["wsgi", "web"])
django.setup(set_prefix=False)
application = Handler()

with suppress(Error):  # the database may be away, and come back
    if is_unfinished():
        raise SystemExit(SENTENCE)
    connection.close()  # a connection must not be shared with forked processes
