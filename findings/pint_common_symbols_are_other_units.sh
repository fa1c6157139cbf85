#!/bin/sh
# pint puts its prefixes before every unit that it knows, by name or symbol, and so reads abbreviations of everyday texts
# that it does not know as units that nobody writes: acres are attospeeds of light, cubic feet a minute centifermis, dots
# an inch dry pints, and fluid ounces a volume times a mass. A barrel is one of 31.5 gallons, not the 42 of oil.
#
# version: pint==0.25.3
# behaviour: "ac", "cfm", "dpi" and "fl oz" parse without an error as units of another kind; "bbl" is 119 litres
# seen: amounts of public texts read with a unit of another dimension, and so found to contradict each other
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q pint==0.25.3
cat > "$folder/show.py" <<'PYTHON'
import sys

import pint

registry = pint.UnitRegistry(cache_folder=None)
read = {text: str(registry.Quantity(text).units) for text in ("5 ac", "5 cfm", "5 dpi", "5 fl oz")}
barrel = registry.Quantity("1 bbl").to("litre").magnitude
oil = registry.Quantity("1 oil_bbl").to("litre").magnitude
print(read, f"bbl {barrel:.1f} l, oil_bbl {oil:.1f} l")
expected = ["attospeed_of_light", "centifermi", "dry_pint", "femtoliter * ounce"]
sys.exit(0 if list(read.values()) == expected and round(barrel) == 119 and round(oil) == 159 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
