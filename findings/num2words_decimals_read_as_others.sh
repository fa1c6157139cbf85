#!/bin/sh
# num2words writes some decimals as words of another value. Persian: a fraction of five hundredths is "a half", as five
# tenths are. Turkish, Vietnamese and Arabic: two decimals at most, and zeros behind the point are left out, so that
# 2.025 and 2.02 are "two point two", and a thousandth is nothing. Hebrew, Thai and English say each digit.
#
# version: num2words==0.5.14
# behaviour: 1.05 and 1.5 have the same words in Persian; 2.025 has the words of 2.02 in Turkish, Vietnamese and Arabic
# seen: tables from numbers to words, made to read numbers written as words
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q num2words==0.5.14
cat > "$folder/show.py" <<'PYTHON'
import sys

from num2words import num2words

cases = [("fa", 1.05, 1.5), ("tr", 2.025, 2.02), ("vi", 2.025, 2.02), ("ar", 2.025, 2.02)]
alike = []
for language, one, other in cases:
    words = num2words(one, lang=language), num2words(other, lang=language)
    alike.append(words[0] == words[1])
    print(language, f"{one} {words[0]!r}", f"{other} {words[1]!r}")
thousandth = num2words(0.001, lang="vi"), num2words(0, lang="vi")
english = num2words(1.05), num2words(1.5)
print("vi", f"0.001 {thousandth[0]!r}", f"0 {thousandth[1]!r}")
print("en", f"1.05 {english[0]!r}", f"1.5 {english[1]!r}")
sys.exit(0 if all(alike) and thousandth[0] == thousandth[1] and english[0] != english[1] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
