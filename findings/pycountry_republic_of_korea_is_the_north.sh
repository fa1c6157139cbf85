#!/bin/sh
# pycountry's search_fuzzy looks for parts of names in ISO 3166's, and ISO has "Korea, Republic of" and "Korea,
# Democratic People's Republic of". Of these, only the second contains the words "Republic of Korea", the name that
# South Korea has in the United Nations, the WHO and the addresses of its authors: the search returns North Korea, and
# nothing else. "Korea" gives the North first, "Niger" Nigeria, "Curacao" without its cedilla the Netherlands, and
# "Maryland" a county of Liberia. lookup("Republic of Korea") raises a LookupError.
#
# version: pycountry==26.2.16
# behaviour: search_fuzzy("Republic of Korea") is the Democratic People's Republic of Korea alone
# seen: KP; Korea: KP, KR; Niger: NG, NE; Curacao: NL, CW; Maryland: LR, US; South Korea: KR
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pycountry==26.2.16
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import pycountry

names = ("Republic of Korea", "Korea", "Niger", "Curacao", "Maryland", "South Korea")
found = {name: [country.alpha_2 for country in pycountry.countries.search_fuzzy(name)] for name in names}
for name, countries in found.items():
    print(name, *countries)
same = found == {
    "Republic of Korea": ["KP"],
    "Korea": ["KP", "KR"],
    "Niger": ["NG", "NE"],
    "Curacao": ["NL", "CW"],
    "Maryland": ["LR", "US"],
    "South Korea": ["KR"],
}
sys.exit(0 if same else 1)
PYTHON
