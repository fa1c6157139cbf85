"""Processes are killed outright while runs are on their way; no run may notice."""
