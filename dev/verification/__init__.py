"""Looking through a certificate: everything that can be computed again is, and whatever differs has its part's name."""
