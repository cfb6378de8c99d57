"""Run the site and its worker: supervisor, django-q2's cluster, tasks and schedules.

What a task does is in the apps. To add a kind of background work: `KINDS` in `background.py`, its
row in `schedules.py`, a worker more in `Q_CLUSTER`.
"""
