"""Ranking by words and by words and vectors: the same promises; vectors find what shares no word."""

from pathlib import Path

import pytest

from elcano.activities.similarity.embedder import Embedder, open_embedder
from elcano.activities.similarity.similar_passages import POOL, rank_related_passages
from tests.unit.activities.similarity.material import BREAD, WHALES, Topics, model, passage

SEA = passage("sea", WHALES, title="Cetaceans")
LOAF = passage("loaf", BREAD, title="Baking")
BOTH = passage("both", f"{BREAD} A whale has nothing to do with it.")
SHELF = [LOAF, BOTH, SEA]


@pytest.fixture(params=["words", "topics", "encoder"])
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Embedder | None:
    match request.param:
        case "words":
            return None
        case "topics":
            return Topics()
        case _:
            return open_embedder(str(model(tmp_path)))


def test_the_best_comes_first_whatever_the_method(embedder: Embedder | None) -> None:
    assert rank_related_passages("squid hunting sperm whale in the darkness", SHELF, 3, embedder)[0] == SEA


def test_no_more_than_asked_for_each_once_and_always_the_same(embedder: Embedder | None) -> None:
    found = rank_related_passages("whale bread flour", SHELF, 2, embedder)
    assert len(found) == 2
    assert len({one.id for one in found}) == 2
    assert all(one in SHELF for one in found)
    assert rank_related_passages("whale bread flour", SHELF, 2, embedder) == found


def test_nothing_is_found_in_nothing(embedder: Embedder | None) -> None:
    assert rank_related_passages("whale", [], 5, embedder) == []


def test_a_query_is_words_and_no_syntax(embedder: Embedder | None) -> None:
    found = rank_related_passages('"squid" AND (darkness* NOT whale:', SHELF, 1, embedder)
    assert found == [SEA]


@pytest.mark.parametrize("query", ["tractors", "?!", "..."])
def test_what_has_nothing_in_common_is_not_returned(query: str) -> None:
    assert rank_related_passages(query, SHELF, 5, None) == []


def test_words_are_found_in_other_forms_and_in_titles() -> None:
    assert rank_related_passages("diving", SHELF, 5, None) == [SEA]
    assert rank_related_passages("cetacean", SHELF, 5, None) == [SEA]


def test_vectors_find_what_shares_no_word() -> None:
    assert rank_related_passages("cetacean breath", [LOAF, passage("p", WHALES)], 5, None) == []
    assert rank_related_passages("cetacean breath", [LOAF, passage("p", WHALES)], 5, Topics()) == [passage("p", WHALES)]


def test_of_many_passages_only_the_likely_ones_are_embedded() -> None:
    many = [passage(f"p{number}", f"{BREAD} {number}") for number in range(POOL * 2)]
    topics = Topics()
    assert rank_related_passages("whale", [*many, SEA], 1, topics) == [SEA]
    assert len(topics.asked) == POOL + 1
