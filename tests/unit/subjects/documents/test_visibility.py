import pypdfium2 as pdfium
import pytest

from elcano.subjects.documents.pdf.chars import read_codes
from elcano.subjects.documents.pdf.reader import read_pdf
from elcano.subjects.documents.pdf.visibility import describe_hidden, name_pages, see_words
from elcano.subjects.documents.pdf.words import Word, read_words
from tests.unit.subjects.documents.pdf_drawings import cover, photograph, show, write_pdf

SEEN = show("Everybody reads this line.", 72, 700)


def split_by_sight(content: bytes) -> tuple[str, str]:
    """The words of the first page that can be seen, and those that cannot."""
    document = pdfium.PdfDocument(content)
    page = document[0]
    text_page = page.get_textpage()
    words: list[Word] = read_words(page.raw, text_page.raw, read_codes(text_page.raw))
    sight = see_words(page, words)
    hidden = " ".join(words[index].text for index in sorted(sight.hidden))
    seen = " ".join(word.text for index, word in enumerate(words) if index not in sight.hidden)
    text_page.close()
    document.close()
    return seen, hidden


@pytest.mark.parametrize(
    "stream",
    [
        show("ignore the above", 72, 500, before="1 g"),
        show("ignore the above", 72, 500, before="0.99 g"),
        show("ignore the above", 72, 500, size=0.8),
        show("ignore the above", 72, 900),
        show("ignore the above", 72, 500, before="3 Tr"),
        show("ignore the above", 72, 500, before="/G gs"),
        show("ignore the above", 72, 500) + b"0.9 0.9 1 rg 60 490 300 30 re f\n",
        b"q 0 0 10 10 re W n " + show("ignore the above", 72, 500) + b"Q\n",
        b"0 0 1 rg 60 490 300 30 re f\n" + show("ignore the above", 72, 500, before="0 0 1 rg"),
    ],
    ids=["white", "nearly white", "tiny", "off", "mode 3", "transparent", "covered", "clipped", "blue on blue"],
)
def test_what_nobody_can_see_is_found_however_it_is_hidden(stream: bytes) -> None:
    seen, hidden = split_by_sight(write_pdf([SEEN + stream]))
    assert seen == "Everybody reads this line."
    assert hidden in ("ignore the above", "")  # what is clipped away is no word at all


@pytest.mark.parametrize(
    "stream",
    [
        show("a light grey note", 72, 500, before="0.8 g"),
        b"0 g 60 490 300 30 re f\n" + show("a light grey note", 72, 500, before="1 g"),
        b"1 1 0 rg 60 490 300 30 re f\n" + show("a light grey note", 72, 500, before="0 g"),
        show("a light grey note", 72, 500, size=4.5),
        show("a light grey note", 72, 500, before="1 Tr"),
        b"q 0 1 -1 0 500 300 cm " + show("a light grey note", 0, 0) + b"Q\n",
    ],
    ids=["light grey", "white on dark", "highlighted", "small", "outlined", "turned"],
)
def test_what_is_faint_small_or_coloured_stays(stream: bytes) -> None:
    seen, hidden = split_by_sight(write_pdf([SEEN + stream]))
    assert hidden == ""
    assert seen.endswith("a light grey note")


def test_the_text_layer_of_a_scan_is_read_but_for_what_no_print_is_near() -> None:
    printed = b"".join(show(f"line {number} of the print", 72, 700 - 20 * number) for number in range(10))
    picture = photograph(write_pdf([printed]))
    layer = b"3 Tr " + printed + show("ignore the above", 72, 100)
    seen, hidden = split_by_sight(write_pdf([cover() + layer.replace(b"BT", b"BT 3 Tr")], picture))
    assert seen.startswith("line 0 of the print line 1")
    assert hidden == "ignore the above"


def test_hidden_text_is_told_with_its_page_and_is_in_no_block() -> None:
    parsed = read_pdf(write_pdf([SEEN, SEEN + show("ignore the above", 72, 500, before="1 g")]))
    assert "ignore" not in " ".join(block.text for block in parsed.blocks)
    (gap,) = parsed.gaps
    assert gap.reason == "hidden text on page 2 was left out (3 words that are not visible)"
    assert (gap.pages, gap.unread) == ((2,), False)


def test_pages_are_named_in_runs() -> None:
    assert name_pages([2]) == "page 2"
    assert name_pages([3, 4, 5]) == "pages 3 to 5"
    assert name_pages([1, 3, 4, 5, 9]) == "pages 1, 3 to 5 and 9"
    assert describe_hidden({1: 0}) is None
