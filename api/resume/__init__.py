"""Resuming runs, rolling them back, and forking them."""
