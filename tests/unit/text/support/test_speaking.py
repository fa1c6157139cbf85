"""What stands beside a quote on something else is told from what the quote speaks of."""

import pytest

from elcano.text.support.missing_facts import Statement
from elcano.text.support.statement_check import judge_statement, measure_word_overlap

PASSAGE = (
    "The write-ahead log is kept in a file beside the database and is read first after a crash. Readers do not block "
    "writers, and a writer does not block readers. A checkpoint moves pages from the log into the database once it "
    "holds 1000 pages. Network file systems are not supported, since the index is kept in shared memory. The bakery "
    "opened in 1921 and sells bread baked with rye from nearby farms. In the trial, 240 adults with asthma took "
    "budesonide for twelve weeks; attacks fell by 31 % against placebo. Bees find their way by the position of the "
    "sun. Glass is made from sand, soda and lime at about 1500 \u00b0C."
)
NONSENSE = (
    ("The bakery was sold to a chain of hotels.", "Readers do not block writers"),
    ("Budesonide prevents heart attacks in the elderly.", "A checkpoint moves pages from the log into the database"),
    ("Bees navigate by magnetic fields alone.", "Glass is made from sand, soda and lime"),
    (
        "Checkpoints run every 5 seconds.",
        "A checkpoint moves pages from the log into the database once it holds 1000 pages",
    ),
    ("The log can be placed on network file systems.", "Network file systems are not supported"),
    ("Asthma attacks rose against placebo.", "attacks fell by 31 % against placebo"),
    ("The trial had 2,400 adults with asthma.", "240 adults with asthma took budesonide for twelve weeks"),
    ("Glass melts in the sun.", "Bees find their way by the position of the sun"),
    ("Writers block readers while a page is written.", "a writer does not block readers"),
    ("Rye bread lowers blood pressure.", "sells bread baked with rye from nearby farms"),
    ("Shared memory makes crashes less likely.", "since the index is kept in shared memory"),
    ("The company Sandoz makes glass.", "Glass is made from sand, soda and lime at about 1500 \u00b0C"),
    ("The database is deleted after a crash.", "The bakery opened in 1921"),
    ("Farmers near the town went bankrupt.", "is read first after a crash"),
)
TRUE = (
    (
        "Readers and writers do not block each other.",
        "Readers do not block writers, and a writer does not block readers",
    ),
    (
        "A checkpoint happens at 1,000 pages.",
        "A checkpoint moves pages from the log into the database once it holds 1000 pages",
    ),
    ("It does not work on network file systems.", "Network file systems are not supported"),
    (
        "Attacks of asthma fell by 31 %.",
        "240 adults with asthma took budesonide for twelve weeks; attacks fell by 31 %",
    ),
    ("Bees find their way by the sun.", "Bees find their way by the position of the sun"),
    ("Glass is made from sand at about 1,500 \u00b0C.", "Glass is made from sand, soda and lime at about 1500 \u00b0C"),
    ("The bakery dates from 1921.", "The bakery opened in 1921 and sells bread"),
    ("The log lies beside the database.", "The write-ahead log is kept in a file beside the database"),
)


def passes(said: str, quote: str) -> bool:
    return not judge_statement(Statement(said, (quote,))).reasons


def test_of_fourteen_nonsense_sentences_beside_true_quotes_at_most_one_passes() -> None:
    assert all(quote in PASSAGE for _, quote in NONSENSE)
    assert len(NONSENSE) == 14
    passed = [said for said, quote in NONSENSE if passes(said, quote)]
    assert len(passed) <= 1, passed


def test_what_the_quotes_say_passes() -> None:
    assert all(quote in PASSAGE for _, quote in TRUE)
    failed = [said for said, quote in TRUE if not passes(said, quote)]
    assert len(failed) <= 1, failed


@pytest.mark.parametrize(
    ("said", "quote", "word"),
    [
        ("The drug increased mortality in adults.", "the drug decreased mortality in adults", "opposite"),
        ("The drug is not effective in adults.", "the drug is effective in adults", "denies"),
        ("Bees eat honey in winter.", "glass is made from sand", "do not mention"),
    ],
)
def test_the_reason_is_told(said: str, quote: str, word: str) -> None:
    assert word in " ".join(judge_statement(Statement(said, (quote,))).reasons)


def test_of_another_language_nothing_is_said() -> None:
    told = measure_word_overlap(Statement("Die Biene ist nicht im Haus.", ("the bee is not in the house",)))
    assert not told.comparable
    assert told.against == ()


def test_scripts_without_spaces_are_compared_by_pairs() -> None:
    quote = "\u871c\u8702\u901a\u8fc7\u592a\u9633\u7684\u4f4d\u7f6e\u627e\u5230\u65b9\u5411"
    assert not judge_statement(
        Statement("\u871c\u8702\u901a\u8fc7\u592a\u9633\u627e\u5230\u65b9\u5411", (quote,))
    ).reasons
    assert judge_statement(Statement("\u73bb\u7483\u7531\u6c99\u5b50\u5236\u6210\u7684\u5bb9\u5668", (quote,))).reasons


@pytest.mark.parametrize("text", ["", " ", "the of and", "[]", "\u0000", "a" * 100_000])
def test_empty_and_huge_statements_end(text: str) -> None:
    assert 0.0 <= measure_word_overlap(Statement(text, ("words",))).share <= 1.0
    assert 0.0 <= measure_word_overlap(Statement("words of it", (text,))).share <= 1.0
    assert 0.0 <= measure_word_overlap(Statement(text, ())).share <= 1.0


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("In the trial 240 adults took budesonide in Bern.", "in the trial, 240 adults took budesonide in Basel"),
        ("The bakery opened in Porto in 1922.", "the bakery opened in Porto in 1921"),
        ("The trial of 1999 had 240 adults with severe asthma.", "the trial of 1998 had 240 adults with severe asthma"),
        ("Last year Pfizer sold twelve million doses of it.", "last year Moderna sold twelve million doses of it"),
    ],
)
def test_another_name_or_year_in_the_place_of_one_is_told_however_long_the_sentence(said: str, quote: str) -> None:
    assert judge_statement(Statement(said, (quote,))).support in ("partly", "not_supported")


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        (
            "Petiver's collection was the largest of its time.",
            "Petiver had the largest collection of his time, and it never would have been without trade",
        ),
        (
            "She is to open a chain of stores that sells coffee and cosmetics in India.",
            "her chain of stores, which sells coffee and cosmetics, will have nothing to do with the other one",
        ),
        (
            "In 1954 the Supreme Court declared that all public schools in the country must desegregate.",
            "the Supreme Court declared that all public schools in the country must desegregate",
        ),
        ("The rate of infections rose and fell in winter.", "the rate of infections fell in winter"),
    ],
)
def test_what_the_quote_says_beside_it_or_leaves_out_is_no_alarm(said: str, quote: str) -> None:
    assert judge_statement(Statement(said, (quote,))).reasons == ()
