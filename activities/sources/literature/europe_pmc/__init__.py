"""Europe PMC: life-science literature with preprints, and the full text of what is open access."""
