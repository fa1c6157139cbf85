#!/bin/sh
# DuckDB's CSV sniffer takes a column of hexadecimal texts for whole numbers and gives their decimal values: the register
# 0x1F is 31, and what was written cannot be had back. A column of numbers with plus signs, as changes are written ("+5",
# "-3"), it takes for text, though `CAST('+5' AS BIGINT)` is 5: sum() of it is refused. With all_varchar nothing is changed.
#
# version: duckdb==2.0.0
# behaviour: a column of 0x1F and 0x20 is BIGINT 31 and 32; a column of +5 and -3 is VARCHAR
# seen: [(31, '+5'), (32, '-3')], BIGINT and VARCHAR
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q duckdb==2.0.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import duckdb

path = f"{sys.argv[1]}/registers.csv"
with open(path, "w") as file:
    file.write("register,change\n0x1F,+5\n0x20,-3\n")
guessed = duckdb.sql(f"SELECT * FROM read_csv('{path}')")
types, rows = [str(one) for one in guessed.types], guessed.fetchall()
cast = duckdb.sql("SELECT CAST('+5' AS BIGINT)").fetchall()[0][0]
texts = duckdb.sql(f"SELECT * FROM read_csv('{path}', all_varchar = true)").fetchall()
print("duckdb", duckdb.__version__, types, rows, "cast of '+5':", cast, "as texts:", texts)
as_stated = types == ["BIGINT", "VARCHAR"] and rows == [(31, "+5"), (32, "-3")] and cast == 5
sys.exit(0 if as_stated and texts[0][0] == "0x1F" else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder"
