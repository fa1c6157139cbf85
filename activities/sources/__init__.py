"""Sources: one search provider per file, one registry."""
