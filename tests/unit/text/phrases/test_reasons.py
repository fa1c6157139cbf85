"""Why a statement is doubted is kept in English and told in the language of the report."""

import pytest

from elcano.activities.report.statement_support import check_connecting_statement
from elcano.graphs.report.report import Statement as Written
from elcano.text.phrases import CATALOGUES, ENGLISH, get_phrases, translate_reason
from elcano.text.support.missing_facts import Statement, find_missing_facts, find_underived_figures

GERMAN = get_phrases("de")


def test_a_german_reader_is_told_in_german_what_code_found() -> None:
    quote = "Es kostet etwa 740 Euro."
    (missing,) = find_missing_facts(Statement("Es kostet etwa 470 Euro.", (quote,))).reasons
    assert translate_reason(missing, GERMAN) == "„470 Euro“ steht in keiner der zitierten Stellen"
    (other,) = find_missing_facts(Statement("Es kostet 740 Dollar.", (quote,))).reasons
    assert translate_reason(other, GERMAN) == "„740 Dollar“ heißt in den zitierten Stellen „740 Euro“"
    (underived,) = find_underived_figures(Statement("Also 13 Euro.", (quote,)))
    assert translate_reason(underived, GERMAN).startswith("„13 Euro“ steht nicht in dem, woraus es gefolgert ist")
    around = check_connecting_statement(Written(text="Es waren 45 Euro.", kind="connecting"), [quote], ())
    assert translate_reason(around.reason, GERMAN) == "„45 Euro“ steht in keiner der Stellen, die ringsum zitiert sind"


def test_what_a_reviewer_wrote_stays_as_it_is_beside_what_code_wrote() -> None:
    told = f"{ENGLISH.fact_uncited.format(reason='kein Wort davon; gar keins')}; {ENGLISH.in_passage}"
    assert translate_reason(told, GERMAN) == f"ohne Beleg festgestellt: kein Wort davon; gar keins; {GERMAN.in_passage}"
    assert translate_reason("It says {so} of 5 %.", GERMAN) == "It says {so} of 5 %."


def test_reasons_within_reasons_are_translated() -> None:
    told = ENGLISH.grounds_fail.format(reason=ENGLISH.not_there)
    assert translate_reason(told, GERMAN) == GERMAN.grounds_fail.format(reason=GERMAN.not_there)
    assert translate_reason(told, ENGLISH) == told


@pytest.mark.parametrize("language", sorted(file.stem for file in CATALOGUES.glob("*.po")))
def test_no_language_leaves_words_of_code_in_english(language: str) -> None:
    own = get_phrases(language)
    said = ENGLISH.figure_otherwise.format(said="5 %", there="6 %")
    assert translate_reason(said, own) == own.figure_otherwise.format(said="5 %", there="6 %") != said
