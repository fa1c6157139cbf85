#!/bin/sh
# rispy says of its load(): "In the case of multiline or multiple key occurrences, the content is returned as a list".
# But a tag that is not in its list of repeated ones keeps its first value, and the others are dropped without a
# warning: the rest of an abstract in several AB lines, the electronic ISSN behind the printed one, the second file.
# And it splits UR at each semicolon, which Wiley's older DOIs contain, so that a link to an article is cut into two
# that lead nowhere. With enforce_list_tags=False and delimiter_tags_mapping={} nothing is lost.
#
# version: rispy==0.10.0
# behaviour: of two AB, SN or L1 the first alone is returned; https://doi.org/10.1002/...3.0.CO;2-2 is two URLs
# seen: "Deaths were counted." without "Deaths did not fall."; ['https://doi.org/10.1002/(SICI)1097-0258...3.0.CO',
#   '2-2']
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check rispy==0.10.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import rispy

LINK = "https://doi.org/10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2"
ENTRY = f"""TY  - JOUR
TI  - On deaths
AB  - Deaths were counted.
AB  - Deaths did not fall.
SN  - 0277-6715
SN  - 1097-0258
L1  - one.pdf
L1  - two.pdf
UR  - {LINK}
ER  - 
"""
[plain] = rispy.loads(ENTRY)
[whole] = rispy.loads(ENTRY, enforce_list_tags=False, delimiter_tags_mapping={})
for name in ("abstract", "issn", "file_attachments1", "urls"):
    print(name, plain[name], whole[name], sep=" | ")
same = (
    (plain["abstract"], plain["issn"], plain["file_attachments1"]) == ("Deaths were counted.", "0277-6715", "one.pdf")
    and plain["urls"] == LINK.split(";")
    and whole["abstract"] == ["Deaths were counted.", "Deaths did not fall."]
    and whole["urls"] == [LINK]
)
sys.exit(0 if same else 1)
PYTHON
