#!/bin/sh
# htmldate does not read dates with 年, 月 and 日, as pages in Chinese and Japanese write them. Its extensive search, on by
# default, then takes the year alone: an article of 31 December is dated 1 January, a year too early, and looks like one
# with a date on the page. Korean dates, with the same order, are read. With extensive_search=False there is no date.
#
# version: htmldate==1.11.0 (dateparser 1.5.0)
# behaviour: <span class="date">2020年12月31日</span> gives 2020-01-01, and so does <time>2020年05月01日</time>
# seen: 2020-01-01, 2020-01-01; None and None without the extensive search; 2020년 12월 31일 gives 2020-12-31
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check htmldate==1.11.0 dateparser==1.5.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from htmldate import find_date

found = []
for markup in (
    '<span class="date">2020年12月31日</span>',
    "<time>2020年05月01日</time>",
    '<span class="date">2020년 12월 31일</span>',
):
    page = f"<html><head><title>News</title></head><body><article>{markup}<p>Text of it.</p></article></body></html>"
    dates = [find_date(page, original_date=True, extensive_search=one) for one in (True, False)]
    found.append(dates)
    print(f"{markup}: {dates[0]}, without the extensive search {dates[1]}")
first = "2020-01-01"
sys.exit(0 if found[:2] == [[first, None], [first, None]] and found[2][0] == "2020-12-31" else 1)
PYTHON
