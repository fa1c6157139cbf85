"""SQL by rules: from a question and a schema to a query, or to a refusal that names what was not read.

A question is read whole. Every word that tells something is a table, a column, a value, an operation or a moment, or
the question is refused: a wrong number is far worse than none.
"""
