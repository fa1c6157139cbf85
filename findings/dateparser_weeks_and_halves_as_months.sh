#!/bin/sh
# dateparser steps over letters that it does not know and takes the number behind them for a month: the ISO week 2020-W05,
# the end of January, is May, week 12 is December, and the second half of 2020 is February. Without hyphen, as ISO 8601
# also writes it, 2020W05 is 2020 weeks before now. A quarter is the month in its middle. The day is always today's, so
# the result differs from one day to the next. REQUIRE_PARTS=["month"] does not help, since there is a month. Weeks are
# refused if the language is given; halves are not. What cannot be a month (W45) is refused.
#
# version: dateparser==1.5.0
# behaviour: with a base of 20 November 2024, "2020-W05" is 20 May 2020 and "H2 2020" 20 February 2020
# seen: 2020-W05 2020-05-20 (ISO: 2020-01-27 to 02-02), 2020-W12 2020-12-20, 2020W05 1986-03-05, H2 2020 2020-02-20,
#   Q3 2020 2020-08-20, 2020-W45 None
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
