"""Comparing the store, the objects and Temporal's histories with each other, and mending what differs."""
