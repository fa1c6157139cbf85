"""What programs for references read: parsed back by parsers that others wrote, with nothing lost and nothing forged."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
import rispy
from bibtexparser.entrypoint import parse_string as parse_otherwise
from hypothesis import example, given
from hypothesis import strategies as st
from pybtex.database import BibliographyData, parse_string

from elcano.graphs.report.works import Identifiers, Work
from elcano.service.reports.bibliography import render_bibtex, render_csl_json, render_ris
from elcano.service.reports.reference_entries import build_reference_entries, clean_line, parse_date_parts
from tests.unit.service.reports.material import PAPER, reference

FORGED = 'x}\n}\n\n@misc{forged,\n title={y}\n}\r\nER  - \r\n\r\nTY  - JOUR\r\nTI  - forged\r\n"\\'
HOSTILE = st.text(alphabet='aZé毛 {}\\"@,=#%&$_~^\n\r\t\0\x85\u2028-()TYERI') | st.just(FORGED) | st.text()
COMMANDS: Mapping[str, str] = {
    r"\textbackslash{}": "\\",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    **{f"\\{sign}": sign for sign in "&%$#_"},
}


def shown(latex: str) -> str:
    """What LaTeX makes of a value that was written by us; braces that only group are gone."""
    pattern = "|".join(map(re.escape, COMMANDS)) + "|[{}]"
    return re.sub(pattern, lambda found: COMMANDS.get(found.group(), ""), latex)


def parsed(text: str) -> BibliographyData:
    data = parse_string(text, "bibtex")
    assert isinstance(data, BibliographyData)
    return data


def test_bibtex_holds_what_is_known() -> None:
    (entry,) = parsed(render_bibtex([reference()])).entries.values()
    fields = {name: shown(value) for name, value in entry.fields.items()}
    assert entry.type == "article"
    assert entry.key == "curie2024kase"
    assert fields == {
        "title": PAPER.title,
        "journal": "Journal of Oil & Water",
        "volume": "12",
        "number": "3",
        "pages": "45--67",
        "publisher": "Press",
        "year": "2024",
        "month": "5",
        "day": "17",
        "doi": "10.1000/a_b<1>%%7Bx%7D",
        "pmid": "123",
        "pmcid": "PMC9",
        "eprint": "2101.00001",
        "archiveprefix": "arXiv",
        "url": "https://example.org/a%20b?x=1&y=%7B2%7D",
        "urldate": "2026-11-22",
        "langid": "en",
        "note": "RETRACTED; Preprint, not peer reviewed: Retracted in J Oil 2025; data were made up",
    }
    people = [
        (one.last_names, one.lineage_names, one.first_names + one.middle_names) for one in entry.persons["author"]
    ]
    assert people == [
        (["Curie"], [], ["Marie", "Salomea"]),
        (["Müller-Lüdenscheidt"], ["Jr."], ["Jürgen"]),
        (["{Oil and Water Group}"], [], []),
        (["毛"], [], ["泽东"]),
    ]


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
@example(FORGED, FORGED, FORGED, FORGED)
@example("}", "{", "\\", "@")
def test_no_words_of_strangers_leave_their_field_in_bibtex(title: str, name: str, venue: str, doi: str) -> None:
    work = Work(
        title=title, authors=(name, f"B, {name}"), venue=venue, identifiers=Identifiers(doi=doi), kind="article"
    )
    text = render_bibtex([reference(work, title=title), reference(PAPER, 2)])
    found = parsed(text).entries
    assert len(found) == 2
    first, second = found.values()
    assert shown(first.fields["title"]) == (clean_line(title) or "Untitled")
    assert shown(first.fields.get("journal", "")) == clean_line(venue)
    assert second.fields["doi"] == "10.1000/a_b<1>%%7Bx%7D"
    other = parse_otherwise(text)
    assert not other.failed_blocks
    assert len(other.entries) == 2
    assert [entry.key for entry in other.entries] == list(found)


def test_ris_holds_what_is_known_and_ends_its_lines_as_the_format_has_it() -> None:
    text = render_ris([reference()])
    assert text.count("\r\n") == text.count("\n") == len(text.splitlines())
    assert text.startswith("TY  - JOUR\r\n")
    assert text.endswith("ER  - \r\n")
    (entry,) = rispy.loads(text)
    told = {
        "type_of_reference": "JOUR",
        "id": "curie2024kase",
        "authors": ["Curie, Marie Salomea", "Müller-Lüdenscheidt, Jürgen, Jr.", "Oil and Water Group", "毛, 泽东"],
        "title": PAPER.title,
        "volume": "12",
        "number": "3",
        "start_page": "45",
        "end_page": "67",
        "year": "2024",
        "date": "2024/05/17",
        "doi": "10.1000/a_b<1>%{x}",
        "accession_number": "123",
        "custom2": "PMC9",
        "urls": ["https://example.org/a%20b?x=1&y=%7B2%7D"],
        "access_date": "2026/11/22",
        "name_of_database": "PubMed",
        "notes": [
            "RETRACTED; Preprint, not peer reviewed: Retracted in J Oil 2025; data were made up",
            "arXiv: 2101.00001",
        ],
    }
    assert {name: entry.get(name) for name in told} == told
    assert PAPER.venue in entry.values()


@given(HOSTILE, HOSTILE, HOSTILE)
@example(FORGED, FORGED, FORGED)
@example("ER  - ", "TY  - JOUR", "x")
def test_no_words_of_strangers_leave_their_line_in_ris(title: str, name: str, note: str) -> None:
    work = Work(title=title, authors=(name,), notices=(note,), flags=("withdrawn",), language=name)
    text = render_ris([reference(work, title=title), reference(PAPER, 2)])
    first, second = rispy.loads(text)
    assert first["title"] == (clean_line(title) or "Untitled")
    assert second["title"] == PAPER.title
    assert text.count("\n") == text.count("\r") == len(re.findall(r"(?m)^[A-Z][A-Z0-9]  - .*\r$", text)) + 1


def test_csl_holds_what_is_known() -> None:
    (item,) = json.loads(render_csl_json([reference()]))
    assert item == {
        "id": "curie2024kase",
        "type": "article-journal",
        "title": PAPER.title,
        "author": [
            {"family": "Curie", "given": "Marie Salomea"},
            {"family": "Müller-Lüdenscheidt", "given": "Jürgen", "suffix": "Jr."},
            {"literal": "Oil and Water Group"},
            {"family": "毛", "given": "泽东"},
        ],
        "issued": {"date-parts": [[2024, 5, 17]]},
        "container-title": PAPER.venue,
        "volume": "12",
        "issue": "3",
        "page": "45-67",
        "publisher": "Press",
        "DOI": "10.1000/a_b<1>%{x}",
        "PMID": "123",
        "PMCID": "PMC9",
        "number": "arXiv:2101.00001",
        "URL": "https://example.org/a%20b?x=1&y=%7B2%7D",
        "language": "en",
        "note": "RETRACTED; Preprint, not peer reviewed: Retracted in J Oil 2025; data were made up",
        "source": "pubmed",
        "accessed": {"date-parts": [[2026, 11, 22]]},
        "custom": {
            "flags": ["retracted", "preprint"],
            "notices": ["Retracted in J Oil 2025; data were made up"],
        },
    }


@given(HOSTILE, HOSTILE)
def test_csl_is_json_whatever_is_told(title: str, name: str) -> None:
    work = Work(title=title, authors=(name,), published=title, flags=("concern",))
    (item,) = json.loads(render_csl_json([reference(work, title=title)]))
    assert item["title"] == (clean_line(title) or "Untitled")


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("preprint", ("misc", "UNPB", "article")),
        ("trial", ("misc", "GEN", "document")),
        ("book", ("incollection", "CHAP", "chapter")),
        ("page", ("online", "ELEC", "webpage")),
        ("review", ("article", "JOUR", "article-journal")),
    ],
)
def test_every_kind_has_its_type(kind: Any, types: tuple[str, str, str]) -> None:
    one = reference(PAPER.model_copy(update={"kind": kind}))
    (entry,) = parsed(render_bibtex([one])).entries.values()
    assert (entry.type, rispy.loads(render_ris([one]))[0]["type_of_reference"]) == types[:2]
    assert json.loads(render_csl_json([one]))[0]["type"] == types[2]


def test_a_book_is_in_nothing_and_a_chapter_in_its_book() -> None:
    book = PAPER.model_copy(update={"kind": "book", "venue": "", "source": "uploads:mine"})
    chapter = book.model_copy(update={"venue": "All of Oil"})
    text = render_bibtex([reference(book), reference(chapter, 2)])
    whole, part = parsed(text).entries.values()
    assert (whole.type, part.type, part.fields["booktitle"]) == ("book", "incollection", "All of Oil")
    assert "howpublished" not in whole.fields
    assert "uploads:mine" not in text


def test_identifiers_stay_as_they_are_and_stop_no_style() -> None:
    text = render_bibtex([reference()])
    assert text.startswith("@preamble{")
    plain = PAPER.model_copy(update={"identifiers": Identifiers(doi="10.1000/ab"), "url": ""})
    assert "@preamble" not in render_bibtex([reference(plain)])


def test_a_document_without_a_work_has_its_title_and_its_places() -> None:
    page = reference(None, texts=())
    (item,) = json.loads(render_csl_json([page]))
    assert item == {"id": "page", "type": "document", "title": "A page", "note": "a.md#1; a.md#2", "source": "docs"}
    assert rispy.loads(render_ris([page]))[0]["title"] == "A page"
    (entry,) = parsed(render_bibtex([page])).entries.values()
    assert dict(entry.fields) == {"title": "{A page}", "note": r"a.md\#1; a.md\#2"}


def test_an_article_without_a_journal_has_no_hole_for_it() -> None:
    (entry,) = parsed(render_bibtex([reference(PAPER.model_copy(update={"venue": ""}))])).entries.values()
    assert (entry.type, entry.fields["type"], "journal" in entry.fields) == ("misc", "Article", False)


def test_nothing_cited_is_nothing_written() -> None:
    assert (render_bibtex([]), render_ris([]), json.loads(render_csl_json([]))) == ("", "", [])


def test_keys_are_unique_and_do_not_depend_on_what_stands_beside() -> None:
    alike = [
        reference(PAPER.model_copy(update={"identifiers": Identifiers(doi=f"10.1/{number}")}), number)
        for number in range(1, 5)
    ]
    page = reference(None, 5)
    keys = [entry.key for entry in build_reference_entries([*alike, page])]
    assert len(set(keys)) == 5
    again = [entry.key for entry in build_reference_entries([page, *reversed(alike)])]
    assert again == [keys[4], *reversed(keys[:4])]
    assert all(re.fullmatch(r"[a-z0-9-]+", key) for key in keys)
    assert build_reference_entries([reference(Work(title="的 毛"), title="的 毛")])[0].key == "ref"
    twice = [entry.key for entry in build_reference_entries([page, page.model_copy(update={"number": 6})])]
    assert [key.rpartition("-")[2] for key in twice] == ["5", "6"]


@given(st.lists(st.builds(Work, title=HOSTILE, authors=st.lists(HOSTILE, max_size=2).map(tuple)), max_size=5))
def test_keys_are_plain_whatever_is_told(works: list[Work]) -> None:
    told = [reference(work, number, document=f"d{number}") for number, work in enumerate(works, 1)]
    keys = [entry.key for entry in build_reference_entries(told)]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[a-z0-9-]{1,70}", key) for key in keys)


@pytest.mark.parametrize(
    ("date", "found"),
    [
        ("2024-05-17", (2024, 5, 17)),
        ("2024-05", (2024, 5)),
        ("2024", (2024,)),
        ("2024-13-01", (2024,)),
        ("2024-05-32", (2024, 5)),
        ("2024-05-17-09", (2024, 5, 17)),
        ("spring", ()),
        ("²024", ()),
        ("", ()),
        ("9" * 5_000, ()),
    ],
)
def test_dates_are_read_as_far_as_they_are_some(date: str, found: tuple[int, ...]) -> None:
    assert parse_date_parts(date) == found
