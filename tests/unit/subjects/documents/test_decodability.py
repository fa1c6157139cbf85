import pypdfium2 as pdfium
import pytest

from elcano.subjects.documents.pdf.chars import read_codes
from elcano.subjects.documents.pdf.decodability import is_undecodable
from elcano.subjects.documents.pdf.words import read_words
from tests.unit.subjects.documents.pdf_drawings import FONT, show, write_pdf

TEXT = (
    "The moon pulls the sea and the sea follows it twice a day.",
    "Spring tides come with the new moon, and neap tides with the quarters.",
    "At Brest the range is seven metres, and at Dover six and a half.",
    "Winds, currents and the shape of the coast change what a table says.",
)
MAP = (
    b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
    b"1 beginbfrange <20> <7E> <E020> endbfrange endcmap end"
)
PRIVATE = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(MAP), MAP)
"""A map of all letters to code points of private use."""


def shift(line: str, by: int) -> str:
    """The line as a font without a map gives it: each letter is another one."""
    return "".join(chr((ord(letter) - 97 + by) % 26 + 97) if letter.islower() else letter for letter in line)


def judge(content: bytes) -> bool:
    document = pdfium.PdfDocument(content)
    page = document[0]
    text_page = page.get_textpage()
    try:
        codes = read_codes(text_page.raw)
        return is_undecodable(text_page, codes, read_words(page.raw, text_page.raw, codes))
    finally:
        text_page.close()
        document.close()


def write_lines(lines: tuple[str, ...], font: bytes = FONT, more: tuple[bytes, ...] = ()) -> bytes:
    stream = b"".join(show(line, 50, 700 - 20 * number) for number, line in enumerate(lines))
    return write_pdf([stream], font=font, more=more)


LETTERS = "abcdefghijklmnopqrstuvwxyz"
NARROW = {"c": 500, "f": 278, "i": 222, "j": 222, "k": 500, "l": 222, "r": 333, "s": 500, "t": 278}
WIDTHS = {letter: 556 for letter in LETTERS} | NARROW | {"m": 833, "w": 722}


def draw_font(by: int) -> tuple[bytes, tuple[bytes, ...]]:
    """A font, and its letters from object 6 on: each is as wide as the one that it is drawn as, and named another."""
    widths = [WIDTHS[shift(letter, -by)] for letter in LETTERS]
    shapes = [b"%d 0 0 0 %d 700 d1 30 0 %d 500 re f" % (width, width, width - 60) for width in widths]
    drawn = tuple(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shape), shape) for shape in shapes)
    names = " ".join(f"/{letter}" for letter in LETTERS)
    procedures = " ".join(f"/{letter} {6 + number} 0 R" for number, letter in enumerate(LETTERS))
    listed = " ".join(map(str, widths))
    font = (
        f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /FirstChar 97 "
        f"/LastChar 122 /Widths [{listed}] /Encoding << /Differences [97 {names}] >> /CharProcs << {procedures} >> >>"
    )
    return font.encode(), drawn


@pytest.mark.parametrize("by", [1, 3, 13])
def test_letters_that_are_drawn_as_others_are_found_by_their_widths(by: int) -> None:
    lines = tuple(shift(line.lower(), by) for line in TEXT)
    assert judge(write_lines(lines, *draw_font(by)))
    assert not judge(write_lines(lines, *draw_font(0)))


def test_codes_of_no_character_are_found() -> None:
    font = FONT.replace(b">>", b"/ToUnicode 6 0 R >>")
    assert judge(write_lines(TEXT, font, (PRIVATE,)))


@pytest.mark.parametrize(
    "lines",
    [
        TEXT,
        ("Zzyzx Grzegorz Brzeczyszczykiewicz Szczebrzeszyn Krk Brno Strc prst skrz krk",) * 4,
        ("CC\\(=O\\)Oc1ccccc1C\\(=O\\)O CN1C=NC2=C1C\\(=O\\)N\\(C\\)C ENSG00000139618 rs1801133 MTHFR",) * 4,
        ("getHttpResponseCode\\(ctx, tmpBufLen\\) == sqrtXyz2 && fnPtrTbl[idxN]->qWrk",) * 4,
        ("x1 = y2 + z3, f\\(x\\) = ax2 + bx + c, dy/dx = 2ax + b, p < .05, n = 12",) * 4,
        ("3f2a9c7b1e 88d0ffab12 c0ffee1234 deadbeef99 0a1b2c3d4e 5f6a7b8c9d",) * 4,
    ],
    ids=["prose", "names", "chemistry", "code", "formulas", "hashes"],
)
def test_names_formulas_chemistry_and_code_are_text(lines: tuple[str, ...]) -> None:
    assert not judge(write_lines(lines))
