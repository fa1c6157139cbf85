#!/bin/sh
# A SPARQL filter that compares a text with a number is a type error, and the row is left out (SPARQL 1.1, 17.3: there is
# no ">" for a string and an integer). rdflib takes every text for greater than every number, and dates and truth values
# for less: FILTER(?year > 2020) gives "not reported" and "1990", which were loaded as texts. And IN, which by the same
# chapter is "=" for each member, compares terms: 2021 = 2021.0 is true and 2021 IN (2021.0) false, so NOT IN keeps what
# it should exclude.
#
# version: rdflib==7.6.0
# behaviour: "not reported" > 2020 is true, 2021 IN (2021.0) is false, 2021 = 2021.0 true
# seen: `?y > 2020` gives number, text and digits; `isNumeric(?y) && ?y > 2020` the number alone; `?y IN (2021.0)` none
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rdflib==7.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import rdflib

print("rdflib", rdflib.__version__)
graph = rdflib.Graph()
graph.parse(
    format="turtle",
    data="""
@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:number :year 2021 . :text :year "not reported" . :digits :year "1990" .
:date :year "2020-01-01"^^xsd:date . :truth :year true .
""",
)
found = {}
for condition in (
    *("?y > 2020", "?y < 2020", "isNumeric(?y) && ?y > 2020"),
    *("?y = 2021.0", "?y IN (2021.0)", "isNumeric(?y) && ?y NOT IN (2021.0)"),
):
    rows = graph.query(f"PREFIX : <http://example.org/> SELECT ?s {{ ?s :year ?y FILTER({condition}) }}")
    found[condition] = sorted(str(row.s).rsplit("/")[-1] for row in rows)
    print(f"{condition}: {', '.join(found[condition]) or 'none'}")
sys.exit(
    0
    if list(found.values())
    == [["digits", "number", "text"], ["date", "truth"], ["number"], ["number"], [], ["number"]]
    else 1
)
PYTHON
