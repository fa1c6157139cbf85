#!/bin/sh
# lxml refuses a well-formed document in which an `xml:id` occurs twice, or is no name ("ID l1 already defined"), which
# the standard library reads. LibreOffice and others write such content.xml in ODT files (lists that share an id).
# `XMLParser(collect_ids=False)` reads them. Found with lxml 6.1.3 (libxml2 2.14.6). Exits 1 if that changes.
#
# version: lxml==6.1.3 (libxml2 2.14.6)
# behaviour: a well-formed document whose xml:id occurs twice is refused; XMLParser(collect_ids=False) and the standard library read it
# seen: ID l1 already defined
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lxml==6.1.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import xml.etree.ElementTree

from lxml import etree

repeated = b'<lists><list xml:id="l1"/><list xml:id="l1"/></lists>'
number = b'<lists><list xml:id="1"/></lists>'
print("lxml", etree.__version__, "libxml2", ".".join(map(str, etree.LIBXML_VERSION)))
changed = False
for text in (repeated, number):
    print(text.decode())
    print("  standard library:", len(xml.etree.ElementTree.fromstring(text)), "lists")
    try:
        print("  lxml:", len(etree.fromstring(text)), "lists")
        changed = True
    except etree.XMLSyntaxError as error:
        print("  lxml:", error.msg)
    print("  lxml, collect_ids=False:", len(etree.fromstring(text, etree.XMLParser(collect_ids=False))), "lists")
sys.exit(1 if changed else 0)
PYTHON
