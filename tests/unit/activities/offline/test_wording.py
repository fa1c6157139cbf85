"""What a sentence loses by how it is worded, and where its quotation begins."""

import pytest

from elcano.plugins.quoting.clauses import states
from elcano.plugins.quoting.sentences import sentences
from elcano.plugins.quoting.wording import (
    CHANGE,
    ENTRY,
    LABEL,
    LED,
    LOST,
    MARKUP,
    POINTER,
    UNRESOLVED,
    beginning,
    penalty,
)


@pytest.mark.parametrize(
    "text",
    [
        "Ferries cross the river.",
        "The harbour opens at dawn and it closes at dusk.",
        "The module provides robust support for harbours.",
        "Never leave a ferry alone in the harbour.",
        "Protect the ferry from the rain.",
        "To leave the harbour, ring the bell.",
        "A ferry is a ship.",
        "The ferry doesn\u2019t wait.",
    ],
)
def test_a_clause_states_something(text: str) -> None:
    assert states(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tools for working with ferries.",
        "Useful handlers included with the module.",
        "The level of the handler.",
        "A mapping of captains\u2019 names to ferries\u2019 numbers.",
        "Shallow and deep object copying.",
        "Ferries",
        "",
    ],
)
def test_a_label_states_nothing(text: str) -> None:
    assert not states(text)


def cost(text: str, *, changes: bool = False, orders: bool = False) -> float:
    (sentence,) = sentences(text)
    return penalty(sentence, text, changes=changes, orders=orders)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("A ferry carries people over the river.", 1.0),
        ("Messages of level ERROR or above are sent by post.", 1.0),
        ("Below zero degrees the ferry does not leave.", 1.0),
        ("Note: a ferry must never leave without its captain.", 1.0),
        ("Tools for working with all the ferries.", LABEL),
        ("The ferry in the picture above is quite new.", POINTER),
        ("The flow of people is drawn in the following diagram.", POINTER),
        ("You can pass the ferry to foo and wait.", POINTER),
        ("Changed in version 3.8: ferries are faster than before.", CHANGE),
        ("timeout: how long the ferry will wait for people.", ENTRY),
        ("If *timeout* is given, the ferry waits so long.", ENTRY),
        ("Return True if the ferry is in the harbour.", ENTRY),
        ("The harbour and pier entries are read as names.", ENTRY),
        ("The method also accepts an optional pier argument.", ENTRY),
        ("Ferries are also known as the bridges of the poor.", ENTRY),
        ("The :ref:`ferry <ferry>` carries people over the river.", MARKUP),
        ("A [ferry](https://example.org) carries people over the river.", MARKUP),
        ("Captains may want to override this method of the ferry.", UNRESOLVED),
        ("To cross the river you have to steer slightly differently.", UNRESOLVED),
    ],
)
def test_each_flaw_costs(text: str, factor: float) -> None:
    assert cost(text) == pytest.approx(factor)


def test_what_is_asked_for_is_no_flaw() -> None:
    assert cost("Added in version 3.8 are the ferries.", changes=True) > cost("Added in version 3.8 are the ferries.")
    assert cost("Create a harbour that is large enough.", orders=True) == 1.0
    assert cost("Create a harbour that is large enough.") == ENTRY


@pytest.mark.parametrize(
    ("text", "begins", "factor"),
    [
        ("The ferry is full. The captain rings the bell.", "The captain", 1.0),
        ("The ferry is full by now. It is possible to swim over the river.", "It is possible", 1.0),
        ("The ferry is full by now. It is on its way over the river.", "The ferry", LED),
        ("The ferry is full by now. For example, the deck holds no car.", "The ferry", LED),
        ("The ferry is full by now. [2] This means that nobody can board.", "The ferry", LED),
        ("It was late in the day. This means that nobody can board.", "This means", LOST),
    ],
)
def test_a_quotation_begins_where_it_can_be_understood(text: str, begins: str, factor: float) -> None:
    *before, last = sentences(text)
    start, cost_of_it = beginning(last, before[-1] if before else None)
    assert text[start:].lstrip("[2] ").startswith(begins)
    assert cost_of_it == factor


def test_an_announcement_with_its_list_leans_on_nothing() -> None:
    (listed, *_) = sentences("The following kinds of ferries are safe:\n\n* ferries of steel;\n\n* ferries of wood.")
    assert beginning(listed, None) == (listed.start, 1.0)
