"""Sources of literature: services that are asked over HTTP and tell of works, and what those have in common."""
