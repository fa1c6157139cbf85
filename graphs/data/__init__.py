"""The vocabulary of questions to databases: schemas, queries, results, and where a number comes from."""
