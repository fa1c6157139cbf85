#!/bin/sh
# lxml loads the DTD that a document names where `collect_ids=False`, though `load_dtd` is False, its default: a document
# with the DOCTYPE of JATS, whose DTD has an address on the web, cannot be read ("Attempt to load network entity"). With
# IDs it can. Found with lxml 6.1.3 (libxml2 2.14.6). Exits 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check lxml==6.1.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys

from lxml import etree

text = b'<!DOCTYPE article PUBLIC "-//X//DTD Y//EN" "http://dtd.example.org/a.dtd"><article><p>It turns.</p></article>'
print("lxml", etree.__version__, "libxml2", ".".join(map(str, etree.LIBXML_VERSION)))
print("default:", etree.fromstring(text, etree.XMLParser()).findtext("p"))
print("load_dtd=False:", etree.fromstring(text, etree.XMLParser(load_dtd=False)).findtext("p"))
try:
    print("collect_ids=False:", etree.fromstring(text, etree.XMLParser(load_dtd=False, collect_ids=False)).findtext("p"))
    changed = True
except etree.XMLSyntaxError as error:
    print("collect_ids=False:", error.msg)
    changed = False
sys.exit(1 if changed else 0)
PYTHON
