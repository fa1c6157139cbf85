"""The life of a run: its start, journal and events, its branches, its end, how it is resumed and read back."""
