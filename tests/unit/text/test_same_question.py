"""Which questions are the same, and that nothing is guessed: another word, order, sign or number makes another one."""

import pytest

from elcano.text.same_question import is_same_question

TOP = "What are the top 5 packages by total bytes?"


@pytest.mark.parametrize(
    ("asked", "saved"),
    [
        (TOP, TOP),
        ("Please show me the top 5 packages by total bytes!", TOP),
        ("top 5 package by total bytes", TOP),
        ("Could you list the top 5 packages, by total bytes, please?", TOP),
        ("In 2024, what was the total revenue?", "What was the total revenue in 2024?"),
        ("total revenue in 2023?", "What was the total revenue in 2023?"),
        ("Which companies are there?", "What company are there?"),
        ("Wie viele Kunden gibt es?", "Wie viele Kunden gibt es"),
        ("Wie viele Kunden gibt es in Köln?", "Wie viele Kunde gibt es in Köln?"),
        ("有多少客户?", "有多少客户"),
    ],
)
def test_politeness_articles_and_plurals_make_no_other_question(asked: str, saved: str) -> None:
    assert is_same_question(asked, saved)


@pytest.mark.parametrize(
    ("asked", "saved"),
    [
        ("What are the top 10 packages by total bytes?", TOP),
        ("What are the top 5 packages by total files?", TOP),
        ("What are the top 5 packages by total bytes in 2024?", TOP),
        ("What are the top packages by total bytes?", TOP),
        ("Which customers are not active?", "Which customers are active?"),
        ("Which customers are inactive?", "Which customers are active?"),
        ("How many orders came after 2020?", "How many orders came before 2020?"),
        ("How many orders go from Oslo to Turin?", "How many orders go from Turin to Oslo?"),
        ("How many products per customer?", "How many customers per product?"),
        ("Which customers are paying?", "Which customers are paid?"),
        ("Which are the internal orders?", "Which are the international orders?"),
        ("Orders with a total > 100", "Orders with a total < 100"),
        ("A change of -5", "A change of 5"),
        ("What does plan A cost?", "What does plan B cost?"),
        ("What does plan A cost?", "What does plan cost?"),
        ("What is the list price of a lamp?", "What is the price of a lamp?"),
        ("What packages are there?", "How many packages are there?"),
        ("Wie viele Kunden gibt es nicht?", "Wie viele Kunden gibt es?"),
        ("", TOP),
        ("What is the?", "What is the?"),
        ("x " * 5_000, TOP),
        (", " * 5_000, TOP),
    ],
)
def test_whatever_tells_something_makes_another_question(asked: str, saved: str) -> None:
    assert not is_same_question(asked, saved)
