"""DuckDB, in a process of its own for each question: it computes in the process it is in, and could take it down."""
