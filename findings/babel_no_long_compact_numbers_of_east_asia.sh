#!/bin/sh
# Babel writes 12345678 as `12 Millionen` with format_compact_decimal(format_type="long") in German; in Japanese, Korean
# and Chinese it raises KeyError: 'long', though the CLDR has these forms (an alias of the short ones), and though the
# short form works. Whoever formats numbers for a page in the reader's language meets it.
#
# version: babel==2.18.0
# behaviour: format_compact_decimal(..., format_type="long") raises KeyError for ja, ko and zh; "short" works
# seen: KeyError('long') for ja, ko and zh, `12 Millionen` for de
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q babel==2.18.0
cat > "$folder/show.py" <<'PYTHON'
import sys

from babel.numbers import format_compact_decimal

found = {}
for language in ("de", "ja", "ko", "zh"):
    for form in ("short", "long"):
        try:
            found[language, form] = format_compact_decimal(12345678, format_type=form, locale=language)
        except KeyError as error:
            found[language, form] = repr(error)
print(found)
lost = all(found[language, "long"] == "KeyError('long')" for language in ("ja", "ko", "zh"))
written = all(found[language, "short"].startswith("1") for language in ("ja", "ko", "zh"))
sys.exit(0 if lost and written and "Millionen" in found["de", "long"] else 1)
PYTHON
"$folder/venv/bin/python" "$folder/show.py"
