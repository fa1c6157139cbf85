"""What a first page says of its document, and what of its metadata is believed."""

import pytest

from elcano.activities.passages.document import Block, Parsed
from elcano.graphs.report.places import Box, Line
from elcano.subjects.documents.authorship import parse_authors, parse_printed_authors
from elcano.subjects.documents.first_page import (
    complete_from_first_page,
    find_own_doi,
    is_placeholder,
    read_first_page,
)
from elcano.subjects.documents.publication_years import find_year

TEXT = "Ladders are checked for cracks every spring before anybody climbs them, and ropes are replaced. " * 12


def printed(text: str, size: float, top: float, page: int = 1) -> Block:
    """A block of one line in type of this size, which begins at this height of its page."""
    return Block(text, page=page, lines=(Line(0, len(text), page, Box(0.1, top, 0.9, top + size)),))


ARTICLE = [
    printed("Journal of Safe Climbing 12 (2014) 101-110", 0.012, 0.05),
    printed("Climbing and Safety", 0.03, 0.08),
    printed("Research Article", 0.02, 0.12),
    printed("Cracks in ladders that are used on ships:", 0.02, 0.15),
    printed("A cohort study", 0.02, 0.172),
    printed("Jane Doe¹, Ann B. Roe¹,² and Guy van der Poe²,*", 0.014, 0.22),
    printed("¹ Department of Ladders, University of Brest", 0.012, 0.25),
    printed("Abstract", 0.014, 0.3),
    printed(TEXT, 0.012, 0.32),
    printed("doi:10.1234/ladders.2014.7 © 2013 The Authors", 0.01, 0.9),
    printed("References", 0.014, 0.93),
    printed("[1] Roe A. On ropes. 1999, 3:17. doi:10.9999/ropes", 0.012, 0.95),
]


def test_a_first_page_says_title_authors_year_and_doi() -> None:
    page = read_first_page(ARTICLE)
    assert page.title == "Cracks in ladders that are used on ships: A cohort study"
    assert page.authors == ("Jane Doe", "Ann B. Roe", "Guy van der Poe")
    assert (page.year, page.doi) == (2014, "10.1234/ladders.2014.7")


def test_what_is_not_sure_is_left_out() -> None:
    page = read_first_page(
        [printed(TEXT, 0.012, 0.1), printed("Roe (1999) found that 3 of 12 had cracks.", 0.012, 0.5)]
    )
    assert page == read_first_page([])
    assert (page.title, page.authors, page.year, page.doi) == ("", (), 0, "")


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - x.doc", "paper_final3.indd", "9785973141004535 1..11"])
def test_metadata_that_name_a_program_or_a_file_are_not_believed(title: str) -> None:
    found = complete_from_first_page(Parsed(ARTICLE, title, ("s.andrews",), 2026))
    assert found.title.startswith("Cracks in ladders")
    assert (found.authors[0], found.year) == ("Jane Doe", 2014)


def test_metadata_that_the_page_confirms_are_believed() -> None:
    blocks = [
        printed("On Ropes and Ladders", 0.012, 0.1),
        printed("by Ann Roe", 0.012, 0.12),
        printed(TEXT, 0.012, 0.2),
    ]
    found = complete_from_first_page(Parsed(blocks, "On ropes and ladders", ("Ann Roe", "Max Typist"), 2026))
    assert (found.title, found.authors, found.year) == ("On ropes and ladders", ("Ann Roe",), 0)


def test_a_notice_of_a_library_is_no_title() -> None:
    notice = "You may need to log in before you follow these references."
    blocks = [printed("Work in harbours and ports", 0.016, 0.1), printed(notice, 0.016, 0.3), printed(TEXT, 0.01, 0.5)]
    assert complete_from_first_page(Parsed(blocks)).title == "Work in harbours and ports"


def test_a_journal_that_heads_the_pages_is_no_title() -> None:
    blocks = [
        printed("Harbour Science", 0.03, 0.05),
        printed("How cracks in ladders spread at sea", 0.02, 0.15),
        printed(TEXT, 0.01, 0.5),
    ]
    assert complete_from_first_page(Parsed(blocks, furniture=("Harbour Science",))).title == blocks[1].text
    assert complete_from_first_page(Parsed(blocks)).title == "Harbour Science"


def test_a_file_is_not_younger_than_its_work() -> None:
    assert complete_from_first_page(Parsed(ARTICLE, "", (), 2009)).year == 0


def test_a_name_alone_needs_an_address_of_mail_or_metadata() -> None:
    title, text = printed("Cracks in ladders that are used on ships", 0.02, 0.1), printed(TEXT, 0.012, 0.3)
    mail = printed("roe@ladders.example", 0.012, 0.2)
    for second, more, authors in (
        ("Ann Roe", [mail], ("Ann Roe",)),
        ("Ann Roe", [], ()),
        ("Harbour Safety", [mail], ()),
    ):
        blocks = [title, printed(second, 0.014, 0.15), *more, text]
        assert complete_from_first_page(Parsed(blocks)).authors == authors, second


@pytest.mark.parametrize(
    ("texts", "doi"),
    [
        (["https://doi.org/10.1371/journal.pone.01.g001", "10.1371/journal.pone.01"], "10.1371/journal.pone.01"),
        (["doi:10.21105/joss.00001", "Archive: 10.5281/zenodo.1234"], "10.21105/joss.00001"),
        (["doi:10.5281/zenodo.1234"], "10.5281/zenodo.1234"),
        (["doi:10.1234/one", "doi:10.1234/two"], ""),
        (["doi:10.1371/journal. pone.0197919", "10.1371/journal.pone.0197919"], "10.1371/journal.pone.0197919"),
        (["www.pnas.org/lookup/suppl/doi:10.1073/pnas.1410/-/DCSupplemental"], "10.1073/pnas.1410"),
        (["arXiv:1510.00116v1 [cs.DC] 1 Oct 2015"], "10.48550/arxiv.1510.00116"),
        (["as shown in arXiv:1510.00116 and elsewhere"], ""),
        (["arXiv:math/0411343v1 [math.DS] 15 Nov 2004", "doi:10.1234/one"], "10.1234/one"),
    ],
)  # fmt: skip
def test_the_doi_is_that_of_the_document_itself(texts: list[str], doi: str) -> None:
    assert find_own_doi(texts) == doi


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("PAIN 155 (2014) 2461", 2014),
        ("Trials 2014, 15:511", 2014),
        ("(2013), 63, 4218", 2013),
        ("Published: June 13, 2018", 2018),
        ("Received 23 January 2006; accepted 1 November 2006; published online 19 January 2007", 2007),
        ("To cite this article: Jane Doe (2017) Ladders, Safety, 3. Copyright © 2016", 2017),
        ("© The Author(s) 2015", 2015),
        ("August 2014, Volume 59, Issue 10", 2014),
        ("Proceedings of the 30th Conference on Ladders, Brest, 2004", 2004),
        ("February 6, 2006", 2006),
        ("as Roe (1999) and Doe et al., 2004 found", 0),
    ],
)
def test_the_year_is_that_of_the_publication(text: str, year: int) -> None:
    assert find_year([text]) == year


def test_a_title_of_one_word_is_a_title_where_people_write_it() -> None:
    assert not is_placeholder("Oil")
    assert is_placeholder("Untitled-1")


@pytest.mark.parametrize(
    ("said", "authors"),
    [
        ("Jane Doe, Ann Roe and Guy Poe", ("Jane Doe", "Ann Roe", "Guy Poe")),
        ("Jane Doe, Ann Roe, and Guy Poe", ("Jane Doe", "Ann Roe", "Guy Poe")),
        ("Doe, Jane and Roe, Ann", ("Doe, Jane", "Roe, Ann")),
        ("Doe, Jane; Roe, Ann", ("Doe, Jane", "Roe, Ann")),
    ],
)
def test_authors_are_parted_at_commas_and_words(said: str, authors: tuple[str, ...]) -> None:
    assert parse_authors(said) == authors


def test_names_of_two_columns_are_not_one_author() -> None:
    assert parse_printed_authors(["Hua Wang Heng Huang"]) == ()
    assert parse_printed_authors(["R. E. Kalman and Gabriel de la Cruz"]) == ("R. E. Kalman", "Gabriel de la Cruz")
