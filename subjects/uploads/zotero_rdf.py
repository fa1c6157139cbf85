"""Zotero's own export, Zotero RDF, parsed into works in CSL-JSON.

Its nodes say what they are by `z:itemType`. A property has its value as text, as a node within it, or names a node
elsewhere (`rdf:resource`), as the journal that two articles are in. What belongs to the volume of a journal, the DOI of
an article among it, stands at the journal. Names of elements are read without their namespaces.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, TypeAlias

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.csl_works import MOST_AUTHORS
from elcano.subjects.uploads.list_items import Item, Parsed
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, get_local_name, parse_xml

Properties: TypeAlias = dict[str, list[Element]]
"""Properties of a node, by name."""

_RDF: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_TYPES: Final = {
    **{"journalArticle": "article-journal", "magazineArticle": "article-magazine", "preprint": "article"},
    **{"newspaperArticle": "article-newspaper", "conferencePaper": "paper-conference", "book": "book"},
    **{"bookSection": "chapter", "webpage": "webpage", "blogPost": "post-weblog", "forumPost": "post"},
    **{"encyclopediaArticle": "entry-encyclopedia", "dictionaryEntry": "entry-dictionary"},
    **{one: one for one in ("thesis", "report", "manuscript")},
}
_FIELDS: Final = {
    "title": ("title", "displayTitle"),
    "issued": ("date", "issued"),
    "page": ("pages",),
    "abstract": ("abstract",),
    "language": ("language",),
    "PMID": ("PMID",),
    "PMCID": ("PMCID",),
    "number": ("archiveID", "number"),
    "note": ("description",),
}
_UNLISTED: Final = frozenset({"attachment", ""})
"""Types of nodes that are parts of a work, or of the library."""
_IDENTIFIER: Final = re.compile(r"(DOI|ISSN)[\s:]+(\S+)", re.IGNORECASE)
_NESTED: Final = 4
"""Maximum nesting of containers: a section of a newspaper in a series."""


def parse_zotero_rdf(data: bytes) -> Parsed:
    """The works of a library or collection, in the order of the file; collections and attachments are none.

    Raises:
        FileSkipped: it is no RDF, or its XML is refused.
    """
    try:
        root = parse_xml(data)
    except XmlUnreadable as error:
        raise FileSkipped(f"it is no XML that can be read: {str(error)[:100]}") from error
    except EntitiesDeclared as error:
        raise FileSkipped(str(error)) from error
    nodes = {name: node for node in root.iter() if (name := node.get(f"{_RDF}about"))}
    for node in root:
        properties = _list_properties(node)
        if (kind := _find_text(properties, "itemType")) == "note":
            yield "", "it is a note that belongs to no work"
        elif kind not in _UNLISTED:
            item = _build_item(kind, properties, nodes)
            year = re.search(r"\d{4}", item["issued"]["raw"])
            named = f"{year[0] if year else ''} {item['title'][:50]}"
            yield _find_text(properties, "citationKey") or named, {name: value for name, value in item.items() if value}


def _build_item(kind: str, properties: Properties, nodes: Mapping[str, Element]) -> Item:
    item: Item = {name: _find_text(properties, *names) for name, names in _FIELDS.items()}
    item["type"] = _TYPES.get(kind, "document")
    item["issued"] = {"raw": item["issued"]}
    item["publisher"] = _find_named_text(properties, "publisher", "name", nodes)
    within = [properties, *_list_containers(properties, nodes)]
    presented = [_list_properties(one) for one in _resolve(properties, "presentedAt", nodes)]
    item["container-title"] = next(filter(None, (_find_text(one, "title") for one in (*within[1:], *presented))), "")
    item["volume"] = next(filter(None, (_find_text(one, "volume") for one in within)), "")
    item["issue"] = next(filter(None, (_find_text(one, "number") for one in within[1:])), "")
    for one in reversed(within):
        for text in (_read_text(identifier) for identifier in one.get("identifier", ())):
            if found := _IDENTIFIER.match(text):
                item[found[1].upper()] = found[2]
    item["URL"] = _find_named_text(properties, "identifier", "value", nodes)
    people = {name: [*_list_people(properties, name, nodes)] for name in properties}
    item["author"] = people.pop("authors", [])
    item["editor"] = people.pop("editors", []) or next(filter(None, people.values()), [])
    memos = (_find_text(_list_properties(one), "value") for one in _resolve(properties, "isReferencedBy", nodes))
    item["note"] = "\n\n".join(filter(None, (item["note"], *memos)))
    return item


def _list_containers(properties: Properties, nodes: Mapping[str, Element]) -> Iterator[Properties]:
    """List the containers of a work, innermost first, except sections and series, which are no journal or book."""
    for _ in range(_NESTED):
        found = [*_resolve(properties, "isPartOf", nodes)]
        if not found:
            return
        outer = next((one for one in found if get_local_name(one) != "Series"), found[0])
        properties = _list_properties(outer)
        if get_local_name(outer) not in ("Series", "Part"):
            yield properties


def _list_people(properties: Properties, name: str, nodes: Mapping[str, Element]) -> Iterator[Item]:
    for sequence in _resolve(properties, name, nodes):
        for member in islice(sequence, MOST_AUTHORS) if get_local_name(sequence) == "Seq" else ():
            for person in _resolve({"": [member]}, "", nodes):
                named = _list_properties(person)
                family = _find_text(named, "surname", "name")
                if family:
                    yield {"family": family, "given": _find_text(named, "givenName", "givenname")}


def _list_properties(node: Element) -> Properties:
    found: Properties = {}
    for one in node:
        found.setdefault(get_local_name(one), []).append(one)
    return found


def _resolve(properties: Properties, name: str, nodes: Mapping[str, Element]) -> Iterator[Element]:
    """The nodes that are values of a property: those within it, and the one that it names."""
    for one in properties.get(name, ()):
        yield from one
        named = nodes.get(one.get(f"{_RDF}resource", ""))
        if named is not None:
            yield named


def _find_text(properties: Properties, *names: str) -> str:
    """The first of the properties that has a text."""
    return next(filter(None, (_read_text(one) for name in names for one in properties.get(name, ()))), "")


def _find_named_text(properties: Properties, name: str, source: str, nodes: Mapping[str, Element]) -> str:
    """The text of a property of the first node that is a value of another one."""
    return next((_find_text(_list_properties(one), source) for one in _resolve(properties, name, nodes)), "")


def _read_text(element: Element) -> str:
    return (element.text or "").strip()
