"""Read whom a text is about: ages, states, kidney function, weight, severity, allergies. Pure."""
