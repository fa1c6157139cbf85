"""Chapters that carry the DOI of their book are works of their own."""

import re
from collections.abc import Sequence

from elcano.graphs.report.works import Work


def drop_book_dois(works: Sequence[Work]) -> list[Work]:
    """The accounts in their order, with the DOI of a book dropped from its chapters, which are works of their own.

    A book with a venue is a chapter: see `Work`. Lists give chapters the DOI of their book, and services tell of it.
    """
    books: dict[str, set[str]] = {}
    for work in works:
        if work.kind == "book" and work.title and not work.venue and work.identifiers.doi:
            books.setdefault(work.identifiers.doi, set()).add(_fold_title(work.title))
    return [
        work.model_copy(update={"identifiers": work.identifiers.model_copy(update={"doi": ""})})
        if work.kind == "book" and _is_in_book(work, books.get(work.identifiers.doi, set()))
        else work
        for work in works
    ]


def _is_in_book(chapter: Work, titles: set[str]) -> bool:
    """Whether an account names one of the titles of a book as what it is in, with or without a subtitle."""
    venue, title = _fold_title(chapter.venue), _fold_title(chapter.title)
    return bool(venue) and title not in titles and any(one.startswith(venue) or venue.startswith(one) for one in titles)


def _fold_title(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
