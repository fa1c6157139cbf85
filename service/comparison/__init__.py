"""Compares two runs side by side: what was asked of each, how it went, what came out."""
