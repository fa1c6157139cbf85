"""Readers of word processors' documents: DOCX and its relatives, and OpenDocument text."""
