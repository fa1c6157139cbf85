#!/bin/sh
# sqlglot writes valid SQL back with another meaning, without an error: PostgreSQL's `1_000_000` (since 16) becomes 1 with
# the alias `_000_000`, `0xFF` a string of bits, and DuckDB's `f(profile -> 'plan')` a lambda, which DuckDB then refuses.
# Cast to NUMERIC, SQLite's '3.0' is 3; sqlglot writes a cast to REAL, 3.0. Found with sqlglot 30.30.0. Exits 1 if that
# changes.
#
# version: sqlglot==30.30.0
# behaviour: numbers with underscores or in hexadecimal digits (PostgreSQL), casts to NUMERIC (SQLite) and JSON arrows in functions (DuckDB) are written back with another meaning
# seen: SELECT 1 AS _000_000
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sqlglot==30.30.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import sqlglot

print("sqlglot", sqlglot.__version__)
changed = False
for dialect, sql, meant in (
    ("postgres", "SELECT 1_000_000", ("1_000_000", "1000000")),
    ("postgres", "SELECT 0xFF", ("0xFF", "255")),
    ("sqlite", "SELECT CAST('3.0' AS NUMERIC)", ("NUMERIC",)),
    ("duckdb", "SELECT json_array_length(profile -> 'tags') FROM t", ("profile ->",)),
):
    written = sqlglot.transpile(sql, read=dialect, write=dialect)[0]
    kept = any(one in written for one in meant)
    changed = changed or kept
    print(f"{dialect}: {sql}\n  becomes: {written}")
sys.exit(1 if changed else 0)
PYTHON
