"""Announce events to other systems: endpoints, deliveries, and sending them signed.

To add an event: `webhooks.models.Event`, its signal in `receivers.py`, its example in
`description.py`, a row of `docs/api.md`, tests in `tests/webhooks/`.
"""
