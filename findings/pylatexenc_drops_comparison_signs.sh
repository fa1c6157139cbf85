#!/bin/sh
# pylatexenc turns \textless and \textgreater, with which Zotero and Mendeley write < and > in BibTeX, into nothing, as it
# does with every command that it does not know: "p {\textless} 0.05" is read as "p  0.05". \href ends with an IndexError.
#
# version: pylatexenc==2.11
# behaviour: \textless, \textgreater and \textbar vanish from text without a warning; \href{...}{...} raises IndexError
# seen: abstracts of Zotero's BibTeX export without their comparison signs
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pylatexenc==2.11
cat > "$folder/show.py" <<'PYTHON'
import sys

from pylatexenc.latex2text import LatexNodes2Text

convert = LatexNodes2Text().latex_to_text
shown = [convert(text) for text in (r"p {\textless} 0.05", r"p {\textgreater} 0.05", r"a {\textbar} b")]
print(shown)
try:
    linked = convert(r"\href{https://example.org}{a page}")
except IndexError as error:
    linked = repr(error)
print(linked)
sys.exit(0 if shown == ["p  0.05", "p  0.05", "a  b"] and linked.startswith("IndexError") else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
