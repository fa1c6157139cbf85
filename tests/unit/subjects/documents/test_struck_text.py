"""What a document strikes out is not what it says: no reader of a format takes it for text."""

import json

import pytest

from elcano.subjects.documents.file_formats import parse_document
from tests.unit.subjects.documents.test_articles import JATS
from tests.unit.subjects.documents.word_files import docx, odt, p, r

ODF_STYLE = (
    '<style:style style:name="T1" style:family="text">'
    '<style:text-properties style:text-line-through-style="solid"/></style:style>'
)
ODF_TEXT = '<text:p>It should <text:span text:style-name="T1">not </text:span>be used.</text:p>'
CELL = {"cell_type": "markdown", "metadata": {}, "source": ["It should ~~not~~ be used."]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.docx", docx(p(r("It should ") + r("not ", "<w:strike/>") + r("be used.")))),
        ("a.docx", docx(p(r("It should ") + r("not ", "<w:dstrike/>") + r("be used.")))),
        ("a.odt", odt(ODF_TEXT, ODF_STYLE)),
        ("a.html", b"<p>It should <s>not</s> be used.</p>"),
        ("a.html", b'<p>It should <span style="text-decoration: line-through">not</span> be used.</p>'),
        ("a.md", b"It should ~~not~~ be used."),
        ("a.md", b"It should <del>not</del> be used."),
        (
            "a.nxml",
            JATS.replace("{body}", "<p>It should <strike>not</strike> be used.</p>").replace("{back}", "").encode(),
        ),
        ("a.ipynb", json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()),
        ("a.tex", rb"\documentclass{article}\begin{document}It should \sout{not} be used.\end{document}"),
    ],
)
def test_struck_text_is_left_out(name: str, content: bytes) -> None:
    assert parse_document(name, content).text.splitlines()[-1] == "It should be used."


def test_struck_text_of_a_text_document_is_reported() -> None:
    parsed = parse_document("a.docx", docx(p(r("Seen. ") + r("never mind this", "<w:strike/>"))))
    assert [(gap.reason, gap.unread) for gap in parsed.gaps] == [("3 words that were struck out were left out", False)]


def test_code_and_single_tildes_strike_nothing_out() -> None:
    text = parse_document("a.md", b"About ~5 and ~6, `~~x~~` and 3 ~~ 4 ~~ 5.").text
    assert text == "About ~5 and ~6, `~~x~~` and 3 ~~ 4 ~~ 5."
