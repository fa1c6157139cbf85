"""EndNote's XML, which Mendeley, Bookends and others write too, parsed into works in CSL-JSON.

Words in several styles are several elements, of which superscripts and subscripts are written on the line.
"""

import re
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.csl_dates import choose_date
from elcano.subjects.uploads.list_items import (
    ENDNOTE_TYPES,
    Item,
    Parsed,
    choose_url,
    clean_item,
    find_doi,
    find_pmcid,
    find_pmid,
    join_pages,
    split_name,
)
from elcano.text.words import lower_text, raise_text
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, get_local_name, parse_xml

_FIELDS: Final = {
    **{"volume": "volume", "issue": "number", "publisher": "publisher", "language": "language"},
    **{"ISSN": "isbn", "abstract": "abstract", "note": "notes"},
}


def parse_endnote_xml(data: bytes) -> Parsed:
    """The records of an export.

    Raises:
        FileSkipped: its XML cannot be read, or declares entities.
    """
    try:
        root = parse_xml(data)
    except XmlUnreadable as error:
        raise FileSkipped(f"it is no XML that can be read: {str(error)[:100]}") from error
    except EntitiesDeclared as error:
        raise FileSkipped(str(error)) from error
    for record in root.iter("record"):
        item = _build_item(record)
        yield _read(record, "label") or _read(record, "rec-number") or item.get("title", "")[:50], item


def _build_item(record: Element) -> Item:
    item: Item = {name: _read(record, path) for name, path in _FIELDS.items()}
    named = record.find("ref-type")
    kind = named.get("name", "") if named is not None else ""
    item["type"] = ENDNOTE_TYPES.get(kind.lower(), "document")
    item["title"] = _read(record, "titles/title")
    item["issue"] = item["issue"] or _read(record, "issue")
    journals = ("periodical/full-title", "titles/secondary-title", "periodical/abbr-1", "titles/alt-title")
    item["container-title"] = (
        "" if item["type"] == "book" else next(filter(None, (_read(record, one) for one in journals)), "")
    )
    item["author"] = [split_name(_flatten(one)) for one in record.iterfind("contributors/authors/author")]
    item["editor"] = [split_name(_flatten(one)) for one in record.iterfind("contributors/secondary-authors/author")]
    item["issued"] = {"raw": choose_date(_read(record, "dates/year"), _read(record, "dates/pub-dates/date"))}
    item["page"] = join_pages(_read(record, "pages"), "") or _read(record, "custom7")
    links = [word for one in record.iterfind("urls//url") for word in _flatten(one).split()]
    item["URL"] = choose_url(links)
    item["DOI"] = find_doi(_read(record, "electronic-resource-num"), *links)
    database = " ".join(_read(record, f"remote-database-{part}") for part in ("name", "provider"))
    item["PMID"] = find_pmid([_read(record, "accession-num")], database, (), links)
    item["PMCID"] = find_pmcid(_read(record, "custom2"), *links)
    return clean_item(item)


def _read(record: Element, path: str) -> str:
    element = record.find(path)
    return "" if element is None else _flatten(element)


def _flatten(element: Element) -> str:
    parts = [element.text or ""]
    for one in element.iterdescendants():
        text = one.text or ""
        face = one.get("face", "") if get_local_name(one) == "style" else ""
        write = raise_text if "superscript" in face else lower_text if "subscript" in face else None
        parts += (write(text) if write and text.strip() else text, one.tail or "")
    return re.sub(r"[ \t]*[\r\n]\s*", "\n", "".join(parts)).strip()
