#!/bin/sh
# pandoc takes linethickness="0" of a MathML fraction, by which "n over k" is written (latex2mathml, for one, writes it
# so), for a fraction with a line: a binomial coefficient silently becomes n / k in Word, LaTeX and Typst. "0pt" is read.
#
# version: pandoc 3.9 (pypandoc_binary==1.17)
# behaviour: MathML Core: linethickness is a length, and "0" is a valid one: no line is drawn
# seen: linethickness="0" as \frac{n}{k}, "0pt" as \binom{n}{k}
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pypandoc_binary==1.17
cat > "$folder/show.py" <<'PYTHON'
import sys

import pypandoc

page = '<math><mrow><mo>(</mo><mfrac linethickness="{}"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow></math>'
found = {width: pypandoc.convert_text(page.format(width), "latex", format="html").strip() for width in ("0", "0pt")}
print("pandoc", pypandoc.get_pandoc_version(), found)
sys.exit(0 if "\\frac" in found["0"] and "\\binom" in found["0pt"] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
