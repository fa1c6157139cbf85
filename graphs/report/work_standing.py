"""Whether a work is still valid, by the flags and notices that it received after its publication.

Sources report it by a link to a notice, by a publication type, or by a mark in the title. PubMed, Europe PMC and lists
of works link a work with its notices in the same terms, spelt differently.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from elcano.graphs.report.works import Flag

MOST_NOTICES: Final = 20
"""Notices per work; the flags of all count."""
NOT_REVIEWED: Final = "It is a preprint: it was not reviewed by peers."

_LINKS: Final[dict[str, tuple[Flag | None, str]]] = {
    "retractionin": ("retracted", "It was retracted"),
    "retractedandrepublishedin": ("retracted", "It was retracted and published again"),
    "partialretractionin": ("concern", "It was retracted in part"),  # the rest is valid; which parts says the notice
    "expressionofconcernin": ("concern", "Its publisher expressed concern"),
    "erratumin": ("corrected", "It was corrected"),
    "correctedandrepublishedin": ("corrected", "It was corrected and published again"),
    "updatein": (None, "There is a later version"),
    "preprintin": (None, "It was a preprint before"),
    "retractionof": (None, "It is the notice of a retraction"),
    "partialretractionof": (None, "It is the notice of a retraction in part"),
    "expressionofconcernfor": (None, "It is an expression of concern"),
    "erratumfor": (None, "It is a correction"),
    "correctedandrepublishedfrom": (None, "It is the corrected version of a work"),
    "retractedandrepublishedfrom": (None, "It is the new version of a retracted work"),
    "updateof": (None, "It is the later version of a work"),
    "preprintof": (None, "It was published since"),
}
"""Flags by the name of the link without spaces, in lower case; comments, summaries and reprints change nothing."""
_TYPES: Final[dict[str, tuple[Flag, str]]] = {
    "retracted publication": ("retracted", "It is marked as retracted."),
    "preprint": ("preprint", NOT_REVIEWED),
    "preprint-withdrawal": ("withdrawn", "It is marked as withdrawn."),
    "preprint-removal": ("withdrawn", "It is marked as removed."),
}
"""By a publication type in lower case: the flag, and its notice if no link says more."""
_MARK: Final = r"(retracted|withdrawn|removed)(?:\s+(?:article|paper|chapter|and\s+re(?:placed|published)))?"
_MARKED_TITLE: Final = re.compile(
    rf"\W*{_MARK}(?:\s*[:\])\u2013\u2014]|\s+-\s)|.*[(\[]\s*{_MARK}\b[^()\[\]]{{0,200}}[)\]]\W*\Z",
    re.IGNORECASE | re.DOTALL,
)
"""Marks that publishers put on a title: in front, or, as Web of Science has them, in brackets at its end. `Retraction:
...` and `Retraction notice` are titles of notices, which stand."""


@dataclass
class WorkStanding:
    """The flags and notices of one work, collected from all that its source says."""

    flags: list[Flag] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def add(self, flag: Flag | None, notice: str = "") -> None:
        """Add a flag and a notice, each once."""
        if flag is not None and flag not in self.flags:
            self.flags.append(flag)
        if notice and notice not in self.notices and len(self.notices) < MOST_NOTICES:
            self.notices.append(notice)

    def add_link(self, link: str, reference: str) -> None:
        """Add a notice that the source links, as `RetractionIn` or `Retraction in`, and where it is published."""
        known = _LINKS.get("".join(link.split()).lower())
        if known is not None:
            where = " ".join(reference.split()).rstrip(".")
            self.add(known[0], f"{known[1]}: {where}." if where else f"{known[1]}.")

    def add_types(self, types: Iterable[str]) -> None:
        """Add publication types that no link covered; call it after all links."""
        for kind in types:
            if (known := _TYPES.get(kind.strip().lower())) is not None and known[0] not in self.flags:
                self.add(*known)

    def add_title(self, title: str) -> None:
        """Add the mark of a title, if nothing said so before."""
        if found := _MARKED_TITLE.match(title):
            mark = (found[1] or found[2]).lower()
            flag: Flag = "withdrawn" if mark == "withdrawn" else "retracted"
            if flag not in self.flags:
                self.add(flag, f"Its title is marked as {mark}.")
