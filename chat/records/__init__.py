"""The doors of the patient's record: what it sends of a patient becomes facts that can be seen."""
