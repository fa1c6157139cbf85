#!/bin/sh
# ucumvert reads UCUM codes, the units of FHIR and LOINC, into pint. For some codes it returns pint's unit of a similar
# name, not the one that UCUM defines in ucum-essence.xml, which ucumvert ships. A food Calorie comes out 1000 times too
# small, mg% (milligrams per decilitre, still used for blood values) as a mass without a volume, a cubic foot as a
# hundredth of a foot. Nothing is raised. Comparing each code with its definition in that file finds them.
#
# version: ucumvert==0.3.2 (pint 0.25.3)
# behaviour: [Cal], mg%, [cft_i], [LPF] and [in_i'Hg] differ from UCUM's values by factors or dimensions; [cin_i] is
#   right
# seen: [Cal] 4.184 J (UCUM 4184 J), mg% 1e-08 kg (0.01 kg/m³), [cft_i] 0.003048 m (0.0283168 m³), [LPF] 1 (100),
#   [in_i'Hg] 3376.85 Pa (3386.39 Pa)
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ucumvert==0.3.2 pint==0.25.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from pathlib import Path
from xml.etree import ElementTree

import ucumvert

units = ucumvert.PintUcumRegistry()
names = {"ucum": "http://unitsofmeasure.org/ucum-essence"}
essence = ElementTree.parse(Path(ucumvert.__file__).with_name("vendor") / "ucum-essence.xml")
values = {unit.get("Code"): unit.find("ucum:value", names) for unit in essence.iterfind("ucum:unit", names)}
differ = []
for code, prefix in (("[Cal]", ""), ("g%", "m"), ("[cft_i]", ""), ("[LPF]", ""), ("[in_i'Hg]", ""), ("[cin_i]", "")):
    read = (1 * units.from_ucum(prefix + code)).to_base_units()
    value = values[code]
    meant = float(value.get("value")) * units.from_ucum(value.get("Unit")) * (0.001 if prefix else 1)
    meant = meant.to_base_units()
    same = read.dimensionality == meant.dimensionality and abs(read.magnitude / meant.magnitude - 1) < 1e-6
    print(f"{prefix + code}: read as {read:.6g}, in UCUM {value.get('value')} {value.get('Unit')}: {meant:.6g}")
    if not same:
        differ.append(code)
sys.exit(0 if differ == ["[Cal]", "g%", "[cft_i]", "[LPF]", "[in_i'Hg]"] else 1)
PYTHON
