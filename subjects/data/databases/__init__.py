"""Databases that the operator named: opened, read-only in depth, described. Nothing here writes SQL for a question."""
