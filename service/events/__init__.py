"""The events of runs: read from Temporal, merged with those of sections, shared by all readers."""
