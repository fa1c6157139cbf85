"""Warnings about documents that a search could not cover, or not wholly, and how many of them a report repeats."""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.activities.passages.document import Gap, SkippedDocument


def name_pages(pages: Sequence[int]) -> str:
    """Names pages for a sentence: `page 3`, `pages 3 to 5 and 9`; long lists end with a count."""
    ranges: list[tuple[int, int]] = []
    for page in sorted(set(pages)):
        if ranges and page == ranges[-1][1] + 1:
            ranges[-1] = ranges[-1][0], page
        else:
            ranges.append((page, page))
    named = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:PAGE_RANGES]]
    if further := sum(last - first + 1 for first, last in ranges[PAGE_RANGES:]):
        named.append(f"{further:,} more")
    listed = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
    return f"page{'s' if len(set(pages)) != 1 else ''} {listed}"


PAGE_RANGES: Final = 6
"""Maximum page ranges in a sentence; more would be no sentence."""
WARNED: Final = 20
"""Maximum skipped documents that a search names; it counts the rest."""


def list_skip_warnings(source: str, skipped: list[SkippedDocument]) -> tuple[str, ...]:
    """Return warnings about documents that a search could not cover: the first 20, and how many more."""
    lines = [f"{source}: {key} was skipped: {reason}" for key, reason in skipped[:WARNED]]
    if len(skipped) > WARNED:
        lines.append(f"{source}: {len(skipped) - WARNED} more files were skipped")
    return tuple(lines)


_NOT_WHOLE: Final = "was not read whole"
GAPS_NAMED: Final = 5
"""Maximum documents with gaps that a search names one by one; it counts the rest of a collection."""
REPORTED: Final = 10
"""Maximum warnings about documents with gaps in a report; it counts the rest."""


def list_gap_warnings(
    source: str, found: Mapping[str, Sequence[Gap]], others: Mapping[str, Sequence[Gap]]
) -> tuple[str, ...]:
    """Return warnings about what was not read of documents.

    Args:
        source: the name of the source.
        found: the gaps of documents of which a search found passages, by their keys; these are named first.
        others: those of all documents of the collection.
    """
    partly = [(key, unread) for key, gaps in found.items() if (unread := [gap.reason for gap in gaps if gap.unread])]
    lines = [f"{source}: {key} {_NOT_WHOLE}: {'; '.join(reasons)}" for key, reasons in partly[:GAPS_NAMED]]
    every = [(key, unread) for key, gaps in others.items() if (unread := [gap.reason for gap in gaps if gap.unread])]
    if len(every) > len(lines):
        named = "; ".join(f"{key} ({reasons[0]})" for key, reasons in every[:GAPS_NAMED])
        more = f"; and {len(every) - GAPS_NAMED:,} more" if len(every) > GAPS_NAMED else ""
        whole = "1 document" if len(every) == 1 else f"{len(every):,} documents"
        lines.append(f"{source}: {whole} of the collection could not be read whole: {named}{more}")
    return tuple(lines)


def condense_gap_warnings(warnings: Sequence[str]) -> tuple[str, ...]:
    """The warnings of a run, with the first 10 of documents that were not read whole, and a count of the others."""
    about = [text for text in warnings if f" {_NOT_WHOLE}: " in text]
    dropped = frozenset(about[REPORTED:])
    kept = tuple(text for text in warnings if text not in dropped)
    return (*kept, f"{len(dropped):,} more documents that were found could not be read whole") if dropped else kept
