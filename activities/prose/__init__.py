"""Markdown that models write: parsed, split into blocks and statements, and written again so that it harms nobody."""
