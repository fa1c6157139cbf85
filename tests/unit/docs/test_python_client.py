"""Every method that the page of the Python client names exists, in the class that it is said of."""

import re
from pathlib import Path
from typing import Final

import pytest

from elcano.client.async_client import AsyncElcano, AsyncRun
from elcano.client.batches import AsyncBatch, Batch
from elcano.client.blocking_client import Elcano, Run
from elcano.client.collections import AsyncCollection, Collection
from elcano.client.connection import Connection

DOCS: Final = Path(__file__).parents[3] / "docs"
PAGE: Final = (DOCS / "clients.md").read_text("utf-8")
CALL: Final = re.compile(r"`(\w+)(?:\([^`]*\))?`")


def list_table_names(head: str) -> list[str]:
    """The methods and attributes in the first column of the table whose head begins so."""
    table = PAGE[PAGE.index(f"| {head}") :].partition("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in CALL.findall(row.split("|")[1])]


def find_sentence_names(begin: str) -> list[str]:
    sentence = PAGE[PAGE.index(begin) :].partition(".\n")[0].removeprefix(begin)
    return CALL.findall(" ".join(sentence.split()))


@pytest.mark.parametrize(
    ("names", "classes"),
    [
        (list_table_names("method of a run"), (Run, AsyncRun)),
        (list_table_names("method of a collection"), (Collection, AsyncCollection)),
        (find_sentence_names("A batch has "), (Batch, AsyncBatch)),
        (find_sentence_names("For routes without a method there is `AsyncElcano.connection`, with "), (Connection,)),
    ],
)
def test_each_method_exists(names: list[str], classes: tuple[type, ...]) -> None:
    assert len(names) > 4
    lacking = {(one.__name__, name) for one in classes for name in names if not hasattr(one, name)}
    # The page itself says the first; the second is set when a collection is made.
    assert lacking <= {("AsyncRun", "show"), ("AsyncCollection", "source")}


def test_what_other_pages_call_on_the_client_exists() -> None:
    for page in sorted(DOCS.rglob("*.md")):
        for name in re.findall(r"\belcano\.(\w+)\(", page.read_text("utf-8")):
            assert hasattr(Elcano, name) or hasattr(AsyncElcano, name), f"{page.name}: elcano.{name}()"
        for name in re.findall(r"\b(?:safety|collection)\.(\w+)\(", page.read_text("utf-8")):
            assert hasattr(Collection, name), f"{page.name}: Collection.{name}()"
