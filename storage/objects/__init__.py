"""What is too large for a database or a history: objects in a folder or an S3-compatible store."""
