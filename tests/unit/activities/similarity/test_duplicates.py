"""What repeats an older passage: copies with slips do, other numbers, denials, additions and short passages do not."""

import random

import pytest

from elcano.activities.similarity.similar_passages import ComparedPassages
from tests.unit.activities.similarity.material import BREAD, WHALES, passage

OLD = passage("old", WHALES)


def repeats(text: str, *, title: str = "", heading: str = "") -> bool:
    found = ComparedPassages().followed_by([OLD, passage("new", text, title=title, heading=heading)]).repeats
    return found == {"docs:new": "docs:old"}


@pytest.mark.parametrize(
    "text",
    [
        WHALES,
        WHALES.upper(),
        WHALES.replace(" ", "\n  "),
        WHALES.replace(",", " ;"),
        f"BACKGROUND: {WHALES}",
        WHALES.removesuffix(" and finds its prey by echoes alone."),
    ],
)
def test_a_copy_is_a_repetition(text: str) -> None:
    assert repeats(text)


@pytest.mark.parametrize(
    "text",
    [
        BREAD,
        WHALES.replace("2,000", "3,000"),
        WHALES.replace("for 90 minutes", "for 90 or 95 minutes"),
        WHALES.replace("it hunts", "it never hunts"),
        WHALES.replace("it hunts", "it doesn't hunts"),
        f"{WHALES} It is the largest toothed predator, and the only living member of its genus.",
        " ".join(reversed(WHALES.split())),
        "The sperm whale dives to a depth of 2,000 metres.",
    ],
)
def test_what_says_something_else_or_more_is_none(text: str) -> None:
    assert not repeats(text)


def test_numbers_above_a_passage_count() -> None:
    assert repeats(WHALES, title="Whales", heading="Diving")
    assert not repeats(WHALES, title="Whales", heading="Edition 2")


def test_the_older_one_is_never_the_repetition() -> None:
    longer = passage("longer", f"{WHALES} {BREAD}")
    assert ComparedPassages().followed_by([longer, OLD]).repeats == {"docs:old": "docs:longer"}
    assert ComparedPassages().followed_by([OLD, longer]).repeats == {}


def test_every_repetition_names_an_original() -> None:
    """Each of the chain is within a slip of the one before it; the last is far from the first."""
    words = (WHALES + " " + BREAD).split()
    chain = [passage("0", " ".join(words))]
    for number in range(1, 12):
        words[number * 4] = f"slip{chr(96 + number)}"
        chain.append(passage(str(number), " ".join(words)))
    found = ComparedPassages().followed_by(chain).repeats
    assert found
    assert not found.keys() & set(found.values())
    assert "docs:11" not in found or found["docs:11"] != "docs:0"


def test_what_comes_later_changes_nothing_before() -> None:
    chance = random.Random(5)
    texts = [WHALES, BREAD, f"{WHALES} {BREAD}"]
    passages = [passage(str(number), _with_a_slip(chance.choice(texts), chance)) for number in range(60)]
    whole = ComparedPassages().followed_by(passages).repeats
    assert whole
    order = [one.id for one in passages]
    for known in range(len(passages)):
        before = {id: original for id, original in whole.items() if order.index(id) < known}
        assert ComparedPassages().followed_by(passages[:known]).repeats == before


def _with_a_slip(text: str, chance: random.Random) -> str:
    words = text.split()
    words[chance.randrange(len(words))] = "slip"
    return " ".join(words)
