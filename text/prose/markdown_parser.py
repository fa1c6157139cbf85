"""Markdown as it is read here: CommonMark with tables and formulas, without links, images and HTML, which stay text.

In scripts without spaces, `**` next to a quotation mark or a bracket is bold as well, which CommonMark's rule, made for
spaces, leaves as stars: `これは**「強調」**です`.

A bracket that holds nothing but marks of citations is a token of its own, `citation`, wherever text may stand; in code
and formulas it is what it is. Every other bracket is text.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from elcano.graphs.report.report import BlockKind, Citation
from elcano.text.words import is_unspaced

CITATION: Final = "citation"
"""The type of the tokens of marks; their `meta` has `marks` and `inferred`."""
MARKS: Final = "marks"
"""Key of the available marks in the parser's `env`."""

_BRACKET: Final = re.compile(r"\[([^\[\]\n]{1,200})\]")
_FROM: Final = re.compile(r"\s*from\s+", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*[,;]\s*|\s+and\s+|\s+")
_SHORT: Final = re.compile(r"[a-z]{0,2}\d{0,3}")
"""Text that looks like a mark without a citation; a word does not."""
_MARK: Final = re.compile(r"[\w.:-]{1,40}")
_NESTING: Final = 60
"""Lists and quotations within each other; what lies deeper is left out."""


@dataclass(frozen=True)
class Bracket:
    """The contents of a bracket of citation marks."""

    marks: tuple[str, ...]
    inferred: bool
    """The words before it follow from what the marks stand for."""


def mark_of(written: str) -> str:
    """A mark as it is compared: without brackets and letter case; empty if it cannot be one."""
    bare = written.strip().strip("[]()^ ").casefold()
    return bare if _MARK.fullmatch(bare) else ""


def marks_of(citations: Iterable[Citation]) -> frozenset[str]:
    """The marks that `citations` have."""
    return frozenset(mark for cited in citations if (mark := mark_of(cited.mark)))


def parse_bracket(text: str, known: Collection[str]) -> Bracket | None:
    """Parse `text`, which is in brackets, if it holds a mark of `known` and nothing but marks."""
    inferred = _FROM.match(text)
    marks = [mark_of(one) for one in _BETWEEN.split(text[inferred.end() if inferred else 0 :].strip())]
    found = tuple(dict.fromkeys(one for one in marks if one in known))
    if not found or not all(one in known or (one and _SHORT.fullmatch(one)) for one in marks):
        return None
    return Bracket(marks=found, inferred=inferred is not None)


def parse_markdown(markdown: str, known: Collection[str] = ()) -> list[Token]:
    """The tokens of `markdown`, brackets of the marks in `known` among them."""
    env: dict[str, object] = {MARKS: known}
    return _MARKDOWN.parse(markdown, env)


def bracket_of(token: Token) -> Bracket:
    """Return the bracket that a token of the type `citation` represents."""
    meta: Mapping[str, object] = token.meta
    marks = meta["marks"]
    assert isinstance(marks, tuple)
    return Bracket(marks=marks, inferred=bool(meta["inferred"]))


def citations_in(tokens: Iterable[Token]) -> list[Bracket]:
    """All brackets of marks in `tokens`, in their order."""
    return [bracket_of(inner) for token in tokens for inner in token.children or () if inner.type == CITATION]


def _match_citation_rule(state: StateInline, silent: bool) -> bool:
    """The rule: a bracket of marks."""
    found = _BRACKET.match(state.src, state.pos, state.posMax)
    if found is None or (said := parse_bracket(found[1], state.env.get(MARKS, ()))) is None:
        return False
    if not silent:
        token = state.push(CITATION, "", 0)
        token.content = found[0]
        token.meta = {"marks": said.marks, "inferred": said.inferred}
    state.pos = found.end()
    return True


def _build_markdown_parser() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING})
    made.enable(["table", "strikethrough"])
    made.disable(["reference", "html_block", "html_inline", "autolink", "link", "image"])
    made.use(dollarmath_plugin, allow_space=False, double_inline=True)
    made.inline.ruler.before("backticks", CITATION, _match_citation_rule)
    use_unspaced_emphasis(made)
    return compile_parser_rules(made)


def use_unspaced_emphasis(parser: MarkdownIt) -> None:
    """Have `parser` read `**` next to punctuation as bold where the other side has a letter of a script without spaces.

    One star alone stays what CommonMark makes of it: it also marks notes, as in `価格*「税込」`.
    """
    parser.inline.ruler.at("emphasis", _match_emphasis_rule)


def _match_emphasis_rule(state: StateInline, silent: bool) -> bool:
    """The rule: stars and underscores that may open or close emphasis. The pairs among them are found afterwards."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    scanned = state.scanDelims(state.pos, marker == "*")
    end = state.pos + scanned.length
    before, behind = state.src[state.pos - 1 : state.pos], state.src[end : end + 1]
    strong = marker == "*" and scanned.length > 1 and not f"{before} {behind}".isascii()
    opens = scanned.can_open or (strong and is_unspaced(before) and behind.strip() != "")
    closes = scanned.can_close or (strong and is_unspaced(behind) and before.strip() != "")
    for _ in range(scanned.length):
        state.push("text", "", 0).content = marker
        token = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord(marker), scanned.length, token, -1, opens, closes))
    state.pos = end
    return True


def compile_parser_rules(parser: MarkdownIt) -> MarkdownIt:
    """`parser`, with its rules made ready: it does that at its first use, and threads that meet there miss rules."""
    parser.parse("*a*")
    return parser


_MARKDOWN: Final = _build_markdown_parser()


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
"""Blocks that a paragraph with a final colon leads to."""


def kind_of(tokens: Sequence[Token]) -> BlockKind:
    """The kind of the block that `tokens` are of; a paragraph if there is none, or if there are several."""
    if not tokens or sum(token.level == 0 and token.nesting >= 0 for token in tokens) > 1:
        return "paragraph"
    children = tokens[1].children or [] if len(tokens) > 1 and tokens[0].type == "paragraph_open" else []
    if [child.type for child in children] in (["math_inline"], ["math_inline_double"]):
        return "formula"
    return _KINDS.get(tokens[0].type, "paragraph")


def is_statement_kind(kind: BlockKind) -> bool:
    """Whether a block of this kind says something: what is in code and formulas is said by the text around."""
    return kind not in ("heading", "code", "formula", "rule")


_CAPTION: Final = re.compile(
    r"[*_ ]*(?:table|tab\.|tabelle|tableau|tabla|tabela|tabella|tabel|表|표|ตาราง(?:ที่)?)\s*\d", re.IGNORECASE
)
"""Beginning of a table's caption."""


def leads_on(text: str, following: str) -> bool:
    """Whether `text` only introduces the list, table, code, formula or quotation that follows."""
    if not following:
        return False
    kind = kind_of(parse_markdown(following))
    introduces = text.rstrip().rstrip("*_").endswith((":", "\uff1a"))
    return (introduces and kind in _SHOWN) or (kind == "table" and _CAPTION.match(text) is not None)
