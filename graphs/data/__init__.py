"""What questions to databases are told in: schemas, queries, results, and where a number comes from."""
