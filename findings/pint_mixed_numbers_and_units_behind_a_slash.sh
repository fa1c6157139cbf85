#!/bin/sh
# pint multiplies whatever a space separates, also within numbers: "1 1/2 cup" is 1 times 1/2, half a cup, "2 3/4 inch"
# an inch and a half, and "1½ cup" one cup. In units, a slash applies to the next unit only, so "J/mol K", the way
# tables write joules per mole and kelvin, is J·K/mol, and "m/s s" is metres. astropy reads the same strings as J/(K
# mol) and m/s². Two readers of one table disagree on the dimension, and neither raises anything.
#
# version: pint==0.25.3, astropy==8.0.2
# behaviour: "1 1/2 cup" is 0.5 cup; "J/mol K" is joule * kelvin / mole in pint and J / (K mol) in astropy
# seen: 0.5 cup, 1.5 inch, 1 cup; pint: joule * kelvin / mole, meter; astropy: J / (K mol), m / s2
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pint==0.25.3 astropy==8.0.2
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

import pint
from astropy import units

registry = pint.UnitRegistry()
amounts = [str(registry.Quantity(text)) for text in ("1 1/2 cup", "2 3/4 inch", "1½ cup")]
print(*amounts, sep=", ")
read = {}
for text in ("J/mol K", "W/m K", "m/s s"):
    read[text] = (str(registry.Unit(text)), str(units.Unit(text)))
    print(f"{text}: pint {read[text][0]}, astropy {read[text][1]}")
same = amounts == ["0.5 cup", "1.5 inch", "1 cup"] and read == {
    "J/mol K": ("joule * kelvin / mole", "J / (K mol)"),
    "W/m K": ("kelvin * watt / meter", "W / (K m)"),
    "m/s s": ("meter", "m / s2"),
}
sys.exit(0 if same else 1)
PYTHON
