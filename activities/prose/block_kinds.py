"""What kind of block a block is, and which kinds state something that needs support."""

from collections.abc import Mapping, Sequence
from typing import Final

from markdown_it.token import Token

from elcano.activities.prose.markdown_parser import parse_markdown
from elcano.graphs.report.statements import BlockKind

_KINDS: Final[Mapping[str, BlockKind]] = {
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "math_block": "formula",
    "blockquote_open": "quotation",
    "hr": "rule",
}
_SHOWN: Final = frozenset({"list", "table", "code", "formula", "quotation"})
"""What a paragraph that ends with a colon leads to."""


def kind_of(tokens: Sequence[Token]) -> BlockKind:
    """The kind of the block that `tokens` are of; a paragraph if there is none, or if there are several."""
    if not tokens or sum(token.level == 0 and token.nesting >= 0 for token in tokens) > 1:
        return "paragraph"
    children = tokens[1].children or [] if len(tokens) > 1 and tokens[0].type == "paragraph_open" else []
    if [child.type for child in children] in (["math_inline"], ["math_inline_double"]):
        return "formula"
    return _KINDS.get(tokens[0].type, "paragraph")


def is_statement_kind(kind: BlockKind) -> bool:
    """Whether a block of this kind says something: what stands in code and formulas is said by the text around."""
    return kind not in ("heading", "code", "formula", "rule")


def leads_on(text: str, following: str) -> bool:
    """Whether `text` only introduces the list, table, code, formula or quotation that follows."""
    introduces = text.rstrip().rstrip("*_").endswith((":", "\uff1a"))
    return introduces and bool(following) and kind_of(parse_markdown(following)) in _SHOWN
