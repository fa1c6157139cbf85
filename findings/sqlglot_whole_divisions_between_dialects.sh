#!/bin/sh
# 7/2 is 3 in SQLite, PostgreSQL and SQL Server, and 3.5 in DuckDB, MySQL and BigQuery. sqlglot knows this and adds a
# cast from DuckDB to SQLite. In the other direction it changes nothing unless types are annotated first: COUNT(*)/2 of
# three rows is 1 in SQLite and 1.5 in DuckDB after transpile, without a warning. annotate_types keeps the division. It
# does not help with CAST(2.7 AS INTEGER), which truncates in SQLite and rounds in DuckDB.
#
# version: sqlglot==30.30.0, duckdb==2.0.0, SQLite of Python
# behaviour: transpile(read="sqlite", write="duckdb") keeps "/" between integers, and CAST of a decimal to an integer
# seen: COUNT(*) / NULLIF(2, 0): 1 in SQLite, 1.5 in DuckDB, 1 with annotated types; CAST(2.7 AS INT): 2 and 3
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlglot==30.30.0 duckdb==2.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import sqlite3
import sys

import duckdb
import sqlglot
from sqlglot.optimizer.annotate_types import annotate_types

results = []
for sql in (
    "SELECT COUNT(*)/2 FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) AS t",
    "SELECT CAST(2.7 AS INTEGER)",
):
    written = sqlglot.transpile(sql, read="sqlite", write="duckdb")[0]
    typed = annotate_types(sqlglot.parse_one(sql, read="sqlite"), dialect="sqlite").sql("duckdb")
    (before,) = sqlite3.connect(":memory:").execute(sql).fetchone()
    (after,) = duckdb.execute(written).fetchone()
    (annotated,) = duckdb.execute(typed).fetchone()
    results.append((before, after, annotated))
    print(f"{sql}\n  becomes {written}\n  SQLite {before}, DuckDB {after}, with annotated types {annotated}")
sys.exit(0 if results == [(1, 1.5, 1), (2, 3, 3)] else 1)
PYTHON
