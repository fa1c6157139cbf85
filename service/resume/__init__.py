"""Resuming, rolling back and forking runs."""
