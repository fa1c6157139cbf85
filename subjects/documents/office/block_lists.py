"""Paragraphs of word processors' documents as blocks: what is a heading, and which items are one list."""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.activities.passages.document import Block

HEADING_CHARACTERS: Final = 300
"""A longer paragraph is text, even if its author gave it the level of a heading."""
_LIST_CHARACTERS: Final = 900
"""Items of a list share a block up to this length, which is that of a passage."""


def join_lists(blocks: Iterator[Block]) -> Iterator[Block]:
    """Items that follow one another become one list."""
    items: list[Block] = []
    for block in blocks:
        if items and (
            block.kind != "list" or sum(len(one.text) + 1 for one in items) + len(block.text) > _LIST_CHARACTERS
        ):
            yield _join_items(items)
            items = []
        if block.kind == "list":
            items.append(block)
        else:
            yield block
    if items:
        yield _join_items(items)


def _join_items(items: Sequence[Block]) -> Block:
    text = "\n".join(one.text.rstrip() for one in items)
    return Block(text.strip(), "list", paragraph=items[0].paragraph)
