"""References that a report exports come back as the same works when they are uploaded as a list."""

import json
from itertools import product

import pytest

from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.trust import WorkKind
from elcano.service.reports.bibliography import BIBTEX, CSL, FORMS, RIS
from elcano.subjects.documents.csl_works import build_work
from elcano.subjects.uploads import reading_lists

KINDS: tuple[WorkKind, ...] = ("article", "review", "preprint", "trial", "book", "encyclopedia", "page", "other")
TITLES = (
    "Käse & 100% Öl: the mRNA_{1} of $5 ~ #2",
    "Below p < 0.05: 2·10⁹/L -- a ^\\test* of \"quotes\" and 'others'",
    "[18F]FDG uptake, β-blockers and 毛泽东 | x > y",
)
AUTHORS = (
    ("Curie, Marie Salomea", "Müller-Lüdenscheidt, Jürgen, Jr.", "Oil and Water Group"),
    ("van den Ingh, T. S.", "O'Neill, B.", "毛, 泽东", "World Health Organization"),
    (),
)
DATES = ("2024-05-17", "2024-05", "2024", "")
PAGES = ("45-67", "e12292", "")


def list_works() -> list[Work]:
    """Works of every kind, a third with each set of fields."""
    works = []
    given = product(KINDS, TITLES, AUTHORS, DATES, PAGES)
    for number, (kind, title, authors, date, pages) in enumerate(given):
        within = kind in ("article", "review") or number % 2 == 1
        works.append(
            Work(
                title=f"{title} {number}",
                authors=authors,
                year=int(date[:4]) if date else None,
                published=date,
                venue="Journal of Oil & Water: Part_A" if within else "",
                issns=("1932-6203", "0048-9697") if number % 3 == 0 else (),
                volume="12" if within else "",
                issue="3 Suppl 1" if within else "",
                pages=pages if within else "",
                publisher="Press & Co." if number % 4 == 0 else "",
                kind=kind,
                identifiers=name_work(kind, number),
                language="en" if number % 5 == 0 else "",
                flags=("retracted", "abstract_only") if number % 7 == 0 else ("abstract_only",),
                notices=("It was retracted: J Oil 2025.",) if number % 7 == 0 else (),
            )
        )
    return works


def name_work(kind: WorkKind, number: int) -> Identifiers:
    if kind == "trial":
        return Identifiers(nct=f"NCT{number:08}")
    if kind == "preprint":
        return Identifiers(arxiv=f"2101.{number:05}", doi=f"10.1000/p_{number}" if number % 2 else "")
    if kind == "page":
        return Identifiers(url=f"https://example.org/a_b%20c?n={number}")
    numbers = (
        Identifiers(doi=f"10.1000/a_b(1)<{number}>1", pmid=f"{number + 1}", pmcid=f"PMC{number + 100}"),
        Identifiers(pmid=f"{number + 1}", arxiv=f"2102.{number:05}"),
        Identifiers(),
    )
    # Anything else with a number of arXiv is read as a preprint.
    return numbers[number % 3 if kind in ("article", "review") else 0 if number % 2 else 2]


@pytest.mark.parametrize(
    ("form", "kind"), [(BIBTEX, reading_lists.BIBTEX), (RIS, reading_lists.RIS), (CSL, reading_lists.CSL)]
)
def test_what_is_exported_comes_back_whole(form: str, kind: str) -> None:
    works = list_works()
    assert len(works) == 864
    exported = FORMS[form]([refer(number, one) for number, one in enumerate(works, 1)])
    entries = list(reading_lists.parse_list(kind, exported.encode()))
    found = [build_work(json.loads(one.item)) for one in entries if not one.fault]
    assert [normalize(one) for one in found] == [normalize(one) for one in works]


def refer(number: int, work: Work) -> Reference:
    return Reference(
        number=number,
        document=work.identifiers.document or "uploads:mine",
        title=work.title,
        source="uploads:mine",
        locators=("library.bib/a",),
        content_hash="0" * 64,
        work=work,
    )


def normalize(work: Work) -> Work:
    """A work without what lists do not carry: where it was found."""
    return work.model_copy(update={"url": "", "source": "", "flags": tuple(sorted(work.flags))})
