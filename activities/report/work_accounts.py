"""Finds the work of a passage, after merging what the sources report about each work.

A passage of which its source tells no work is of its document alone. A work without any identifier cannot be found
again by another source, so it is of its document as well, with what is known of it.
"""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.report.work_merge import MergedWork, list_joining_names, merge_accounts, merge_works
from elcano.graphs.report.works import Work
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
            name: one
            for one in merge_works([*told, *accounts])
            for account in one.accounts
            for name in list_joining_names(account)
        }

    def of(self, passage: Evidence) -> MergedWork | None:
        """The work that `passage` is of; None if nothing is known of it."""
        if passage.work is None:
            return None
        return next((self._by_name[name] for name in list_joining_names(passage.work)), None) or merge_accounts(
            [passage.work]
        )

    def key(self, passage: Evidence) -> tuple[str, str]:
        """What tells its reference apart from others: the work, or the document and its content hash."""
        known = self.of(passage)
        named = known.work.identifiers.document if known else ""
        return (named, NO_HASH) if named else (passage.document, passage.content_hash)

    def document(self, passage: Evidence) -> str:
        """The canonical id of what the passage is of: that of its work, or of its document."""
        return self.key(passage)[0]


def select_related_accounts(known: Iterable[Work], others: Iterable[Work]) -> tuple[Work, ...]:
    """Those of `others` that tell of a work that one of `known` is of, in one order; none that is known anyway."""
    own = list(known)
    told = {_dump_without_time(work) for work in own}
    names = {name for work in own for name in list_joining_names(work)}
    return tuple(
        account
        for one in merge_works([*own, *others])
        if any(name in names for account in one.accounts for name in list_joining_names(account))
        for account in one.accounts
        if _dump_without_time(account) not in told
    )


def _dump_without_time(work: Work) -> str:
    return work.model_copy(update={"retrieved_at": 0.0}).model_dump_json()
