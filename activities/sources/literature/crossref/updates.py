"""What became of a work after its publication: corrections, concerns, retractions, and the article after a preprint.

`updated-by` are the notices about a work; `update-to` is what a notice itself corrects, and no fault of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from elcano.activities.sources.literature import fields
from elcano.activities.sources.literature.standing import said_by_title
from elcano.graphs.values import work_metadata
from elcano.graphs.values.work_metadata import Flag

MOST_NOTICES: Final = 20
"""Of one work; the flags of all count."""


class _Update(NamedTuple):
    words: str
    flag: Flag | None


_UPDATES: Final[Mapping[str, _Update]] = {
    "retraction": _Update("Retraction", "retracted"),
    "removal": _Update("Removal", "retracted"),
    # Parts of it no longer stand and the rest does: who reads it has to know, and which parts says the notice alone.
    "partial_retraction": _Update("Partial retraction", "concern"),
    "withdrawal": _Update("Withdrawal", "withdrawn"),
    "expression_of_concern": _Update("Expression of concern", "concern"),
    "correction": _Update("Correction", "corrected"),
    "corrigendum": _Update("Corrigendum", "corrected"),
    "erratum": _Update("Erratum", "corrected"),
    "addendum": _Update("Addendum", None),
    "clarification": _Update("Clarification", None),
    "new_version": _Update("New version", None),
    "new_edition": _Update("New edition", None),
}
"""The kinds that Crossref lists, and what they say of the work that was updated."""


def assess_work_standing(given: Mapping[str, Any], title: str) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """The flags of a record, the gravest first, and what stands behind them."""
    named, notices = said_by_title(title)
    flags = set(named)
    told: list[str] = list(notices)
    for one in fields.coerce_mappings(given.get("updated-by")):
        update = _classify_update(one)
        if update.flag is not None:
            flags.add(update.flag)
        told.append(_format_update_notice(update, one))
    told += _describe_corrected_works(given)
    told += _describe_published_versions(given)
    order: tuple[Flag, ...] = ("retracted", "withdrawn", "concern", "corrected")
    return tuple(flag for flag in order if flag in flags), tuple(dict.fromkeys(told))[:MOST_NOTICES]


def _format_update_notice(update: _Update, given: Mapping[str, Any]) -> str:
    """Format a notice, such as `Retraction of 2010-02-06: doi:10.1/x (told by Retraction Watch)`."""
    doi = work_metadata.parse_doi(fields.coerce_text(given.get("DOI")))
    date = _parse_update_date(given)
    told = " (told by Retraction Watch)" if fields.coerce_text(given.get("source")) == "retraction-watch" else ""
    return f"{update.words}{f' of {date}' if date else ''}{f': doi:{doi}' if doi else ''}{told}."


def _describe_corrected_works(given: Mapping[str, Any]) -> Iterator[str]:
    for one in fields.coerce_mappings(given.get("update-to")):
        doi = work_metadata.parse_doi(fields.coerce_text(one.get("DOI")))
        yield (
            f"This is a notice, {_classify_update(one).words.lower()}, on another work{f': doi:{doi}' if doi else ''}."
        )


def _describe_published_versions(given: Mapping[str, Any]) -> Iterator[str]:
    for one in fields.coerce_mappings(fields.coerce_mapping(given.get("relation")).get("is-preprint-of")):
        if doi := work_metadata.parse_doi(fields.coerce_text(one.get("id"))):
            yield f"This preprint was published as doi:{doi}."


def _classify_update(given: Mapping[str, Any]) -> _Update:
    kind = fields.coerce_text(given.get("type")).lower().replace("-", "_").replace(" ", "_")
    return _UPDATES.get(kind, _Update((fields.coerce_text(given.get("label")) or "Update")[:100], None))


def _parse_update_date(given: Mapping[str, Any]) -> str:
    updated = fields.coerce_mapping(given.get("updated"))
    parts = fields.coerce_list(updated.get("date-parts"))
    return fields.date_of(fields.coerce_list(parts[0])) if parts else fields.coerce_date(updated.get("date-time"))
