"""HTML: the main part of a page as blocks; navigation, scripts and what no one sees are not read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.passages.document import Parsed
from elcano.activities.passages.formulas import strip_math_prefixes, write_formulas
from elcano.graphs.report.works import parse_doi
from elcano.subjects.documents.authorship import MOST_AUTHORS, parse_authors, parse_year
from elcano.subjects.documents.html_blocks import list_parts
from elcano.subjects.documents.html_encoding import decode_html
from elcano.subjects.documents.html_visibility import remove_unseen

_MAIN: Final = ":is(main, [role=main])"
"""`:is` because the parser gives an element once for each selector of a plain list: twice for `<main role="main">`."""
_AUTHORS: Final = ("citation_author", "citation_authors", "dc.creator", "dcterms.creator", "author")
_TITLES: Final = ("citation_title", "dc.title", "dcterms.title")
_DATES: Final = (
    *("citation_publication_date", "citation_date", "citation_online_date", "citation_year"),
    *("dc.date", "dcterms.issued", "dcterms.date", "article:published_time"),
)
_DOIS: Final = ("citation_doi", "dc.identifier", "dcterms.identifier", "prism.doi")
"""Names of elements in which pages of journals and repositories give their reference, the surest first."""


def read_html(content: bytes) -> Parsed:
    """Read a page, or a fragment of one."""
    markup = strip_math_prefixes(decode_html(content))
    parsed = _read_markup(markup, scripted=False)
    return parsed if parsed.blocks else _read_markup(markup, scripted=True)


def _read_markup(markup: str, *, scripted: bool) -> Parsed:
    tree = LexborHTMLParser(markup)
    parsed = _read_reference(tree)
    root = _find_main_element(tree)
    if root is None:
        return parsed
    write_formulas(root)
    remove_unseen(tree, root, scripted=scripted)
    return replace(parsed, blocks=[part.block for part in list_parts(root)])


def _read_reference(tree: LexborHTMLParser) -> Parsed:
    """What a page says of itself, without its blocks."""
    said: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        name = node.attributes.get("name") or node.attributes.get("property") or ""
        said.setdefault(name.strip().lower(), []).append(node.attributes.get("content") or "")
    title = tree.css_first("head title")
    return Parsed(
        [],
        next((" ".join(one.split()) for one in _list_said(said, _TITLES)), title.text() if title else ""),
        next(filter(None, (_read_authors(said.get(name, ())) for name in _AUTHORS)), ()),
        next(filter(None, map(parse_year, _list_said(said, _DATES))), 0),
        doi=next(filter(None, map(parse_doi, _list_said(said, _DOIS))), ""),
    )


def _list_said(said: Mapping[str, Sequence[str]], names: Iterable[str]) -> Iterator[str]:
    return (content for name in names for content in said.get(name, ()) if content.strip())


def _read_authors(contents: Sequence[str]) -> tuple[str, ...]:
    """Names of one element each, or of one element with all."""
    return tuple(dict.fromkeys(name for content in contents for name in parse_authors(content)))[:MOST_AUTHORS]


def _find_main_element(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element that declares itself the main part, if exactly one does."""
    main = tree.css(_MAIN)
    return main[0] if len(main) == 1 else tree.body
