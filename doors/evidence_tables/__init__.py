"""Evidence tables: a row for each document, a column for each question, a quote with its place in each cell."""
