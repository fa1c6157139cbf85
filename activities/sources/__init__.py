"""Sources: their interface, the registry that opens them, and the guarded HTTP client. Plugins add the sources."""
