"""A letter or numeral of a name and the month of a date are facts: another one in a quote is no support."""

import pytest

from elcano.text.support.missing_facts import Statement
from elcano.text.support.statement_check import judge_statement

CHANGED = [
    ("He enlisted early in World War I.", "He enlisted early in World War II."),
    ("He enlisted early in World War II.", "He enlisted early in World War I."),
    ("Children given Vitamin A died less often.", "Children given Vitamin C died less often."),
    ("Here hepatitis B was found in children.", "Here hepatitis A was found in children."),
    ("The king was Henry VI of England.", "The king was Henry IV of England."),
    ("A phase III trial of imatinib was done.", "A phase 2 trial of imatinib was done."),
    ("It was open in May 2018.", "It was open on 2018-06-30."),
    ("The trial began on 5 May 2018.", "The trial began on 5 June 2018."),
    ("Die Studie begann im Mai 2018.", "Die Studie begann im Juni 2018."),
    ("The trial began on 25 October.", "The trial began on 25 November."),
    ("Die Frist endet am 31. Januar 2024.", "Die Frist endet am 31. Januar 2025."),
    ("Завод произвёл 2 тыс. автомобилей.", "Завод произвёл 2 млн автомобилей."),
    ("Here 2,000 patients were seen.", "Here 3,000 patients were seen."),
    ("Section 230 shields platforms.", "Section 320 shields platforms."),
    ("Here 5 million people were screened.", "Here one point five million people were screened."),
    ("Here one point five million people were screened.", "Here 5 million people were screened."),
    ("Hier kostete es 5 Millionen Euro.", "Hier kostete es eins Komma fünf Millionen Euro."),
    ("Here 1.5 patients left.", "At one point five patients left."),
]
SAME = [
    ("Section 230 shields platforms.", "Under section 230, which is not section 320, the law shields platforms."),
    ("He enlisted early in World War II.", "He enlisted early in the Second World War."),
    ("He enlisted at Woodstock early in World War I.", "He enlisted at Woodstock early in WWI."),
    ("Vitamin A is good for the eyes of children.", "Vitamins A, C and E are good for the eyes of children."),
    ("A phase III trial of imatinib was done.", "A phase 3 trial of imatinib was done."),
    ("Of class II patients, most died in hospital.", "Of class I-III patients, most died in hospital."),
    ("George W. Bush signed the act.", "George H. W. Bush and George W. Bush signed the act."),
    ("It was open in June 2018.", "It was open on 30 JUN 2018."),
    ("It was open in June 2018.", "It was open on 2018-06-30."),
    ("The trial began in May 2018.", "In May the trial began. It was 2018, and it ended in June 2018."),
    ("The trial began in May 2018.", "The trial began in 2018."),
    ("Here 1.5 million people were screened.", "Here one point five million people were screened."),
    ("Here one point five million people were screened.", "Here 1,500,000 people were screened."),
    ("Here five patients left.", "At one point five patients left here."),
]


@pytest.mark.parametrize(("said", "quoted"), CHANGED)
def test_another_letter_numeral_or_month_is_no_support(said: str, quoted: str) -> None:
    assert judge_statement(Statement(said, (quoted,))).support == "not_supported"


@pytest.mark.parametrize(("said", "quoted"), SAME)
def test_other_ways_to_write_it_are(said: str, quoted: str) -> None:
    assert judge_statement(Statement(said, (quoted,))).support == "unchecked"


def test_a_month_in_another_form_is_the_same_word() -> None:
    short = Statement("Nobody was identified (June 2018).", ("UPDATED 30 JUN 2018: bodies not identified",))
    assert judge_statement(short).support == "unchecked"
