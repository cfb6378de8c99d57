"""Serve the demonstration's record: `python -m samples.record PORT SITE`."""

import signal
import sys

from medrag_site.processes.parent_death import die_with_parent
from samples.record.resources import demonstration
from samples.record.server import Record, serving

die_with_parent(signal.SIGKILL)
with serving(Record(demonstration(), site=sys.argv[2]), int(sys.argv[1])):
    signal.pause()
