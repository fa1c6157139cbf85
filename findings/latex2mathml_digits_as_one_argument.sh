#!/bin/sh
# In TeX an argument without braces is one digit: \sqrt23 is the root of 2, times 3, as \frac123 is a half, and then 3.
# latex2mathml knows that of \frac and of powers, and takes all digits that follow for the argument of \sqrt and of bars
# and hats: √23, another number. Of \binom123 it makes a fraction with one part, which MathML does not have.
#
# version: latex2mathml==3.81.1
# behaviour: \sqrt23 has the MathML of \sqrt{23}, \binom123 an <mfrac> with one child; \frac123 and 2^34 are right
# seen: <msqrt><mn>23</mn></msqrt>, <mfrac linethickness="0"><mn>123</mn></mfrac>
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q latex2mathml==3.81.1
cat > "$folder/show.py" <<'PYTHON'
import sys
from xml.etree import ElementTree

from latex2mathml.converter import convert

NAME = "{http://www.w3.org/1998/Math/MathML}"


def list_numbers(tex: str, tag: str) -> list[str]:
    (element,) = ElementTree.fromstring(convert(tex)).iter(NAME + tag)
    found = ["".join(one.itertext()) for one in element]
    print(f"{tex}: <{tag}> of", found)
    return found


root, bar = list_numbers(r"\sqrt23", "msqrt"), list_numbers(r"\overline23", "mover")
choice, half, power = list_numbers(r"\binom123", "mfrac"), list_numbers(r"\frac123", "mfrac"), list_numbers("2^34", "msup")
as_stated = root == ["23"] and bar[0] == "23" and choice == ["123"]
sys.exit(0 if as_stated and half == ["1", "2"] and power == ["2", "3"] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
