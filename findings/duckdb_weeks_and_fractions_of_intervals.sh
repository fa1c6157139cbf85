#!/bin/sh
# DuckDB's date_diff counts the boundaries between two dates: 31 January and 1 February are one month apart. Weeks are
# the exception: Sunday and the following Monday are 0 weeks apart, though date_trunc puts them in different weeks. It
# counts full weeks, as date_sub does; date_trunc on both sides gives the boundaries. And one and a half months are 45
# days as INTERVAL '1.5 months' but 30 as INTERVAL 1.5 MONTH or '1.5' MONTH, which drop the fraction, as they do with
# hours.
#
# version: duckdb==2.0.0
# behaviour: date_diff('week', Sunday, Monday) is 0 where 'month' and 'year' are 1 for neighbouring days; INTERVAL '1.5'
#   MONTH and INTERVAL 1.5 MONTH are 30 days, INTERVAL '1.5 months' is 45
# seen: 0 weeks (1 after date_trunc), 1 month, 1 year; 30, 30 and 45 days; 1 hour and 1.5 hours
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import duckdb

apart = duckdb.execute("""
    SELECT date_diff('week', DATE '2024-01-07', DATE '2024-01-08'),
           date_diff('week', date_trunc('week', DATE '2024-01-07'), date_trunc('week', DATE '2024-01-08')),
           date_diff('month', DATE '2024-01-31', DATE '2024-02-01'),
           date_diff('year', DATE '2023-12-31', DATE '2024-01-01')
""").fetchone()
months = duckdb.execute("SELECT INTERVAL '1.5' MONTH, INTERVAL 1.5 MONTH, INTERVAL '1.5 months'").fetchone()
hours = duckdb.execute("SELECT INTERVAL '1.5' HOUR, INTERVAL '1.5 hours'").fetchone()
print("weeks, weeks of date_trunc, months, years:", *apart)
print("days of one and a half months:", *[one.days for one in months])
print("hours of one and a half:", *[one.total_seconds() / 3600 for one in hours])
same = (
    apart == (0, 1, 1, 1)
    and [one.days for one in months] == [30, 30, 45]
    and [one.total_seconds() for one in hours] == [3600, 5400]
)
sys.exit(0 if same else 1)
PYTHON
