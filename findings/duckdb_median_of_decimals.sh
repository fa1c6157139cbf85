#!/bin/sh
# DuckDB's median and quantile_cont of a DECIMAL column are cut to the decimals of the column, while avg is not: the
# median of 1.0 and 1.5 is 1.2, and their average 1.25. CSV columns cast to DECIMAL, as money is, meet it.
#
# version: duckdb==2.0.0
# behaviour: median and quantile_cont of DECIMAL values have no more decimals than the values; of DOUBLE values they have
# seen: the median of 1.0 and 1.5 as 1.2, of the same values as DOUBLE as 1.25
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q duckdb==2.0.0
cat > "$folder/show.py" <<'PYTHON'
import sys

import duckdb

rows = "(VALUES (1.0), (1.5)) AS prices(price)"
asked = f"SELECT median(price), quantile_cont(price, 0.5), median(CAST(price AS DOUBLE)), avg(price) FROM {rows}"
exact, quantile, floating, mean = map(str, duckdb.sql(asked).fetchall()[0])
print("duckdb", duckdb.__version__, "median", exact, "quantile_cont", quantile, "as DOUBLE", floating, "avg", mean)
sys.exit(0 if (exact, quantile, floating, mean) == ("1.2", "1.2", "1.25", "1.25") else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
