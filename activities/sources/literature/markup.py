"""Titles and abstracts that services send with marks of HTML in them."""

import re
from html import unescape
from typing import Final

from elcano.activities.sources.documents import html
from elcano.activities.sources.documents.document import Block
from elcano.activities.sources.literature.xml import raised

_RAISED: Final = re.compile(r"<sup>([^<>]{1,30})</sup>", re.IGNORECASE)
_MARKED: Final = re.compile(r"[<&]")


def blocks(text: str, level: int = 1) -> tuple[Block, ...]:
    """An abstract: its paragraphs, and its headings at `level`. Raised figures stay figures apart."""
    if not _MARKED.search(text):
        return (Block(text),) if text.strip() else ()
    apart = _RAISED.sub(lambda found: raised(unescape(found[1])), text)
    found = html.read(b"<main>" + apart.encode("utf-8", "replace") + b"</main>").blocks
    return tuple(Block(block.text, kind=block.kind, level=level if block.kind == "heading" else 0) for block in found)


def plain(text: str) -> str:
    """A title or a name without marks, on one line."""
    return " ".join(" ".join(block.text for block in blocks(text)).split())
