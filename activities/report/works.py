"""Finds the work of a passage, after merging what the sources report about each work.

A passage of which its source tells no work is of its document alone. A work without any identifier cannot be found
again by another source, so it is of its document as well, with what is known of it.
"""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.values.merging import MergedWork, joining, merged, united
from elcano.graphs.values.works import Work
from elcano.storage.evidence import Evidence

NO_HASH: Final = ""


class Works:
    """The works of a run.

    Args:
        evidence: its passages.
        accounts: what was told of works beside these.
    """

    def __init__(self, evidence: Iterable[Evidence], accounts: Iterable[Work] = ()) -> None:
        told = [passage.work for passage in evidence if passage.work is not None]
        self._by_name = {
            name: one for one in merged([*told, *accounts]) for account in one.accounts for name in joining(account)
        }

    def of(self, passage: Evidence) -> MergedWork | None:
        """The work that `passage` is of; None if nothing is known of it."""
        if passage.work is None:
            return None
        return next((self._by_name[name] for name in joining(passage.work)), None) or united([passage.work])

    def key(self, passage: Evidence) -> tuple[str, str]:
        """What tells its reference apart from others: the work, or the document and its content hash."""
        known = self.of(passage)
        named = known.work.identifiers.document if known else ""
        return (named, NO_HASH) if named else (passage.document, passage.content_hash)

    def document(self, passage: Evidence) -> str:
        """The canonical id of what the passage is of: that of its work, or of its document."""
        return self.key(passage)[0]


def connected(known: Iterable[Work], others: Iterable[Work]) -> tuple[Work, ...]:
    """Those of `others` that tell of a work that one of `known` is of, in one order; none that is known anyway."""
    own = list(known)
    told = {_timeless(work) for work in own}
    names = {name for work in own for name in joining(work)}
    return tuple(
        account
        for one in merged([*own, *others])
        if any(name in names for account in one.accounts for name in joining(account))
        for account in one.accounts
        if _timeless(account) not in told
    )


def _timeless(work: Work) -> str:
    return work.model_copy(update={"retrieved_at": 0.0}).model_dump_json()
