"""Code's word counts more about figures than the reviewer's, less about names; where nobody read, words count."""

import pytest

from elcano.activities.report.checked_draft import key_statement
from elcano.activities.report.statement_support import (
    check_connecting_statement,
    determine_support,
    list_preceding,
    says_nothing_found,
    strip_note,
)
from elcano.graphs.report.cells import CitedCell
from elcano.graphs.report.report import CheckedCitation, Judgement, Statement, StatementKind, Support
from elcano.text.prose.markdown_parser import parse_markdown
from elcano.text.prose.statements import extract_statements
from tests.unit.text.support.test_speaking import NONSENSE, PASSAGE, TRUE


def statement(text: str, quote: str, kind: StatementKind = "fact") -> Statement:
    cited = CheckedCitation(claim=text, evidence="e", quote=quote, verdict="verified", number=1, start=0, end=1)
    return Statement(text=text, kind=kind, citations=(cited,))


@pytest.mark.parametrize(
    ("said", "found", "support"),
    [
        ("It fell by 12 %.", None, "not_supported"),
        ("It fell by 12 %.", "supported", "partly"),
        ("It fell by 12 %.", "not_supported", "not_supported"),
        ("It is as Pfizer says.", None, "partly"),
        ("It is as Pfizer says.", "supported", "supported"),
        ("It is as Pfizer says.", "not_supported", "not_supported"),
        ("It fell.", None, "unchecked"),
        ("It fell.", "partly", "partly"),
    ],
)
def test_what_counts_more(said: str, found: Support | None, support: Support) -> None:
    judgement = (
        None if found is None else Judgement(statement=said, support=found, reason="" if found == "supported" else "so")
    )
    result = determine_support(statement(said, "it fell by 13 %"), (), judgement)
    assert result.support == support
    assert bool(result.reason) == (support in ("partly", "not_supported"))


@pytest.mark.parametrize(
    ("said", "found", "support"),
    [
        ("Three means lower it: rest, which helps; salt, if taken; and sleep.", None, "unchecked"),
        ("Three means lower it.", None, "not_supported"),
        ("Three means lower it.", "supported", "supported"),
        ("Three means lower it.", "partly", "partly"),
        ("It fell in 3 trials.", "supported", "partly"),
        ("It took three days.", "supported", "partly"),
        ("Thirty means lower it.", "supported", "partly"),
    ],
)
def test_whether_a_number_in_words_counts_rightly_is_the_reviewers_to_say(
    said: str, found: Support | None, support: Support
) -> None:
    judgement = None if found is None else Judgement(statement=said, support=found)
    assert determine_support(statement(said, "rest, salt and sleep lower it"), (), judgement).support == support


def test_an_inference_may_reckon() -> None:
    assert (
        determine_support(statement("So it is 25 % in all.", "12 % and 13 %", "inference"), (), None).support
        == "unchecked"
    )


def test_what_is_known_need_not_be_quoted() -> None:
    assert (
        determine_support(statement("Pfizer sold 12.", "it sold 12"), ("What did Pfizer sell?",), None).support
        == "unchecked"
    )


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("The trial had two arms, and 12 % left it.", ""),
        ("Of these 7 reasons the first counts most.", ""),
        ("In 2019 it was otherwise.", ""),
        ("It had 45 arms.", "\u201c45\u201d is in none of the words that are quoted around it"),
        ("It lasted 7 days.", "7 days"),
        ("It fell by 13 %.", "13 %"),
        ("It was in 2018.", "2018"),
        ("It is as Pfizer says.", ""),
    ],
)
def test_what_connects_names_no_figure_that_nothing_around_it_has(said: str, reason: str) -> None:
    found = check_connecting_statement(
        Statement(text=said, kind="connecting"), ("12 % left", "two arms"), ("What of 2019?",)
    )
    assert reason in found.reason
    assert found.support == ("not_supported" if reason else "unchecked")


def test_cells_and_facts_are_judged_otherwise() -> None:
    cell = Statement(text="45", kind="connecting", context="Arms")
    assert check_connecting_statement(cell, (), ()) == cell
    fact = statement("It had 45 arms.", "two arms")
    assert check_connecting_statement(fact, (), ()) == fact


def test_with_the_review_off_nonsense_beside_a_true_quote_is_marked() -> None:
    found = [
        determine_support(statement(said, quote), (), None, (PASSAGE,), by_words=True).support
        for said, quote in NONSENSE
    ]
    assert sum(one == "unchecked" for one in found) <= 1
    true = [
        determine_support(statement(said, quote), (), None, (PASSAGE,), by_words=True).support for said, quote in TRUE
    ]
    assert sum(one != "unchecked" for one in true) <= 1


@pytest.mark.parametrize(
    ("found", "support"), [(None, "in_passage"), ("supported", "in_passage"), ("partly", "partly")]
)
def test_what_the_passage_has_and_the_quote_has_not_is_told_as_such(found: Support | None, support: Support) -> None:
    passage = "In the trial, 240 adults took it for twelve weeks; attacks fell by 31 % against placebo."
    said = "Attacks fell by 31 % in 240 adults."
    judgement = None if found is None else Judgement(statement=said, support=found)
    for by_words in (True, False):
        result = determine_support(
            statement(said, "attacks fell by 31 %"), (), judgement, (passage,), by_words=by_words
        )
        assert result.support == support
        assert "240" in result.reason


@pytest.mark.parametrize(
    ("said", "support"),
    [
        ("So it is 25 % in all.", "unchecked"),
        ("So it fell by a further 1 percentage point.", "unchecked"),
        ("So about two groups differ.", "unchecked"),
        ("So 40 % of them stayed.", "not_supported"),
        ("So it grew 7.3 times.", "not_supported"),
    ],
)
def test_figures_of_an_inference_stand_in_what_it_names_or_follow_from_it(said: str, support: Support) -> None:
    assert determine_support(statement(said, "12 % and 13 %", "inference"), (), None).support == support


def test_an_inference_may_say_what_the_statements_it_names_say() -> None:
    named = ("It fell by about 12 %.",)
    assert (
        determine_support(statement("So 12 % is little.", "by 12.3 %", "inference"), (), None, facts=named).support
        == "unchecked"
    )


def test_what_stands_before_a_statement_is_its_own_item_or_what_leads_to_the_list() -> None:
    written = extract_statements(parse_markdown("- A model fell [a]. Its cost rose [a].\n- Another rose [a].", {"a"}))
    assert list_preceding(written, "Two were seen:", "list") == ("Two were seen:", "A model fell.", "Two were seen:")


@pytest.mark.parametrize(("said", "moves"), [("Its cost rose.", True), ("“It” rose.", True), ("Costs rose.", False)])
def test_only_what_points_back_is_judged_anew_behind_another_sentence(said: str, moves: bool) -> None:
    one = statement(said, "q")
    assert (key_statement(one, "A model fell.") != key_statement(one, "Another did.")) == moves


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("151.0a", "151.0"),
        ("3,400 c", "3,400"),
        ("12.3\u1d43", "12.3"),
        ("5d", "5d"),
        ("2 g", "2 g"),
        ("vitamin a", "vitamin a"),
        ("T1c", "T1c"),
        ("phase 2a", "phase 2a"),
    ],
)
def test_the_letter_of_a_note_is_no_part_of_the_figure_of_a_cell(text: str, bare: str) -> None:
    assert strip_note(CitedCell(row=1, column=1, text=text)).text == bare


@pytest.mark.parametrize(
    "said",
    [
        "No passage found says why.",
        "No passage says how deep it is.",
        "No passages were found on it.",
        "No passages describe its depth.",
        "None of the passages found says why and how.",
        "The passages do not say why.",
        "Die Textstellen beantworten diese Frage nicht.",
    ],
)
def test_a_sentence_that_no_passage_says_it_states_no_fact(said: str) -> None:
    assert says_nothing_found(said)


@pytest.mark.parametrize(
    "said",
    [
        "No passage says why, but oil cures most patients.",
        "No passage says why but oil cures most patients.",
        "No passage says why, and oil cures most patients.",
        "No passage says why, while oil cures most patients.",
        "No passage says why, yet oil cures most patients.",
        "No passage says why: oil cures most patients.",
        "No passage says why \u2013 oil cures most patients.",
        "No passage says why oil was tried, because it cures most patients.",
        "No passage was found, although oil cures most patients.",
        "The passages do not say why, but oil cures most patients.",
        "None of the passages says why; oil cures most patients.",
        "Keine Textstelle nennt den Grund, doch \u00d6l heilt die meisten.",
        "Die Textstellen sagen nichts dazu, aber \u00d6l heilt die meisten.",
        "Aucun passage n'a \u00e9t\u00e9 trouv\u00e9, mais l'huile gu\u00e9rit.",
        "Ning\u00fan pasaje fue encontrado, y el aceite cura.",
        "Nessun passaggio \u00e8 stato trovato, ma l'olio cura.",
        "Nenhuma passagem foi encontrada, mas o \u00f3leo cura.",
        "Geen passage is gevonden, maar olie geneest.",
        "No passage address was given.",
        "No passage reports were given.",
        "No passage cover was needed.",
        "No passages answer is true.",
    ],
)
def test_what_such_a_sentence_adds_may_be_a_fact(said: str) -> None:
    assert not says_nothing_found(said)
