"""The REST API, a module for each resource; what it sends is prepared in `chat/web/`.

To add an operation: the module of its resource, `serializers.py`, `urls.py`, `examples.yaml`, a row
of `docs/api.md`. Signing in and tokens are `chat/sign_in/`.
"""
