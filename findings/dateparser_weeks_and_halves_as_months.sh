#!/bin/sh
# dateparser skips letters that it does not know and reads the number behind them as a month. The ISO 8601 week
# 2020-W05, at the end of January, becomes May, week 12 December, and the second half of 2020 February. In ISO's basic
# form, 2020W05 is 2020 weeks ago. A quarter becomes its middle month. The day is always today's, so results change from
# day to day. REQUIRE_PARTS does not help, since there is a month. With languages=["en"] weeks are refused, halves are
# not.
#
# version: dateparser==1.5.0
# behaviour: with a base of 20 November 2024, "2020-W05" is 20 May 2020 and "H2 2020" is 20 February 2020
# seen: 2020-W05 2020-05-20 (ISO: 2020-01-27 to 02-02), 2020-W12 2020-12-20, 2020W05 1986-03-05, H2 2020 2020-02-20, Q3
#   2020 2020-08-20, 2020-W45 None
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check dateparser==1.5.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from datetime import datetime

import dateparser

print("dateparser", dateparser.__version__)
settings = {"RELATIVE_BASE": datetime(2024, 11, 20), "REQUIRE_PARTS": ["month", "year"]}
found = {}
for text in ("2020-W05", "2020-W12", "2020W05", "2020-W45", "H1 2020", "H2 2020", "Q3 2020"):
    date = dateparser.parse(text, settings=settings)
    english = dateparser.parse(text, languages=["en"], settings=settings)
    found[text] = date and f"{date:%Y-%m-%d}"
    print(f"{text}: {found[text]}, in English {english and f'{english:%Y-%m-%d}'}")
sys.exit(
    0
    if found
    == {
        "2020-W05": "2020-05-20",
        "2020-W12": "2020-12-20",
        "2020W05": "1986-03-05",
        "2020-W45": None,
        "H1 2020": "2020-01-20",
        "H2 2020": "2020-02-20",
        "Q3 2020": "2020-08-20",
    }
    else 1
)
PYTHON
