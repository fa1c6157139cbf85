"""Certificates: one file that holds all that a report was made of, with a hash for each of its parts."""
