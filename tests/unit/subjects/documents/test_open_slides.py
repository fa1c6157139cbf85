"""Slides of OpenDocument are read as people read them: by place, with notes and comments apart."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.open_slides import read_odp
from tests.unit.subjects.documents.office_files import package

NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        *((name, name) for name in ("office", "text", "table", "style", "presentation")),
        ("draw", "drawing"),
        ("svg", "svg-compatible"),
    )
)
HIDDEN = (
    '<style:style style:name="dp2" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)


def box(text: str, x: str, y: str, kind: str = "") -> str:
    """A box of text, 5 cm wide and 2 cm high."""
    return (
        f'<draw:frame svg:x="{x}" svg:y="{y}" svg:width="5cm" svg:height="20mm" presentation:class="{kind}">'
        f"<draw:text-box>{text}</draw:text-box></draw:frame>"
    )


def odp(*slides: str) -> bytes:
    content = (
        f"<office:document-content {NAMESPACES}><office:automatic-styles>{HIDDEN}</office:automatic-styles>"
        f"<office:body><office:presentation>{''.join(slides)}</office:presentation></office:body>"
        "</office:document-content>"
    )
    return package({"mimetype": "application/vnd.oasis.opendocument.presentation", "content.xml": content})


def test_a_slide_is_a_page_with_its_title_first_and_the_rest_by_place() -> None:
    table = "<table:table><table:table-row><table:table-cell><text:p>Brest</text:p></table:table-cell>"
    table += "<table:table-cell><text:p>7.5 m</text:p></table:table-cell></table:table-row><table:table-row>"
    table += "<table:table-cell><text:p>Ystad</text:p></table:table-cell></table:table-row></table:table>"
    frame = '<draw:frame svg:x="1cm" svg:y="9cm" svg:width="5cm" svg:height="1in">'
    slide = (
        f"{frame}{table}</draw:frame>{box('<text:p>right</text:p>', '8cm', '4cm')}"
        f"<draw:g>{box('<text:p>left</text:p>', '1cm', '4cm')}</draw:g>"
        f"{box('<text:p>Tides</text:p>', '1cm', '1cm', 'title')}"
        f"{box('<text:p>7</text:p>', '1cm', '18cm', 'page-number')}"
        "<office:annotation><text:p>Sure?</text:p></office:annotation><presentation:notes>"
        f"{box('<text:p>Say why.</text:p>', '1cm', '12cm', 'notes')}</presentation:notes>"
    )
    parsed = read_odp(odp("<draw:page/>", f"<draw:page>{slide}</draw:page>"))
    assert [(block.page, block.kind, block.text) for block in parsed.blocks] == [
        (2, "heading", "Tides"),
        (2, "text", "left"),
        (2, "text", "right"),
        (2, "table", "Brest | 7.5 m\nYstad | "),
        (2, "comment", "Sure?"),
        (2, "note", "Say why."),
    ]


def test_hidden_slides_and_slides_of_pictures_are_named() -> None:
    picture = '<draw:page><draw:frame><draw:image xlink:href="a.png" xmlns:xlink="http://www.w3.org/1999/xlink"/>'
    slides = (
        f"<draw:page>{box('<text:p>Seen.</text:p>', '1cm', '1cm')}</draw:page>",
        f"{picture}</draw:frame></draw:page>",
    )
    hidden = f'<draw:page draw:style-name="dp2">{box("<text:p>Unseen.</text:p>", "1cm", "1cm")}</draw:page>'
    parsed = read_odp(odp(*slides, hidden))
    assert [block.text for block in parsed.blocks] == ["Seen."]
    assert [(gap.reason.partition(":")[0], gap.pages, gap.unread) for gap in parsed.gaps] == [
        ("slide 2", (2,), True),
        ("slide 3", (3,), False),
    ]


def test_a_file_without_slides_is_refused() -> None:
    text = f"<office:document-content {NAMESPACES}><office:body><office:text/></office:body></office:document-content>"
    with pytest.raises(FileSkipped, match="it has no slides in its body"):
        read_odp(package({"content.xml": text}))
