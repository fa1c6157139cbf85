#!/bin/sh
# Babel's format_unit(length="long") returns the CLDR's id of the unit in the place of its name, `5 length-meter`, where
# the long name of a language is the same as its short one, which the CLDR then only has in short. Nothing is raised:
# Chinese has no long metre, litre or kilowatt, Japanese no day or hour, Italian no day or year. A program that builds a
# table of names from it lacks the most frequent units, and a page shows the id to its reader.
#
# version: babel==2.18.0
# behaviour: format_unit(5, "length-meter", length="long", locale="zh") is "5 length-meter"; length="short" has the name
# seen: zh `5 length-meter` (short `5米`), ja `5 duration-hour` (`5 時間`), it `5 duration-day` (`5 giorni`), de `5 Meter`
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q babel==2.18.0
cat > "$folder/show.py" <<'PYTHON'
import sys

from babel.units import format_unit

asked = (("zh", "length-meter"), ("zh", "power-kilowatt"), ("ja", "duration-hour"), ("it", "duration-day"))
found = {
    (language, unit): [format_unit(5, unit, length=length, locale=language) for length in ("long", "short")]
    for language, unit in (*asked, ("de", "length-meter"))
}
print(found)
ids = all(unit in found[language, unit][0] and unit not in found[language, unit][1] for language, unit in asked)
sys.exit(0 if ids and found["de", "length-meter"][0] == "5 Meter" else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
