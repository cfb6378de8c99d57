"""Middleware, health, metrics and the WSGI handler; pages belong to the apps."""
