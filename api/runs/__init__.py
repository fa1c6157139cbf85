"""Runs as the API handles them: submitted, read, controlled, settled when they ended unheard."""
