"""Leaves out works that a service returned but that do not fit the query, and says so in a warning.

A service that asks for any of a query's words always names some works. A work is kept if it has a third of the query's
telling words, in any of their forms, in its title, its text, its authors or its venue: fewer than that is what one
common word finds.
"""

from collections.abc import Iterable
from math import ceil
from typing import Final

from elcano.activities.passages.query import search_words
from elcano.activities.text.stems import list_stems
from elcano.plugins.literature.work_records import Record

LEAST_SHARE: Final = 1 / 3


def on_subject(query: str, records: Iterable[Record]) -> tuple[list[Record], int]:
    """Return the records to keep, in their order, and the number left out. A query without words keeps all."""
    asked = set(list_stems(" ".join(search_words(query))))
    given = list(records)
    needed = ceil(len(asked) * LEAST_SHARE)
    kept = [record for record in given if len(asked.intersection(_collect_record_stems(record))) >= needed]
    return kept, len(given) - len(kept)


def left_out(source: str, *, unread: int, strange: int, silent: int) -> list[str]:
    """A warning for each reason for which works that were found are left out.

    Args:
        source: its name.
        unread: records that are none.
        strange: those that share too few words with the query.
        silent: those of which there is no text.
    """
    counts = {
        "could not be read": unread,
        "share too few words with the query and are left out": strange,
        "have no abstract and are left out": silent,
    }
    return [f"{source}: {count} of the works found {why}" for why, count in counts.items() if count]


def _collect_record_stems(record: Record) -> set[str]:
    work = record.work
    said = (work.title, *work.authors, work.venue, work.publisher, work.published)
    return set(list_stems(" ".join((*said, *(block.text for block in record.blocks)))))
