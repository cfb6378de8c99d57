"""The doors of the patient's record: what it sends of a patient becomes facts that can be seen.

Infobuttons, CDS Hooks (`hooks.py`): signed tokens (`trust.py`), FHIR resources (`resources.py`),
cards; SMART App Launch is in `launch/`. What a page shows of a patient is `chat/web/patients.py`.
"""
