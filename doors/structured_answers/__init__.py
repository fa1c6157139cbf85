"""Answers in a JSON Schema of the asker: filled in by an agent, each value held against its quotes by code."""
