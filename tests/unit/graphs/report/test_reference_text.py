"""What is said of a work in words, as the field says it."""

from typing import get_args

import pytest

from elcano.graphs.report.works import (
    ABOUT_CHARACTERS,
    FLAGS,
    Flag,
    Identifiers,
    Work,
    describe_work_flags,
    find_citation_mark,
    format_authors,
    format_reference_warning,
    format_venue,
    list_work_identifiers,
    resolve_work_url,
    summarize_work,
)
from tests.unit.service.reports.material import PAPER


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), ""),
        (("Curie, Marie Salomea",), "Curie MS"),
        (("Curie, M.-S.", "Bohr, N"), "Curie MS, Bohr N"),
        (("Curie, MS",), "Curie MS"),
        (("Oil Group", "毛, 泽东"), "Oil Group, 毛 泽东"),
        (tuple("abcdef"), "a, b, c, d, e, f"),
        (tuple("abcdefg"), "a, b, c, d, e, f, et al."),
        (("", " , ", "x\ny, z"), "x y z"),
    ],
)
def test_authors_are_six_and_others(names: tuple[str, ...], shown: str) -> None:
    assert format_authors(names) == shown


def test_every_flag_has_its_words_and_the_gravest_come_first() -> None:
    every = get_args(Flag)
    assert set(FLAGS) == set(every)
    assert describe_work_flags(Work(flags=every)).startswith(
        "RETRACTED; WITHDRAWN; EXPRESSION OF CONCERN; Corrected since; "
    )
    for flag in every:
        assert describe_work_flags(Work(flags=(flag,))) == FLAGS[flag]


def test_what_stands_behind_a_flag_is_told_within_bounds() -> None:
    assert describe_work_flags(PAPER) == (
        "RETRACTED; Preprint, not peer reviewed: Retracted in J Oil 2025; data were made up."
    )
    assert describe_work_flags(Work(notices=("See there", " "))) == "Notice: See there."
    assert describe_work_flags(Work()) == ""
    assert len(describe_work_flags(Work(notices=("long " * 1_000,) * 100))) < 1_600


@pytest.mark.parametrize(
    ("flags", "mark"),
    [
        ((), ""),
        (("preprint", "corrected", "no_results"), ""),
        (("concern",), "expression of concern"),
        (("withdrawn", "concern"), "withdrawn"),
        (("preprint", "retracted", "withdrawn"), "retracted"),
    ],
)
def test_what_does_not_stand_is_marked_and_warned_of(flags: tuple[Flag, ...], mark: str) -> None:
    work = Work(flags=flags)
    assert find_citation_mark(work) == mark
    assert bool(format_reference_warning(3, "Oil", work)) == bool(mark)
    assert find_citation_mark(None) == format_reference_warning(1, "Oil", None) == ""


def test_a_warning_names_the_reference_and_what_became_of_it() -> None:
    assert format_reference_warning(3, "Oil\n" * 100, PAPER).startswith("Reference 3 (“Oil Oil")
    assert format_reference_warning(3, "Oil", PAPER) == "Reference 3 (“Oil”) was retracted."


@pytest.mark.parametrize(
    ("work", "about"),
    [
        (Work(), ""),
        (PAPER, "2024-05-17, article, RETRACTED, Preprint, not peer reviewed"),
        (Work(year=2020, kind="preprint", flags=("preprint",)), "2020, Preprint, not peer reviewed"),
        (Work(kind="trial", design=("PHASE3", "RANDOMIZED", "x")), "trial, PHASE3, RANDOMIZED"),
        (Work(kind="document"), ""),
    ],
)
def test_a_work_is_told_of_in_a_few_words(work: Work, about: str) -> None:
    assert summarize_work(work) == about


def test_grave_words_are_not_lost_to_a_long_design() -> None:
    every = get_args(Flag)
    long = Work(year=2020, kind="encyclopedia", design=("design " * 100, "more " * 100), flags=every)
    assert all(words in summarize_work(long) for words in FLAGS.values())
    assert len(summarize_work(long)) <= ABOUT_CHARACTERS


@pytest.mark.parametrize(
    ("told", "place"),
    [
        ({}, ""),
        ({"venue": "Nature"}, "Nature"),
        ({"venue": "Nature", "volume": "1", "issue": "2", "pages": "3-4"}, "Nature 1(2):3-4"),
        ({"venue": "Nature", "pages": "3-4"}, "Nature p. 3-4"),
        ({"venue": "Na\nture", "issue": "2"}, "Na ture (2)"),
    ],
)
def test_the_place_is_as_much_as_is_known(told: dict[str, str], place: str) -> None:
    assert format_venue(Work.model_validate(told)) == place


def test_names_lead_to_where_they_are_kept() -> None:
    names = Identifiers(doi="10.1/a<b> c", pmid="1", pmcid="PMC2", arxiv="hep-th/9901001", nct="NCT00000001", url="x")
    assert list_work_identifiers(Work(identifiers=names)) == [
        ("doi:10.1/a<b> c", "https://doi.org/10.1/a%3Cb%3E%20c"),
        ("PMID 1", "https://pubmed.ncbi.nlm.nih.gov/1"),
        ("PMC2", "https://pmc.ncbi.nlm.nih.gov/articles/PMC2"),
        ("arXiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"),
        ("NCT00000001", "https://clinicaltrials.gov/study/NCT00000001"),
    ]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("", "https://doi.org/10.1/x"),
        ("javascript:alert(1)", "https://doi.org/10.1/x"),
        ("https://example.org/a b", "https://example.org/a%20b"),
    ],
)
def test_a_work_is_read_at_a_web_address(url: str, address: str) -> None:
    assert resolve_work_url(Work(url=url, identifiers=Identifiers(doi="10.1/x"))) == address
