"""Literature sources: services queried over HTTP that describe works, and their common code."""
