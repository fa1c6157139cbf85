"""How often a question about a database becomes the SQL that answers it, by any model."""
