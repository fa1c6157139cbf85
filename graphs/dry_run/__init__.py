"""Trying graphs without models, sources or Temporal."""
