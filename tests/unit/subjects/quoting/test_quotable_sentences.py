"""What can be quoted from a README, and what cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.subjects.quoting.quotable_sentences import find_sentences

README = """\
# Ferry

[![Tests](https://img.shields.io/badge/tests-passing-green.svg)](https://example.org/ci)
![A drawing of a ferry crossing the river](ferry.png)

Ferry moves messages between queues without losing one. It was written for e.g. small shops, i.e. those
with one server. See [the docs](https://example.org/docs).

Installing the library
----------------------

    ferry install everything that you need here

```python
ferry = Ferry("This string is a sentence in a program. It is code.")
```

| Option | Meaning of the option in words |
| ------ | ------------------------------ |
| `wait` | How long it waits for a queue. |

- **Safe**: each message is written to disk before it is acknowledged.
- Speed
- [Guide](https://example.org/guide)
- Works with every broker that speaks the common protocol

1. Open the harbour before any ferry leaves it.

> A ferry that waits is a ferry that arrives.

The following settings can be changed:

Why would anybody need a ferry like this one?

.. code-block:: python

    ferry.cross("A river is crossed by this line of code.")

Crossing ends when the other bank (``bank.other``) is reached.

$ ferry cross --river "the wide one in the middle"
pip install ferry and then you are done with it
"""


def quoted(text: str) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in find_sentences(text)]


def test_prose_and_list_items_are_found_and_nothing_else() -> None:
    assert quoted(README) == [
        "Ferry moves messages between queues without losing one.",
        "It was written for e.g. small shops, i.e. those with one server.",
        "**Safe**: each message is written to disk before it is acknowledged.",
        "Works with every broker that speaks the common protocol",
        "Open the harbour before any ferry leaves it.",
        "A ferry that waits is a ferry that arrives.",
        "Crossing ends when the other bank (``bank.other``) is reached.",
    ]


@given(st.text(alphabet=st.sampled_from("ab C.!?\n-*`>#|[](): 1")))
def test_every_sentence_is_literally_there(text: str) -> None:
    for sentence in find_sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text


@pytest.mark.parametrize(
    "line",
    [
        "client.with_options(http_client=Client(timeout=3))",
        "from ferry import Ferry, Harbour, Captain, Sailor",
        "result = await ferry.cross(river, captain, sailor)",
        "(#730) by @somebody",
        "*(Optional, with `ferry[fast]` and a good wind)*",
        "https://example.org/a/very/long/address/that/goes/on",
        '<p align="center">A ferry is shown in the centre.</p>',
        ".. _a ferry: https://example.org/ferry",
        ">>> ferry.cross the river with all of the crew",
    ],
)
def test_code_and_markup_are_no_sentences(line: str) -> None:
    assert quoted(f"{line}\n") == []


def test_a_sentence_of_many_lines_is_one() -> None:
    text = "A ferry crosses the river\nin the early morning, when\nnobody is awake. Then it comes back home."
    assert [sentence.text for sentence in find_sentences(text)] == [
        "A ferry crosses the river\nin the early morning, when\nnobody is awake.",
        "Then it comes back home.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "These kinds of cargo can be carried:\n\n* letters and small parcels;\n\n* animals in their boxes.",
        "These kinds of cargo can be carried:\n- letters and small parcels\n- animals in their boxes",
    ],
)
def test_a_list_is_quoted_with_the_sentence_that_announces_it(text: str) -> None:
    (listed, *_) = find_sentences(f"{text}\n\nNo ferry ever carries passengers without a ticket.")
    assert listed.text == text


@pytest.mark.parametrize(
    "text",
    [
        "These kinds of cargo can be carried:\n\nThe harbour is open every day of the week.",
        "Known cargo:\n\n* letters and small parcels;\n\n* animals in their boxes.",
    ],
)
def test_a_colon_alone_announces_no_list(text: str) -> None:
    assert not any(text.startswith(one) for one in quoted(text))


def test_what_is_cut_off_within_brackets_is_not_quoted() -> None:
    assert quoted("table.add_row( the ferry that leaves the harbour first.") == []


@pytest.mark.parametrize("code", ["ferry.cross(river);", "total += ferries;", "const = harbours;", "struct ferry {"])
def test_statements_are_no_prose_but_items_that_end_likewise_are(code: str) -> None:
    item = "* letters, parcels and every kind of post;"
    assert quoted(f"{item}\n\n{code}") == [item.removeprefix("* ")]
