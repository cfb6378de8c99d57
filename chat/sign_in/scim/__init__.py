"""Serve SCIM 2.0 to the hospital's directory; `chat/sign_in/directory.py` does what it says."""
