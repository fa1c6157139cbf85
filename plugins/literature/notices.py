"""Flags and words the notices that a work received after its publication.

PubMed and Europe PMC link a work with the notices on it in the same terms, spelt differently.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from elcano.graphs.report.works import Flag

MOST_NOTICES: Final = 20
"""A work that is mentioned in more of them is told of by these."""

_LINKS: Final[dict[str, tuple[Flag | None, str]]] = {
    "retractionin": ("retracted", "It was retracted"),
    "retractedandrepublishedin": ("retracted", "It was retracted and published again"),
    "partialretractionin": ("retracted", "It was retracted in part"),
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
"""By the name of the link without spaces, in lower case; comments, summaries and reprints change nothing."""
_TYPES: Final[dict[str, tuple[Flag, str]]] = {
    "retracted publication": ("retracted", "It is marked as retracted."),
    "preprint": ("preprint", "It is a preprint: it was not reviewed by peers."),
    "preprint-withdrawal": ("withdrawn", "It is marked as withdrawn."),
    "preprint-removal": ("withdrawn", "It is marked as removed."),
}
"""By a publication type in lower case: the flag, and what is said of it where no link says more."""
_IN_TITLE: Final = re.compile(r"\W{0,3}(retracted|withdrawn|removed)(?: article| paper)?\W{0,2}[:\]]", re.IGNORECASE)


@dataclass
class WorkStanding:
    """How far a work stands, gathered from all that its source says."""

    flags: list[Flag] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def linked(self, link: str, reference: str) -> None:
        """A notice that the source links it with, as `RetractionIn` or `Retraction in`, and where that is published."""
        known = _LINKS.get("".join(link.split()).lower())
        if known is None:
            return
        flag, said = known
        where = " ".join(reference.split()).rstrip(".")
        self._add(flag, f"{said}: {where}." if where else f"{said}.")

    def marked(self, types: Iterable[str], title: str) -> None:
        """What its publication types and its title say; call it after all links."""
        for kind in types:
            if (known := _TYPES.get(kind.strip().lower())) is not None and known[0] not in self.flags:
                self._add(*known)
        found = _IN_TITLE.match(title)
        if found is not None:
            flag: Flag = "retracted" if found[1].lower() == "retracted" else "withdrawn"
            if flag not in self.flags:
                self._add(flag, f"Its title says that it was {found[1].lower()}.")

    def _add(self, flag: Flag | None, notice: str) -> None:
        if flag is not None and flag not in self.flags:
            self.flags.append(flag)
        if notice not in self.notices and len(self.notices) < MOST_NOTICES:
            self.notices.append(notice)
