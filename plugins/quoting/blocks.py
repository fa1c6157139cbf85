"""Which parts of a document are prose: Markdown and reStructuredText without code, tables, headings and badges.

Works line by line on the passage as it is stored and keeps offsets, so whatever is taken is literally there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_FENCE: Final = re.compile(r"^\s{0,8}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r"^\s{0,3}([=\-~^*+#\"'.:_`])\1{2,}\s*$")
_HEADING: Final = re.compile(r"^\s{0,3}#{1,6}\s")
_TABLE: Final = re.compile(r"^\s*\||^\s*\+[-=+]+\+|\s\|\s.*\s\|\s|\|\s*:?-{3,}|^\s*=+(\s+=+)+\s*$")
_MARKUP: Final = re.compile(
    r"^\s*(?:</?[a-zA-Z!][^>]*>?|\.\.(?:\s|$)|:[\w -]+:(?:\s|$)|\[[^\]]+\]:\s"
    r"|!\[|\[!\[|\[!\w+\]|---\s*$|<!--|-->|\{[%{])"
)
_BADGE: Final = re.compile(r"\[!\[|shields\.io|badge|!\[[^\]]*\]\(|\|[\w -]+\|_?(?:\s|$)", re.IGNORECASE)
_CODE: Final = re.compile(
    r"^\s*(?:>>>|\.\.\. |\$ |% |# |// |import [\w.]+|from [\w.]+ import|(?:async )?def \w+\(|class \w+[(:]"
    r"|@\w+[\w.]*(?:\(|$)|return\b|await |(?:async )?with .*:$|for \w+ in .*:$|if .*:$"
    r"|else:|try:|except\b.*:$|raise \w+|pass$|print\("
    r"|(?:uv |pipx? |python3? -m )?(?:pip|npm|uv|poetry|conda|brew|docker|apt-get|git|cargo|yarn) "
    r"(?:install|add|run|clone|build|sync|pull|compose)\b"
    r"|(?:const|let|var|function|export|public|private|SELECT|INSERT|CREATE)\s)"
    r"|^\s*[\w.\[\]\"']+\s*[-+*/|]?=\s*\S|\{\s*$|(?:=.*|\w\([^()]*\)|^\s*[\w.*&>-]+)\s*;\s*$|^\s*[)\]}]+[,;]?\s*$|^\s*[\w.]+\(.*\)\s*:?\s*$"
    r"|^\s*[\"'][\w.-]+[\"']\s*:\s*"
)
_ITEM: Final = re.compile(r"^(\s*)(?:[-*+\u2022]|\d{1,3}[.)]|#\.|\(?[a-z]\))\s+(?:\[[ xX]\]\s+)?")
_QUOTE: Final = re.compile(r"^\s{0,3}>\s?")


@dataclass(frozen=True)
class Block:
    """A paragraph or a list item: characters `start` to `end` of the passage."""

    start: int
    end: int
    item: bool


@dataclass(frozen=True)
class _Line:
    start: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())


def prose(text: str) -> list[Block]:
    """The paragraphs and list items of `text` that are sentences, in order."""
    blocks: list[Block] = []
    running: Block | None = None
    for line in _readable(text):
        body = line.text.rstrip()
        if line.start < 0 or not body.strip():
            _close(blocks, running)
            running = None
            continue
        marker = _ITEM.match(line.text) or _QUOTE.match(line.text)
        end = line.start + len(body)
        if marker is not None:
            _close(blocks, running)
            running = Block(line.start + marker.end(), end, item=_ITEM.match(line.text) is not None)
        elif running is None:
            running = Block(line.start + line.indent, end, item=False)
        else:
            running = Block(running.start, end, running.item)
    _close(blocks, running)
    return [block for block in blocks if block.end > block.start]


def _close(blocks: list[Block], running: Block | None) -> None:
    if running is not None:
        blocks.append(running)


def _readable(text: str) -> Iterator[_Line]:
    """The lines outside code, tables and headings; a line with `start` -1 stands for whatever was left out."""
    gap = _Line(-1, "")
    lines = _lines(text)
    fence = ""
    literal: int | None = None
    """Indentation of the line that announced an indented code block (`::`, or a directive)."""
    for index, line in enumerate(lines):
        body = line.text.rstrip()
        opening = _FENCE.match(body)
        if opening is not None and (not fence or opening[1].startswith(fence)):
            fence = "" if fence else opening[1]
            yield gap
        elif fence or (literal is not None and (not body or line.indent > literal)):
            yield gap
        else:
            announces = body.endswith("::") or bool(re.match(r"^\s*\.\. [\w-]+::", body))
            literal = line.indent if announces else None
            after = lines[index + 1].text if index + 1 < len(lines) else ""
            before = lines[index - 1].text if index else ""
            yield gap if _is_no_prose(body, before, after) else line


def _is_no_prose(body: str, before: str, after: str) -> bool:
    if not body:
        return False
    if _HEADING.match(body) or _UNDERLINE.match(body) or _TABLE.search(body) or _MARKUP.match(body):
        return True
    if _BADGE.search(body) or _CODE.search(body):
        return True
    if _UNDERLINE.match(after) and len(after.strip()) >= 3 and len(body) <= len(after.strip()) + 40:
        return True  # a heading that is underlined
    indented = body.startswith(("    ", "\t")) and not before.strip()
    return indented and _ITEM.match(body) is None


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    start = 0
    for line in text.split("\n"):
        lines.append(_Line(start, line))
        start += len(line) + 1
    return lines
