"""A report as a page of its own."""
