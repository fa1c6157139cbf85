"""Objects too large for a database or a history, in a folder or an S3-compatible store."""
