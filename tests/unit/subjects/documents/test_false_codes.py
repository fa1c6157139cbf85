"""Signs that fonts draw at the codes of letters and figures, as those of old journals do."""

import pytest

from elcano.subjects.documents.pdf import false_codes
from elcano.subjects.documents.pdf.reader import read_pdf
from tests.unit.subjects.documents.pdf_drawings import write_pdf
from tests.unit.subjects.documents.type1_fonts import (
    EQUALS,
    LESS,
    LETTER_L,
    PLUS_MINUS,
    STEPS,
    Glyph,
    write_type1,
)


def read(
    parts: list[tuple[str, bool]],
    glyphs: dict[str, Glyph],
    encoding: bytes = b"/WinAnsiEncoding",
    names: dict[int, str] | None = None,
) -> list[str]:
    """What is read of a line, whose parts are in Helvetica, or in the font of these glyphs: its blocks, then its gaps.

    Args:
        parts: texts, and whether they are in the font of glyphs.
        glyphs: by their names.
        encoding: of the font.
        names: of its codes in its own program.
    """
    font = (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+AdvP4C4E74 /FirstChar 32 /LastChar 126 /Widths [%s] "
        b"/Encoding %s /FontDescriptor << /Type /FontDescriptor /FontName /ABCDEF+AdvP4C4E74 /Flags %d /Ascent 750 "
        b"/Descent -250 /CapHeight 700 /ItalicAngle 0 /StemV 80 /FontBBox [-100 -300 1000 1000] /FontFile 6 0 R >> >>"
    ) % (b" ".join([b"600"] * 95), encoding, 4 if names else 34)
    line = "".join(f"/{'F' if signs else 'H'} 12 Tf ({text}) Tj " for text, signs in parts)
    stream = f"BT 72 700 Td {line} ET BT /H 12 Tf 72 660 Td (All of the patients were seen again.) Tj ET".encode()
    content = write_pdf([stream], font=font, more=[write_type1(glyphs, encoding=names)])
    resources = b"/Font << /F 3 0 R /H << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    parsed = read_pdf(content.replace(b"/Font << /F 3 0 R >>", resources))
    return [*(block.text for block in parsed.blocks), *(gap.reason for gap in parsed.gaps)]


def test_signs_are_read_as_they_are_drawn_and_not_as_they_are_declared() -> None:
    parts = [("The mean was 7", False), ("+", True), ("5 days \\(P", False), (",", True), ("0.05, n", False)]
    found = read([*parts, ("5", True), ("20\\).", False)], {"plus": PLUS_MINUS, "comma": LESS, "five": EQUALS})
    assert found[0] == "The mean was 7±5 days (P<0.05, n=20)."
    assert not any("cannot be decoded" in text for text in found)


def test_what_resembles_nothing_is_marked_and_named_as_a_gap() -> None:
    found = read([("The mean was ", False), ("2", True), ("5 days.", False)], {"two": STEPS})
    assert found[0] == "The mean was \ufffd5 days."
    assert found[-1] == "some signs of page 1 cannot be decoded, and read \ufffd (1)"


def test_a_glyph_of_a_name_that_says_nothing_is_no_letter() -> None:
    encoding = b"<< /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [33 /H11021] >>"
    found = read([("The risk was ", False), ("!", True), ("1.0 there.", False)], {"H11021": LESS}, encoding)
    assert found[0] == "The risk was \ufffd1.0 there."


@pytest.mark.parametrize(
    ("code", "name", "printed"),
    [
        ("0", "prime", "x\u2032 of it"),
        (r"\034", "lessmuch", "x\u226a of it"),
        ("h", "angbracketleft", "x\u27e8 of it"),
        (r"\020", "parenleftBig", "x( of it"),
        ("6", "nameless", "x\ufffd of it"),
    ],
)
def test_signs_of_tex_are_known_by_their_names_in_its_fonts(code: str, name: str, printed: str) -> None:
    number = int(code[1:], 8) if code.startswith("\\") else ord(code)
    found = read([("All x", False), (code, True), (" of it", False)], {name: STEPS}, b"null", {number: name})
    assert found[0] == f"All {printed}"


def test_a_stroke_of_tex_negates_the_sign_behind_it() -> None:
    names = {0x36: "negationslash", 0x3D: "equal"}
    found = read(
        [("All x ", False), ("6=", True), (" y", False)], {"negationslash": STEPS, "equal": EQUALS}, b"null", names
    )
    assert found[0] == "All x \u2260 y"


def test_a_letter_that_is_drawn_as_itself_stays() -> None:
    assert read([("A ", False), ("L", True), (" of 5 m.", False)], {"L": LETTER_L})[0] == "A L of 5 m."


def test_fonts_of_many_characters_are_fonts_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(false_codes, "FEW", 0)
    assert read([("It was ", False), (",", True), ("5 m.", False)], {"comma": LESS})[0] == "It was ,5 m."
