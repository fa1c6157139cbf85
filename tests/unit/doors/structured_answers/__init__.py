"""Answers in the schema of the asker."""
