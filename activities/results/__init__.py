"""Results of queries: stored as tables and as evidence, and written as lines of text."""
