"""A run in progress with its log and its events, and the words in which it is told."""
