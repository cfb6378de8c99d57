"""Start, provision and check the PostgreSQL of the site, embedded or external.

To add a role: `roles.py`, its grants in `provisioning.py` and `docs/running.md`, tests in
`tests/site/database/`. Tables belong to the apps.
"""
