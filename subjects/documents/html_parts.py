"""Parts of a page of HTML: its blocks, and where on the page each is."""

from typing import NamedTuple

from elcano.activities.passages.document import Block


class Scope:
    """A block element of the page: what the choice of the main text goes by."""

    __slots__ = ("above", "node_class", "tag")

    def __init__(self, tag: str, node_class: str, above: "Scope | None") -> None:
        self.tag = tag
        self.node_class = node_class
        """Its classes, id and role."""
        self.above = above


class Part(NamedTuple):
    """One block of a page."""

    block: Block
    mark: str = ""
    """Prefix of its text: the mark of a list item."""
    linked: int = 0
    """Number of its characters that are in links."""
    scope: Scope | None = None
    """The innermost block element that it is in."""
    leads_on: bool = False
    """Whether it only leads to other pages, as `Next: …, Previous: …` does."""

    @property
    def bare(self) -> str:
        """Its text without the mark."""
        return self.block.text[len(self.mark) :]
