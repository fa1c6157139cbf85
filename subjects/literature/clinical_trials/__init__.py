"""ClinicalTrials.gov: registered studies with their design and, where posted, their results."""
