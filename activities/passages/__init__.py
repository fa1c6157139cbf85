"""Stored texts, the passages that they are cut into, and the local index that finds them."""
