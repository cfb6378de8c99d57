"""SMART App Launch 2.2: the patient's record opens the site, and tells it of the patient."""
