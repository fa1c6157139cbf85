"""Workflows endure: deterministic Temporal workflows that walk a graph. All I/O is behind the names of `contracts`."""
