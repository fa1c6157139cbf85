"""The PDF of a report, read back: tagged, with its pictures and formulas, and no character is lost without a word."""

import re
from typing import Any

import pypdfium2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elcano.doors.exports.pdf_document import MOST_UNSHOWN, write_pdf_document
from elcano.doors.exports.typesetting import ExportUnavailable
from tests.unit.doors.exports.test_word_document import RICH
from tests.unit.service.test_html_report import LIST, report

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20"><title>n</title><text y="9">{}</text></svg>'
NOWHERE = [chr(0xF0000 + number) for number in range(MOST_UNSHOWN + 1)]
"""Characters for private use, which no font here has."""


def typeset(markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(write_pdf_document(report(f"{markdown}\n\n{LIST}", **about), pictures or {}))


def read_text(document: pypdfium2.PdfDocument) -> str:
    """Its text with single spaces; a hyphen that pdfium shows for a mark of its own is none of the text."""
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


def test_a_report_is_tagged_and_has_contents_bookmarks_formulas_and_tables() -> None:
    more = "\n\n## Then\n\n### Deeper\n\n## Last\n\n" r"Of $\binom{n}{k}$ and $\sqrt{\bar{x}}$ and $\frac{a}{b}$ after."
    document = typeset(RICH + more, title='The "harbour" #let x = 1 \\')
    assert document.is_tagged()
    assert document.get_metadata_value("Title") == 'The "harbour" #let x = 1 \\'
    assert [(mark.level, mark.get_title()) for mark in document.get_toc()] == [
        *((0, "When"), (0, "Then"), (1, "Deeper"), (0, "Last"), (0, "References"))
    ]
    text = read_text(document)
    for part in (
        "Contents",
        "It froze in 1709, for weeks. [1]",
        "3. third",
        "year days 1709 12",
        "raw <text>",
        "after.",
    ):
        assert part in text, part
    assert "written as text" not in text


def test_letters_of_formulas_are_those_of_formulas_and_signs_have_room() -> None:
    italic = {letter: chr(0x1D44E + ord(letter) - ord("a")) for letter in "abcfxy"}
    written = "{y} = 2{x} and {f}({x}) = {a}{b} {c} after.".format_map(italic)
    assert written in read_text(typeset(r"$y=2x$ and $f(x)=\frac{ab}{c}$ after."))
    assert "T CO2, CI 0.7 to 1" in read_text(typeset(r"$\mathrm{CO_2},\ \text{CI } 0.7 \text{ to } 1$"))


def test_pictures_are_drawn_and_one_that_cannot_be_is_named() -> None:
    markdown = "Before.\n\n![The plot](a/plot.svg)\n\n![Gone](a/gone.svg)"
    text = read_text(typeset(markdown, {"a/plot.svg": DRAWING.format("drawn &lt;b&gt;"), "a/gone.svg": None}))
    assert all(part in text for part in ("Before.", "drawn <b>", "Gone"))
    broken = read_text(typeset(markdown, {"a/plot.svg": "<svg viewBox", "a/gone.svg": None}))
    assert "One picture is left out here" in broken


def test_a_picture_higher_than_the_page_is_drawn_whole() -> None:
    ends = '<text y="20">upper end</text><text y="1990">lower end</text>'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 2000"><title>n</title>{ends}</svg>'
    text = read_text(typeset("![n](a/high.svg)", {"a/high.svg": picture}))
    assert "upper end" in text
    assert "lower end" in text


def test_a_character_without_a_font_is_written_as_its_code_and_a_script_without_one_is_refused() -> None:
    text = read_text(typeset(f"One {NOWHERE[0]} here.\n\n![p](a/b.svg)", {"a/b.svg": DRAWING.format(NOWHERE[1])}))
    assert "One [U+F0000] here." in text
    assert "U+F0001 unnamed: written here as codes" in text
    with pytest.raises(ExportUnavailable, match=r"lack the script of this report, U\+F0000 .* install fonts"):
        typeset("".join(NOWHERE))


def test_headings_that_accessible_files_may_not_have_are_mended() -> None:
    found = typeset("### Deep at once\n\n## \n\n## Then")
    assert [(mark.level, mark.get_title()) for mark in found.get_toc()] == [
        *((0, "Deep at once"), (0, "Then"), (0, "References"))
    ]


@pytest.mark.parametrize("language", ["", "zh-Hans", "ar", "pt-BR", 'x"-klingon'])
def test_every_language_has_a_document(language: str) -> None:
    assert "froze" in read_text(typeset("It froze.", language=language, title=" "))


def test_without_the_library_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.doors.exports.pdf_document.find_spec", lambda name: None)
    with pytest.raises(ExportUnavailable, match=re.escape("its extra `pdf`")):
        typeset("x")


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"]), max_size=60))
@example("{é}")
def test_what_strangers_write_is_text(written: str) -> None:
    document = typeset(f"a {written} z", title=written)
    assert "References" in read_text(document)
