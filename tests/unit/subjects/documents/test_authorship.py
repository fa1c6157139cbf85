"""Authors and years are told where a document has them, and nowhere guessed; tables and short texts stay whole."""

import pytest

from elcano.activities.passages.packing import CODE_CHARACTERS, SHORT_CHARACTERS
from elcano.subjects.documents.authorship import parse_authors, parse_file_name, parse_year
from elcano.subjects.documents.file_formats import parse_document
from elcano.text.support.quotes import QuoteIndex


@pytest.mark.parametrize(
    ("said", "authors"),
    [
        ("Marie Curie; Niels Bohr", ("Marie Curie", "Niels Bohr")),
        ("Marie Curie and Niels Bohr", ("Marie Curie", "Niels Bohr")),
        ("Curie, Marie", ("Curie, Marie",)),
        ("Marie Curie, Niels Bohr", ("Marie Curie", "Niels Bohr")),
        ('["Marie Curie", "Niels Bohr", "Lise Meitner"]', ("Marie Curie", "Niels Bohr", "Lise Meitner")),
        ("admin", ()),
        ("user@example.org the owner", ()),
        ("", ()),
    ],
)
def test_authors(said: str, authors: tuple[str, ...]) -> None:
    assert parse_authors(said) == authors


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        ("Smith et al. 2020 - Oil and water", (("Smith",), 2020)),
        ("Smith_2020_oil", (("Smith",), 2020)),
        ("Smith and Jones (2020) Oil", (("Smith",), 2020)),
        ("2024-05-17 Minutes", ((), 2024)),
        ("model-2000-series", ((), 0)),
        ("202055 notes", ((), 0)),
        ("readme", ((), 0)),
    ],
)
def test_file_names(stem: str, found: tuple[tuple[str, ...], int]) -> None:
    assert parse_file_name(stem) == found


def test_a_year_of_a_date() -> None:
    assert [parse_year(one) for one in ("2024-05-17", "D:20231124093000Z", "17 May 2024", "soon")] == [
        2024,
        2023,
        2024,
        0,
    ]


def test_front_matter_says_who_and_when() -> None:
    text = "---\ntitle: Oil\nauthors:\n  - Marie Curie\n  - Niels Bohr\ndate: 2020-01-02\n---\n\nOil floats.\n"
    document = parse_document("Smith 1999 - x.md", text.encode())
    assert (document.title, document.authors, document.year) == ("Oil", ("Marie Curie", "Niels Bohr"), 2020)
    plain = parse_document("Smith 1999 - x.md", b"Oil floats.\n")
    assert (plain.authors, plain.year) == (("Smith",), 1999)


def test_a_short_document_is_not_cut() -> None:
    sentence = "Oil floats on water since it is lighter than that, whatever the season. "
    abstract = sentence * (SHORT_CHARACTERS // len(sentence))
    assert len(parse_document("a.txt", abstract.encode()).passages) == 1
    assert len(parse_document("a.txt", (abstract + abstract).encode()).passages) > 1


def test_tables_and_code_stay_whole_and_can_be_quoted() -> None:
    rows = [f"| oil {number} | {number} euro |" for number in range(200)]
    code = [f"call(argument_{number}, other)" for number in range(100)]
    text = "\n".join(["# Prices", "", "| what | price |", "|---|---:|", *rows, "", "```python", *code, "```"])
    document = parse_document("a.md", text.encode())
    table, block = (document.text[one.start : one.end] for one in document.passages)
    assert TARGET < len(table) < CODE_CHARACTERS
    assert all(QuoteIndex.of(table).find(row) for row in ("oil 7 | 7 euro", "| oil 199 | 199 euro |"))
    assert QuoteIndex.of(block).find("call(argument_98, other)\ncall(argument_99, other)")


TARGET = 1_800
