"""How often a question about a database becomes the SQL that answers it: by the rules or by any model."""
