"""Every call to Temporal, and what its server knows of a run by itself."""
