#!/bin/sh
# pandas knows months and quarters by their first and last days alone: `infer_freq` gives None for a monthly series that
# is dated the 15th, and for a yearly one dated 15 June. A program that relies on it refuses regular series.
#
# version: pandas==2.3.3
# behaviour: infer_freq gives MS for twelve first days of months, ME for their last days, and None for their 15th days
# seen: MS, ME, None
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pandas==2.3.3
cat > "$folder/show.py" <<'PYTHON'
import sys

import pandas as pd

first = pd.date_range("2024-01-01", periods=12, freq="MS")
last = pd.date_range("2024-01-31", periods=12, freq="ME")
found = [pd.infer_freq(days) for days in (first, last, first + pd.Timedelta(days=14))]
print("pandas", pd.__version__, *found)
sys.exit(0 if found == ["MS", "ME", None] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
