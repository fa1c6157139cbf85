#!/bin/sh
# bibtexparser's LatexDecodingMiddleware takes "%" for the beginning of a comment of TeX and leaves out the rest of the
# line, in every field and without a failed block. In BibTeX a "%" in a value is a character: addresses have it, such as
# those of doi.org in Crossref's BibTeX ("%2F"), and abstracts of publishers have it behind figures.
#
# version: bibtexparser==2.1.0 (pylatexenc 2.11)
# behaviour: url = {https://doi.org/10.1000%2Fabc} becomes https://doi.org/10.1000; an abstract ends at its first per cent
# seen: "Deaths fell by 12" of "Deaths fell by 12% in both arms."; no block has failed
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q bibtexparser==2.1.0 pylatexenc==2.11
cat > "$folder/show.py" <<'PYTHON'
import sys

import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware

LIST = """@article{abc,
  url = {https://doi.org/10.1000%2Fabc},
  abstract = {Deaths fell by 12% in both arms.}
}
"""
plain = bibtexparser.parse_string(LIST)
decoded = bibtexparser.parse_string(LIST, append_middleware=[LatexDecodingMiddleware()])
for name in ("url", "abstract"):
    print(f"{name}: {plain.entries[0][name]!r} decoded is {decoded.entries[0][name]!r}")
print("failed blocks:", len(decoded.failed_blocks))
found = [decoded.entries[0][name] for name in ("url", "abstract")]
sys.exit(0 if found == ["https://doi.org/10.1000", "Deaths fell by 12"] and not decoded.failed_blocks else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
