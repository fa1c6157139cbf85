#!/bin/sh
# word2number and text2digits turn numbers in words into figures, and large ones into others. word2number adds a part of
# what follows a million a second time: "one million two hundred thousand" is 1,201,200. It leaves out a scale behind
# decimals, so that "one point five million" is 1. text2digits writes that one as 1.5000000, a millionth of it. And
# quantulum3, which finds quantities in text, takes letters behind a figure for units: £3bn is in pound-barn-newtons, 100k
# in kibibytes, 5 M in metres, and 10^9 cells/L is two numbers, 10 and 9. Nothing is raised.
#
# version: word2number==1.1, text2digits==0.1.2, quantulum3==0.10.0
# behaviour: "one million two hundred thousand" is 1201200 in word2number; "one point five million" 1 and "1.5000000"
# seen: 1201200, 1, 1.5000000; £3bn 3.0 pound sterling barn newton, 100k 100.0 kibibyte, 5 M 5.0 metre, 10^9 10.0 and
#   9.0
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check word2number==1.1 text2digits==0.1.2 \
    quantulum3==0.10.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from quantulum3 import parser
from text2digits.text2digits import Text2Digits
from word2number import w2n

million, decimal = "one million two hundred thousand", "one point five million"
words = [read(text) for read in (w2n.word_to_num, Text2Digits().convert) for text in (million, decimal)]
print(*words)
amounts = {
    text: [(one.value, one.unit.name) for one in parser.parse(text)] for text in ("£3bn", "100k", "5 M", "10^9 cells/L")
}
for text, found in amounts.items():
    print(text, *found)
same = words == [1201200, 1, "1200000", "1.5000000"] and amounts == {
    "£3bn": [(3.0, "pound sterling barn newton")],
    "100k": [(100.0, "kibibyte")],
    "5 M": [(5.0, "metre")],
    "10^9 cells/L": [(10.0, "dimensionless"), (9.0, "dimensionless")],
}
sys.exit(0 if same else 1)
PYTHON
