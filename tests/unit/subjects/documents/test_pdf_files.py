"""PDF files as a whole: damage, limits, forms, comments, labels and gaps."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents import ocr_languages
from elcano.subjects.documents.pdf import ocr, page_reader, reader
from elcano.subjects.documents.pdf.reader import read_pdf
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.pdf_drawings import show, write_pdf
from tests.unit.subjects.documents.pdf_pages import LEFT, RIGHT, Sheet, join, make_pdf


def test_a_damaged_page_is_named_and_the_others_are_read() -> None:
    parsed = read_pdf(
        make_pdf([Sheet().write_lines(LEFT, 60, 100), Sheet(damaged=True), Sheet().write_lines(RIGHT, 60, 100)])
    )
    assert [(block.text, block.page) for block in parsed.blocks] == [(join(LEFT), 1), (join(RIGHT), 3)]
    assert [(gap.reason, gap.pages, gap.unread) for gap in parsed.gaps] == [
        ("page 2 was damaged and left out", (2,), True)
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (make_pdf([Sheet(damaged=True)]), "all of its pages are damaged"),
        (pdf([["Secret."]], encrypted=True), "encrypted: save a copy without a password"),
        (make_pdf([Sheet().write_lines(LEFT, 60, 100)])[:300], "damaged or cut off"),
        (b"%PDF-1.7\nnothing", "damaged or cut off"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(content: bytes, reason: str) -> None:
    with pytest.raises(FileSkipped, match=reason):
        read_pdf(content)


def test_a_page_that_holds_too_much_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_reader, "PAGE_CHARACTERS", 300)
    full = Sheet().write_lines(LEFT * 3, 60, 100)
    parsed = read_pdf(make_pdf([full, Sheet().write_lines(RIGHT, 60, 100)]))
    assert [block.page for block in parsed.blocks] == [2]
    assert [gap.reason for gap in parsed.gaps] == ["page 1 was left out, since reading it takes too long"]


def test_a_page_of_too_many_drawings_is_named_and_never_read_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_reader, "PAGE_OBJECTS", 20)
    crowded = b"\n".join(
        [show("Nobody sees this.", 72, 700, before="3 Tr"), *(b"%d 10 m 300 90 l S" % x for x in range(30))]
    )
    parsed = read_pdf(write_pdf([show("The harbour was dredged.", 72, 700), crowded]))
    assert [(block.text, block.page) for block in parsed.blocks] == [("The harbour was dredged.", 1)]
    assert [(gap.reason, gap.pages, gap.unread) for gap in parsed.gaps] == [
        ("page 2 was left out: it holds too many drawings", (2,), True)
    ]
    with pytest.raises(FileSkipped, match="page 1 was left out: it holds too many drawings"):
        read_pdf(write_pdf([crowded]))


def test_a_document_has_time_for_each_of_its_pages_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "DOCUMENT_SECONDS", -1.0)
    sheets = make_pdf([Sheet().write_lines(LEFT, 60, 100)] * 2)
    monkeypatch.setattr(reader, "TEXT_PAGE_SECONDS", 30.0)
    assert read_pdf(sheets).gaps == ()
    monkeypatch.setattr(reader, "MAXIMUM_SECONDS", -1.0)
    with pytest.raises(FileSkipped, match="pages 1 and 2 were left out, since the document is too long"):
        read_pdf(sheets)


def test_a_document_that_takes_too_long_is_refused_or_read_as_far_as_time_goes() -> None:
    with pytest.raises(FileSkipped, match="pages 1 and 2 were left out, since the document is too long"):
        read_pdf(make_pdf([Sheet().write_lines(LEFT, 60, 100)] * 2), seconds=-1)


def test_a_page_of_ten_metres_is_read() -> None:
    parsed = read_pdf(make_pdf([Sheet(28_000, 28_000).write_lines(LEFT, 60, 100)]))
    assert [block.text for block in parsed.blocks] == [join(LEFT)]


def test_values_of_fields_are_read_at_their_places() -> None:
    sheet = Sheet().write("Name of the ship:", 60, 100).write("Home port:", 60, 130)
    sheet.annotate("/Subtype /Widget /FT /Tx /T (ship) /V (Marie Celeste) /DA (/plain 10 Tf) /Rect [160 736 300 752]")
    sheet.annotate("/Subtype /Widget /FT /Tx /T (port) /V (Brest) /DA (/plain 10 Tf) /Rect [160 706 300 722]")
    sheet.annotate("/Subtype /Widget /FT /Tx /T (code) /Ff 8192 /V (sesame) /Rect [160 676 300 692]")
    said = join(block.text for block in read_pdf(make_pdf([sheet], fields=True)).blocks)
    assert "Name of the ship: Marie Celeste" in said
    assert "Home port: Brest" in said
    assert "sesame" not in said


def test_a_small_value_above_the_line_of_its_label_is_no_exponent() -> None:
    sheet = Sheet().write("Number of classes:", 60, 100, size=14)
    sheet.annotate("/Subtype /Widget /FT /Tx /T (classes) /V (12) /DA (/plain 10 Tf) /Rect [190 740 300 756]")
    assert "Number of classes: 12" in join(block.text for block in read_pdf(make_pdf([sheet], fields=True)).blocks)


def test_comments_are_told_by_themselves_and_free_text_is_text() -> None:
    sheet = Sheet().write_lines(LEFT, 60, 100)
    sheet.annotate("/Subtype /Text /Contents (Is this the third harbour?) /Rect [400 700 420 720]")
    sheet.annotate("/Subtype /FreeText /Contents (Checked in May.) /DA (/plain 10 Tf) /Rect [60 500 300 520]")
    sheet.annotate("/Subtype /Text /F 2 /Contents (Nobody sees this.) /Rect [400 600 420 620]")
    blocks = read_pdf(make_pdf([sheet])).blocks
    assert [block.text for block in blocks if block.kind == "comment"] == ["Is this the third harbour?"]
    assert "Checked in May." in [block.text for block in blocks if block.kind == "text"]
    assert not any("Nobody" in block.text for block in blocks)


def test_labels_of_pages_are_told_where_they_are_not_the_numbers() -> None:
    sheets = [Sheet().write_lines(LEFT, 60, 100) for _ in range(3)]
    labelled = make_pdf(sheets, catalog="/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>")
    assert read_pdf(labelled).page_labels == ("i", "ii", "1")
    assert read_pdf(make_pdf(sheets)).page_labels == ()


def test_letters_that_cannot_be_decoded_are_told_and_not_left_out_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "list_languages", lambda: ())
    monkeypatch.setattr(ocr_languages, "find_spec", lambda name: None)
    broken = ["The o\x01cial who \x01rst con\x01rmed it was", "a \x01sherman of the harbour."]
    parsed = read_pdf(make_pdf([Sheet().write_lines([*LEFT, *broken], 60, 100)]))
    assert "The o\ufffdcial who \ufffdrst con\ufffdrmed it" in parsed.blocks[0].text
    assert [gap.reason for gap in parsed.gaps] == [
        "some letters of page 1 cannot be decoded, and OCR is not installed: make setup"
    ]


def test_signs_before_figures_are_no_letters_for_which_a_page_is_read_by_ocr() -> None:
    # OCR took the sign of a currency for a figure: "\u20b917,81,841" became "217,81,841".
    lines = [*LEFT, "They paid \x0117,841 in May,", "and \x012,756 in June, \x01845 in July."]
    parsed = read_pdf(make_pdf([Sheet().write_lines(lines, 60, 100)]))
    assert "They paid \ufffd17,841 in May, and \ufffd2,756 in June, \ufffd845 in July." in parsed.blocks[-1].text
    assert [gap.reason for gap in parsed.gaps] == ["some signs of page 1 cannot be decoded, and read \ufffd (3)"]
