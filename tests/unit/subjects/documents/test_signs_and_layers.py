"""Signs that hang from a base line of their own, and words whose boxes are narrower or wider than their print."""

from elcano.subjects.documents.pdf.chars import Char, _size_drawn_type
from elcano.subjects.documents.pdf.segments import Segment, _mark_shifted
from elcano.subjects.documents.pdf.styles import Style
from elcano.subjects.documents.pdf.text_layers import widen_words
from elcano.subjects.documents.pdf.words import Word
from tests.unit.subjects.documents.pdf_pages import Sheet
from tests.unit.subjects.documents.test_pdf_text import read, texts

ROOT, SUM = "s", "t"
"""The letters for which the font `hebrew` paints these signs."""


def test_a_root_that_hangs_above_the_line_stands_before_what_it_is_of() -> None:
    sheet = Sheet().write("The nodes are divided into O(", 60, 100)
    sheet.write(ROOT, 191.2, 92, font="hebrew").write("N) groups of equal weight.", 196.2, 100)
    assert texts(read(sheet)) == ["The nodes are divided into O(\u221aN) groups of equal weight."]


def test_a_sum_that_hangs_above_the_line_stands_before_what_it_is_of() -> None:
    sheet = Sheet().write("The total is E =", 60, 100).write(SUM, 139, 91, font="hebrew").write("a", 144, 100)
    assert texts(read(sheet)) == ["The total is E = \u2211 a"]


def test_a_root_on_the_line_stays_there() -> None:
    sheet = Sheet().write("It is", 60, 100).write(ROOT, 84, 100, font="hebrew").write("N wide and as high.", 89, 100)
    sheet.write("The next line begins below the root, not behind it.", 60, 112)
    assert "It is \u221aN wide" in texts(read(sheet))[0]


def test_a_line_with_a_large_sign_keeps_its_spaces() -> None:
    sheet = Sheet().write("In this case the input was a constant of", 60, 100)
    sheet.write(ROOT, 242, 92, size=24, font="hebrew").write("S and the filter has unit gain", 256, 100)
    assert "In this case the input was a constant of" in " ".join(texts(read(sheet)))


def test_a_line_with_a_large_letter_keeps_its_indices() -> None:
    words = [Word("C", 60.0, 84.0, 76.0, 104.0, 100.0, 20.0)]
    words += [Word("clocks", left, 91.0, left + 30, 102.0, 100.0, 10.0) for left in (78.0, 112.0, 146.0, 180.0)]
    words.append(Word("1", 210.0, 97.0, 213.0, 104.0, 102.5, 7.0))
    segment = Segment(60.0, 84.0, 213.0, 104.0, 100.0, 20.0, words)
    _mark_shifted(segment)
    assert segment.words[-1].lowered


def test_a_space_that_a_letter_reaches_over_is_one() -> None:
    # The box of this `f` is .38 wide, and the pen steps by .33; PDFium adds no space where .2 are left.
    content, x = "", 60.0
    for word, width in (("off", 13.99), ("of", 10.0), ("a", 5.33), ("tree", 17.99)):
        content += f"BT /roman 12 Tf 1 0 0 1 {x:.2f} 742 Tm ({word}) Tj ET\n"
        x += width + 3
    assert texts(read(Sheet().paint(content))) == ["off of a tree"]


def style(size: float, font: int) -> Style:
    return Style(size, False, 0, 100.0, False, font, False, {})


def char(text: str, height: float, size: float, font: int) -> Char:
    return Char(text, 60.0, 100.0 - height, 66.0, 100.0, style(size, font))


def size_last(*drawn: Char) -> float:
    """The size of the last of some characters that follow text in type of 10 points."""
    sized = _size_drawn_type([*[char("wxyz", 11.0, 10.0, 1)] * 9, *drawn])[-1]
    assert isinstance(sized, Char)
    return round(sized.style.size, 1)


def test_the_type_of_brackets_and_roots_is_no_larger_than_the_text() -> None:
    assert size_last(char("{", 42.0, 10.0, 2)) == 10
    assert size_last(char("(", 14.0, 0.12, 2), char("\u221a", 42.0, 0.12, 2)) == 10


def test_letters_and_signs_of_figures_state_the_size_of_drawn_type() -> None:
    assert size_last(*(char(letter, 16.8, 0.12, 2) for letter in "TITLES")) == 24
    for sign in ("E", "\u2192", "\ufffd"):
        assert size_last(char(sign, 42.0, 0.12, 2)) == 60
    assert size_last(char("x", 14.0, 0.12, 2), char("(", 14.0, 0.12, 2)) == 20


def row(*edges: tuple[float, float]) -> list[Word]:
    return [Word("word", left, 90.0, right, 100.0, 98.0, 10.0) for left, right in edges]


def test_short_words_of_a_text_layer_reach_to_their_spaces() -> None:
    words = row((60, 80), (88, 110), (119, 140), (160, 180))
    widened = widen_words(words, frozenset(range(4)))
    assert [word.right for word in widened] == [85, 116, 140, 180]


def test_words_as_wide_as_their_print_stay_as_they_are() -> None:
    words = row((60, 80), (83, 110), (113, 140), (149, 180))
    assert widen_words(words, frozenset(range(4))) == words


def test_words_that_can_be_seen_stay_as_they_are() -> None:
    words = row((60, 80), (88, 110), (119, 140))
    assert widen_words(words, frozenset()) == words
