"""HTML: the main part of a page as blocks; navigation, scripts and what no one sees are not read."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.passages.document import Parsed
from elcano.activities.passages.formulas import strip_math_prefixes, write_formulas
from elcano.subjects.documents.html_blocks import list_parts
from elcano.subjects.documents.html_encoding import decode_html
from elcano.subjects.documents.html_visibility import remove_unseen

_MAIN: Final = "main, [role=main]"


def read_html(content: bytes) -> Parsed:
    """Read a page, or a fragment of one."""
    markup = strip_math_prefixes(decode_html(content))
    parsed = _read_markup(markup, scripted=False)
    return parsed if parsed.blocks else _read_markup(markup, scripted=True)


def _read_markup(markup: str, *, scripted: bool) -> Parsed:
    tree = LexborHTMLParser(markup)
    title = tree.css_first("head title")
    name = title.text() if title else ""
    root = _find_main_element(tree)
    if root is None:
        return Parsed([], name)
    write_formulas(root)
    remove_unseen(tree, root, scripted=scripted)
    return Parsed([part.block for part in list_parts(root)], name)


def _find_main_element(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element that declares itself the main part, if exactly one does."""
    main = tree.css(_MAIN)
    return main[0] if len(main) == 1 else tree.body
