"""The hits that a search of an index ranks."""

from typing import NamedTuple

from elcano.activities.passages.document import Passage


class Hit(NamedTuple):
    """A passage that was found."""

    score: float
    """The higher the better; comparable within one search."""
    document: int
    """Its number in the index."""
    digest: bytes
    """Equal for passages of equal words."""
    passage: Passage
