"""The migrations of the release after that."""
