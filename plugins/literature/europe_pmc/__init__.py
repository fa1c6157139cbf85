"""Europe PMC: life-science literature with preprints, and the full text of open-access works."""
