#!/bin/sh
# DuckDB's CSV sniffer may take "#" for the sign of comments because one row begins with it, and then leaves that row out
# without a word: here the last of three, whose first value is Excel's #N/A. With comment = '' all rows are read.
#
# version: duckdb==2.0.0
# behaviour: a row whose first value is #N/A is taken for a comment and left out
# seen: 2 of 3 rows, and the column as BIGINT
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q duckdb==2.0.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import duckdb

path = f"{sys.argv[1]}/stock.csv"
with open(path, "w") as file:
    file.write("stock;item\n1;bolts\n2;nuts\n#N/A;screws\n")
guessed = duckdb.sql(f"SELECT * FROM read_csv('{path}', header = true)").fetchall()
plain = duckdb.sql(f"SELECT * FROM read_csv('{path}', header = true, comment = '')").fetchall()
print("duckdb", duckdb.__version__, "guessed", guessed, "without comments", plain)
sys.exit(0 if len(guessed) == 2 and len(plain) == 3 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py" "$folder"
