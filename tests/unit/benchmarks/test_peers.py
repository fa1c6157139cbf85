"""The comparison with peers, without them: the work is the same for all, and ratios are of one round."""

from benchmarks.peers.contender import Figures, compare
from benchmarks.peers.work import CHARACTERS, Author


def test_everybody_writes_the_same_texts_and_each_another_one() -> None:
    one, other = Author(), Author()
    text = one.write("")
    assert text == other.write("")
    assert text != one.write(text)
    assert len(text) == CHARACTERS
    assert (one.texts, other.texts) == (2, 1)


def test_ratios_are_medians_over_rounds_of_how_many_times_the_first_ones_figures_they_are() -> None:
    quiet = [Figures(10, 20, 1), Figures(5, 40, 3)]
    busy = [Figures(100, 2, 1), Figures(50, 4, 1)]
    odd = [Figures(10, 20, 1), Figures(90, 1, 2)]
    assert compare([quiet, busy, odd]) == [Figures(1, 1, 1), Figures(0.5, 2, 2)]
