#!/bin/sh
# In SPARQL, comparing a string with a number is a type error, and a filter drops the row (SPARQL 1.1, 17.3 has no ">"
# for these types). In rdflib every string is greater than every number, and dates and booleans are less, so
# FILTER(?year > 2020) returns "not reported" and the string "1990". And IN, which 17.4.1.9 defines as a chain of "=",
# compares terms instead: 2021 = 2021.0 is true, 2021 IN (2021.0) is false, and NOT IN keeps what it should exclude.
#
# version: rdflib==7.6.0
# behaviour: "not reported" > 2020 is true, 2021 IN (2021.0) is false, 2021 = 2021.0 is true
# seen: `?y > 2020` returns number, text and digits; `isNumeric(?y) && ?y > 2020` only number; `?y IN (2021.0)` nothing
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
    if list(found.values()) == [["digits", "number", "text"], ["date", "truth"], ["number"], ["number"], [], ["number"]]
    else 1
)
PYTHON
