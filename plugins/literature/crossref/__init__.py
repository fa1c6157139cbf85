"""Crossref: what publishers say of the works that they gave a DOI, corrections and retractions included."""
