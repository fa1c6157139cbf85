"""A run as it is followed: journals read as they are told, merged into one feed, sent to every client."""
