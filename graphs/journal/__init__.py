"""A run in progress with its log and its events, and the text of those events."""
