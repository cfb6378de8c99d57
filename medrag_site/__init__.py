"""Put the site together: settings, addresses, groups, processes, database, backups, doctor.

`doctor.py` examines an installation, `hospital.py` its connections with the hospital. Nothing
clinical is decided here.
"""
