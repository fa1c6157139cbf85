"""What a sentence speaks of by its writing alone; too little rather than too much."""

import pytest

from elcano.subjects.knowledge.run_knowledge import MOST, find_entities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mutations of TP53 and BRCA1 are common.", ("TP53", "BRCA1")),
        ("IL-6 and COVID-19 are related; HbA1c is not told.", ("IL-6", "COVID-19")),
        ("The trial of Marie Curie was led by Ludwig van Beethoven.", ("Marie Curie", "Ludwig van Beethoven")),
        ("Water boils. Pressure matters. Nothing is named.", ()),
        ("RESULTS OF THE STUDY: OR and HR with a CI.", ("STUDY",)),
        ("It was the University of Cambridge.", ("University of Cambridge",)),
        ("A Randomized Trial of Aspirin in Healthy Older Adults", ()),
        ("Henry VIII and phase III", ()),
        ("Es war Émile Zola, nicht Jules.", ("Émile Zola",)),
        ("", ()),
        ("`; DROP TABLE x; --", ("DROP", "TABLE")),
    ],
)
def test_symbols_and_names(text: str, found: tuple[str, ...]) -> None:
    assert find_entities(text) == found


def test_a_text_of_nothing_but_symbols_gives_some_of_them() -> None:
    assert len(find_entities(" ".join(f"GEN{number}" for number in range(5_000)))) == MOST
    assert find_entities("A" * 100_000) == ()


def test_names_can_be_left_out() -> None:
    assert find_entities("Here Marie Curie met TP53.", names=False) == ("TP53",)
