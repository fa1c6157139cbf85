"""Tokens of Markdown as Markdown again, in which nothing is a link, an image, HTML or a bracket like our citations.

What is in it comes out as it went in: tables with their delimiter row, lists with their marks, code with its
language, formulas, quotations. Whatever could mean more to another reader of Markdown than it does to ours is escaped:
text by backslashes, a formula that hides markup by being shown as text. Only the caller writes bare brackets.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from elcano.text.prose.markdown_parser import CITATION, compile_parser_rules
from elcano.text.prose.statements import END

Say = Callable[[Token], str]
"""From the token of a mark or of a statement's end to what is in its place."""

_TEXT: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~\s]|$)"  # what would escape the next character
    r"|[`\[\]|$]"
    r"|(?<!\s)\*|\*(?!\s|$)|^\*|\*$"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|~(?!\d)|(?<!\s)~"
    r"|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)"
    r"|(?<=:)/(?=/)|(?<=\bwww)\."
)
"""Characters that are markup somewhere: emphasis, code, brackets, tables, formulas, tags, entities and addresses."""
_TASK: Final = re.compile(r"\A\\\[([ xX])\\\] ")
"""The box of a task, which no number of ours looks like."""
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;"}
_BLOCK: Final = re.compile(r">|[-+*](?=\s|$)|#{1,6}(?=\s|$)|[-=]+\s*$|[-=:]{2,}|~{3,}|`{3,}|(?:[-*_] ?){3,}$|\s{4,}")
"""Beginnings of lines that are lists, headings, rules, fences or parts of tables."""
_NUMBER: Final = re.compile(r"(\d{1,9})([.)])(?=\s|$)")
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,40}")
_LIKE_OURS: Final = re.compile(r"(?:^|\s)\[\s*\d+\s*\]")
_BARE_NUMBER: Final = re.compile(r"\[\s*\d+\s*[\],]")
_LINE_BREAK: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\?\n")
"""In a heading that is underlined, which may have several lines; a backslash that is not escaped belongs to a break."""
_DELIMITERS: Final = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_HARMLESS: Final = {
    *("paragraph_open", "paragraph_close", "inline", "text", "softbreak", "hardbreak", "code_inline"),
    *("em_open", "em_close", "strong_open", "strong_close"),
}
_COMMONMARK: Final = compile_parser_rules(MarkdownIt("commonmark"))
"""A parser without formulas, as some readers have it."""


def render_markdown(tokens: Sequence[Token], say: Say, source: str = "") -> str:
    """The block, or blocks, of `tokens` as Markdown, without white space around.

    Args:
        tokens: as they were parsed.
        say: what is in the place of marks and of statements' ends.
        source: what they were parsed from, for the delimiter rows of tables.
    """
    return "\n\n".join(_Writer(say, source.split("\n")).blocks(list(tokens))).strip("\n")


class _Writer:
    def __init__(self, say: Say, lines: list[str]) -> None:
        self._say = say
        self._lines = lines

    def blocks(self, tokens: list[Token]) -> list[str]:
        """Each block that is next to the others in `tokens`."""
        found: list[str] = []
        place = 0
        while place < len(tokens):
            end = _find_closing_token(tokens, place)
            found.append(self._block(tokens[place : end + 1]))
            place = end + 1
        return [block for block in found if block.strip()]

    def _block(self, tokens: list[Token]) -> str:
        first, inner = tokens[0], tokens[1:-1]
        match first.type:
            case "paragraph_open":
                return "\n".join(map(_escape_line_start, self._inline(inner[0]).split("\n")))
            case "heading_open":
                return "### " + _LINE_BREAK.sub(r"\1 ", self._inline(inner[0]))
            case "bullet_list_open" | "ordered_list_open":
                return self._list(tokens)
            case "blockquote_open":
                text = "\n\n".join(self.blocks(inner))
                return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
            case "table_open":
                return self._table(tokens)
            case "fence" | "code_block":
                return _render_fence(first)
            case "math_block":
                return _render_formula(first)
            case "hr":
                return "---"
            case _:
                return "\n".join(self._inline(one) for one in tokens if one.type == "inline")

    def _list(self, tokens: list[Token]) -> str:
        opening, items = tokens[0], list[str]()
        loose = any(
            one.type == "paragraph_open" and one.level == opening.level + 2 and not one.hidden for one in tokens
        )
        place = 1
        while place < len(tokens) - 1:
            end = _find_closing_token(tokens, place)
            item = tokens[place]
            mark = f"{item.info or '1'}{item.markup}" if opening.type.startswith("ordered") else item.markup
            body = ("\n\n" if loose else "\n").join(self.blocks(tokens[place + 1 : end]))
            body = _TASK.sub(r"[\1] ", body)
            indent = " " * (len(mark) + 1)
            items.append(f"{mark} {body}".rstrip().replace("\n", f"\n{indent}").replace(f"\n{indent}\n", "\n\n"))
            place = end + 1
        return ("\n\n" if loose else "\n").join(items)

    def _table(self, tokens: list[Token]) -> str:
        rows: list[list[str]] = []
        aligned: list[str] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                aligned.append(_ALIGNED.get(str(token.attrGet("style") or ""), "---"))
            elif token.type == "inline":
                rows[-1].append(re.sub(r"(?<!\\)\|", r"\\|", self._inline(token)).replace("\n", " "))
        lines = [f"| {' | '.join(row)} |" for row in rows]
        begin = tokens[0].map[0] + 1 if tokens[0].map and tokens[0].level == 0 else len(self._lines)
        own = self._lines[begin].strip() if begin < len(self._lines) else ""
        lines.insert(1, own if _DELIMITERS.fullmatch(own) else f"| {' | '.join(aligned)} |")
        return "\n".join(lines)

    def _inline(self, token: Token) -> str:
        parts: list[str] = []
        after_mark = False
        for child in token.children or ():
            part = self._child(child)
            if after_mark and (part[:1] == "(" or (part[:1] == ":" and not "".join(parts[:-1]).strip())):
                part = f"\\{part}"  # it would be a link, or at the beginning of a block say what a number represents
            if child.type == CITATION and not part and parts:
                parts[-1] = parts[-1].rstrip(" ")
            if child.type == CITATION and parts and parts[-1].endswith("!") and not parts[-1].endswith("\\!"):
                parts[-1] = f"{parts[-1][:-1]}\\!"
            if part:
                after_mark = child.type in (CITATION, END)
                parts.append(part)
        return "".join(parts)

    def _child(self, token: Token) -> str:
        match token.type:
            case "text":
                return _escape_markup(token.content)
            case "citation" | "statement_end":
                return self._say(token)
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "\\\n"
            case "code_inline":
                return _render_inline_code(token)
            case "math_inline" | "math_inline_double":
                return _inline_formula(token)
            case _:
                return token.markup if token.nesting else _escape_markup(token.content)


_ALIGNED: Final = {"text-align:left": ":--", "text-align:right": "--:", "text-align:center": ":-:"}


def _find_closing_token(tokens: Sequence[Token], place: int) -> int:
    depth = 0
    for at in range(place, len(tokens)):
        depth += tokens[at].nesting
        if depth <= 0:
            return at
    return len(tokens) - 1


def _escape_markup(text: str) -> str:
    """`text` as Markdown that says the same, with nothing in it that is markup."""
    line = re.sub(r"[\n\r\t]|<br\s*/?>", " ", text)  # breaks that entities bring, or cells of tables
    return _TEXT.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), line)


def _escape_line_start(line: str) -> str:
    """`line` as what a line may begin with."""
    line = line.strip(" \t")
    if _BLOCK.match(line):
        return f"\\{line}"
    return _NUMBER.sub(r"\1\\\2", line, count=1) if _NUMBER.match(line) else line


def _render_inline_code(token: Token) -> str:
    """Code within a line; what pretends to be one of our numbers is shown with its backticks."""
    content = token.content
    if _LIKE_OURS.search(content):
        return _escape_markup(f"{token.markup}{content}{token.markup}")
    longest = max(map(len, re.findall(r"`+", content)), default=0)
    ticks = token.markup if len(token.markup) > longest else "`" * (longest + 1)
    padded = content.startswith("`") or content.endswith("`") or (content != content.strip(" ") and content.strip(" "))
    return f"{ticks} {content} {ticks}" if padded else f"{ticks}{content}{ticks}"


def _inline_formula(token: Token) -> str:
    source = f"{token.markup}{token.content}{token.markup}"
    return source if _is_harmless_formula(source) and not _BARE_NUMBER.search(source) else _escape_markup(source)


def _render_formula(token: Token) -> str:
    source = f"$${token.content}$$"
    if _is_harmless_formula(source) and not _BARE_NUMBER.search(source):
        return source
    return fence_code("math", token.content.strip("\n") + "\n", "```")


def _is_harmless_formula(source: str) -> bool:
    """Return whether a renderer without formulas shows only a paragraph, without links, images and HTML."""
    tokens = _COMMONMARK.parse(source)
    inner = [child.type for token in tokens for child in token.children or ()]
    return {*(token.type for token in tokens), *inner} <= _HARMLESS and sum(one.level == 0 for one in tokens) == 2


def _render_fence(token: Token) -> str:
    language = _LANGUAGE.match(token.info.strip())
    return fence_code(language[0] if language else "", token.content, token.markup or "```")


def fence_code(language: str, content: str, fence: str = "```") -> str:
    """`content` as a block of code, which no line of it ends."""
    longest = max(map(len, re.findall(rf"{re.escape(fence[0])}+", content)), default=0)
    fence = fence if len(fence) > longest else fence[0] * (longest + 1)
    body = content if content.endswith("\n") or not content else f"{content}\n"
    return f"{fence}{language}\n{body}{fence}"
