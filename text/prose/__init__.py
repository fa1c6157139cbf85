"""Parses Markdown written by models, splits it into blocks and statements, and renders it safely."""
