import math
import random
import struct

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.places import Places, find_marks
from elcano.subjects.documents import ocr_languages
from elcano.subjects.documents.ocr_languages import can_read, explain_lack, list_languages
from elcano.subjects.documents.pdf import ocr, page_reader, reader
from elcano.subjects.documents.pdf.ocr import stretch_seconds
from elcano.subjects.documents.pdf.page_drawing import render_page
from elcano.subjects.documents.pdf.picture_files import is_picture, read_picture, wrap_picture
from elcano.subjects.documents.pdf.reader import read_pdf
from tests.unit.subjects.documents.pdf_drawings import A4, Picture, cover, photograph, show, write_pdf
from tests.unit.subjects.documents.test_pictures import unpack_pixel

with_ocr = pytest.mark.skipif(not list_languages(), reason="the extra `ocr` is not installed")
LINES = (
    "The moon pulls the sea, and the sea follows it twice a day.",
    "Spring tides come with the new moon and with the full one.",
    "At Brest the range is 7 metres, at Dover it is 6 or less.",
    "Winds and the shape of the coast change what a table says.",
)


def uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have OCR not found."""
    monkeypatch.setattr(ocr, "list_languages", lambda: ())
    monkeypatch.setattr(ocr_languages, "find_spec", lambda name: None)


PRINTED = write_pdf([b"".join(show(line, 72, 700 - 20 * number) for number, line in enumerate(LINES))])


def scan(quarters: int = 0) -> bytes:
    """The picture of a page, turned clockwise by so many quarters, as a PDF."""
    size = A4 if quarters % 2 == 0 else (A4[1], A4[0])
    return write_pdf([cover(size)], photograph(PRINTED).turned(quarters), size=size)


def fold(text: str) -> str:
    return " ".join(text.split())


@with_ocr
@pytest.mark.parametrize("quarters", range(4))
def test_a_scan_is_read_however_it_is_turned_with_its_place_and_its_confidence(quarters: int) -> None:
    parsed = read_pdf(scan(quarters))
    assert fold(" ".join(LINES)) in fold(" ".join(block.text for block in parsed.blocks))
    first = parsed.blocks[0].lines[0]
    assert first.turn == 90 * quarters
    middle = ((first.box.left + first.box.right) / 2, (first.box.top + first.box.bottom) / 2)
    upright = (0.39, 0.165)
    for _ in range(quarters):
        upright = (1 - upright[1], upright[0])
    assert middle == pytest.approx(upright, abs=0.05)
    assert (parsed.blocks[0].confidence or 0) > 0.8
    assert not parsed.gaps


@with_ocr
def test_words_of_a_skewed_scan_are_marked_where_they_are() -> None:
    angle = math.radians(4)
    cosine, sine = math.cos(angle), math.sin(angle)
    across, down = A4[0] / 2, A4[1] / 2
    turned = b"q %f %f %f %f %f %f cm " % (
        cosine, sine, -sine, cosine, across - cosine * across + sine * down, down - sine * across - cosine * down
    )  # fmt: skip
    parsed = read_pdf(write_pdf([turned + cover() + b" Q"], photograph(PRINTED)))
    block = next(one for one in parsed.blocks if "At Brest" in one.text)
    places = Places(lines=tuple(block.lines))
    begin = block.text.index("At Brest")
    marks = [
        find_marks(block.text, places, start, start + len(word))
        for word in ("At", "less.")
        for start in [block.text.index(word, begin)]
    ]
    boxes = [mark.box for found in marks for mark in found]
    assert [box.bottom - box.top < 0.05 for box in boxes] == [True, True], "no mark is as high as its line leans"
    rise = (boxes[0].top + boxes[0].bottom - boxes[1].top - boxes[1].bottom) / 2 * A4[1]
    run = (boxes[1].left + boxes[1].right - boxes[0].left - boxes[0].right) / 2 * A4[0]
    assert rise == pytest.approx(math.tan(angle) * run, abs=6)


@with_ocr
def test_noise_gives_nothing_rather_than_rubbish() -> None:
    noise = Picture(600, 800, random.Random(1).randbytes(600 * 800))
    with pytest.raises(FileSkipped):
        read_pdf(write_pdf([cover()], noise))


@with_ocr
def test_pages_of_text_and_pictures_of_pages_are_read_in_one_document() -> None:
    stream = b"".join(show(f"Line {number} of a page of text.", 72, 700 - 20 * number) for number in range(8))
    parsed = read_pdf(write_pdf([stream, cover()], photograph(PRINTED)))
    assert {block.page: block.confidence is None for block in parsed.blocks} == {1: True, 2: False}


def test_without_ocr_the_pictures_of_pages_are_a_gap_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch)
    stream = show("This page has text on it.", 72, 700)
    (gap,) = read_pdf(write_pdf([stream, cover(), cover()], photograph(PRINTED))).gaps
    assert gap.reason == "pages 2 and 3 are pictures, and OCR is not installed: make setup"
    assert (gap.pages, gap.unread, gap.needs) == ((2, 3), True, "ocr")


def test_a_scan_that_nothing_can_read_says_what_could(monkeypatch: pytest.MonkeyPatch) -> None:
    uninstall(monkeypatch)
    with pytest.raises(FileSkipped, match="page 1 is a picture, and OCR is not installed") as refused:
        read_pdf(write_pdf([cover()], photograph(PRINTED)))
    assert refused.value.needs == "ocr"


@pytest.mark.parametrize(
    ("needs", "languages", "reason", "readable"),
    [
        ("ocr", (), "OCR has no data for any language: add those of a language, such as eng.traineddata", False),
        ("ocr", ("deu",), "OCR has no data for any language", True),
        ("ocr:deu", ("eng",), "OCR has no data for the language deu: add deu.traineddata to Tesseract's data", False),
        ("ocr:deu", ("deu", "eng"), "OCR has no data for the language deu", True),
        ("", ("eng",), "OCR is not sure enough of them", True),
        ("speech", ("eng",), "", False),
    ],
)
def test_what_ocr_lacks_is_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, needs: str, languages: tuple[str, ...], reason: str, *, readable: bool
) -> None:
    monkeypatch.setattr(ocr_languages, "find_spec", lambda name: "installed")
    monkeypatch.setattr(ocr_languages, "list_languages", lambda: languages)
    assert explain_lack(needs).startswith(reason)
    assert can_read(needs) is (readable and bool(needs))


@with_ocr
def test_where_only_the_language_is_missing_the_gap_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "SURE", 1.1)  # as if English could not read it
    monkeypatch.setattr(page_reader, "SURE", 1.1)
    monkeypatch.setattr(ocr, "list_languages", lambda: ("eng",))
    monkeypatch.setattr(reader, "_detect_language", lambda pages: "el")
    stream = show("This page has text on it.", 72, 700)
    (gap,) = read_pdf(write_pdf([stream, cover()], photograph(PRINTED))).gaps
    assert "and OCR has no data for the language ell: add ell.traineddata" in gap.reason
    assert (gap.pages, gap.unread, gap.needs) == ((2,), True, "ocr:ell")


@with_ocr
def test_a_page_that_is_read_as_another_language_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "list_languages", lambda: ("eng",))
    monkeypatch.setattr(ocr, "text_language", lambda text: "de")
    (gap,) = read_pdf(write_pdf([cover()], photograph(PRINTED))).gaps
    assert gap.reason.startswith("page 1 was read as another language: OCR has no data for the language deu")
    assert (gap.unread, gap.needs) == (False, "ocr:deu"), "it was read, and is read anew with its own language"


@with_ocr
def test_a_document_that_takes_ocr_too_long_names_the_pages_that_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "OCR_LIMITS", reader.OCR_LIMITS._replace(seconds=0.0))
    stream = show("This page has text on it.", 72, 700)
    (gap,) = read_pdf(write_pdf([stream, cover()], photograph(PRINTED))).gaps
    assert (gap.pages, gap.unread) == ((2,), True)


@with_ocr
def test_a_png_is_a_document_and_its_page_has_a_picture() -> None:
    picture = render_page(PRINTED, 1, 1240).content
    assert is_picture(picture)
    assert fold(" ".join(LINES)) in fold(" ".join(block.text for block in read_picture(picture).blocks))
    assert render_page(picture, 1, 300).width == 300


@pytest.mark.parametrize(("extra", "shown"), [(2, (255, 255, 255)), (0, (0, 0, 0))])
def test_a_tiff_with_opacity_is_drawn_as_it_looks(extra: int, shown: tuple[int, int, int]) -> None:
    pixel = bytes((0, 0, 0, 0))  # black that is seen through, unless the fourth channel says nothing
    numbers = {256: 8, 257: 8, 258: 8, 259: 1, 262: 2, 273: 8, 277: 4, 278: 8, 279: 256, 338: extra}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in numbers.items())
    at = 8 + 256
    tiff = b"II*\0" + struct.pack("<I", at) + pixel * 64 + struct.pack("<H", len(numbers)) + entries + bytes(4)
    picture = render_page(tiff, 1, 100)
    assert unpack_pixel(picture, 50, 50) == shown


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0\x08\0\0\0\xff", b"MM\0*"])
def test_a_picture_that_is_cut_off_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(FileSkipped, match="not a readable picture"):
        wrap_picture(content)


def test_a_picture_of_too_many_pixels_is_refused() -> None:
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (90_000).to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0"
    with pytest.raises(FileSkipped, match="90000 by 90000 pixels"):
        wrap_picture(header)


@pytest.mark.parametrize(
    ("passed", "used", "seconds"), [(1.0, 1.0, 20), (0.5, 1.0, 20), (8.0, 1.0, 160), (90.0, 1.0, 600), (0.0, 0.0, 20)]
)
def test_a_busy_machine_has_more_time_for_a_page(passed: float, used: float, seconds: float) -> None:
    assert stretch_seconds(20, passed, used) == seconds
