"""Exports: what a run leaves, in the forms that other programs open."""
