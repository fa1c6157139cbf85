"""OpenDocument texts are read as a reader of the document sees them."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.office.odf_documents import read_odf
from tests.unit.subjects.documents.word_files import ODF_NAMESPACES, odt, pack, read_odt

STYLES = (
    '<style:style style:name="T1" style:family="text"><style:text-properties style:text-position="super 58%"/>'
    "</style:style>"
    '<style:style style:name="T2" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="T3" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>'
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    '<style:style style:name="Title" style:family="paragraph"/>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" '
    'style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" '
    'text:display-levels="2"/></text:list-style>'
    '<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="\uf0b7"/>'
    "</text:list-style>"
)


def texts(body: str, styles: str = STYLES, **parts: str) -> list[str]:
    return [text for _, text in read_odt(body, styles, **parts)]


def test_sentences_keep_their_spaces_exponents_and_breaks() -> None:
    body = (
        '<text:p>It is   10<text:span text:style-name="T1">6</text:span> or<text:s text:c="3"/>more<text:tab/>x'
        "<text:line-break/>y\n  z</text:p>"
    )
    assert texts(body) == ["It is 10⁶ or more\tx\ny z"]


def test_deletions_hidden_text_and_indexes_are_left_out() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>Deleted.</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes><text:table-of-content><text:index-body><text:p>One 1</text:p>"
        "</text:index-body></text:table-of-content>"
        '<text:p>Seen<text:span text:style-name="T2"> hidden</text:span><text:span text:style-name="T3"> white'
        '</text:span>.</text:p><text:section text:display="none"><text:p>Not shown.</text:p></text:section>'
    )
    parsed = read_odf(odt(body, STYLES))
    assert [block.text for block in parsed.blocks] == ["Seen."]
    assert [(gap.reason, gap.unread) for gap in parsed.gaps] == [
        ("4 words that cannot be seen (hidden, white or tiny text) were left out", False)
    ]


def note(kind: str, mark: str, text: str) -> str:
    return (
        f'<text:note text:note-class="{kind}"><text:note-citation>{mark}</text:note-citation><text:note-body>'
        f"<text:p>{text}</text:p></text:note-body></text:note>"
    )


def test_notes_and_comments_stand_apart_from_numbers() -> None:
    comment = "<office:annotation><dc:creator>A</dc:creator><text:p>Really?</text:p></office:annotation>"
    body = (
        f"<text:p>It cost 320{note('footnote', '1', 'Census.')}{note('endnote', 'i', 'Later.')}{comment} a year."
        "</text:p>"
        "<text:p>Next.</text:p>"
    )
    assert read_odt(body) == [
        ("text", "It cost 320 a year."),
        ("note", "[1] Census."),
        ("text", "Next."),
        ("note", "[i] Later."),
        ("comment", "Really?"),
    ]


def test_headings_titles_and_captions() -> None:
    outline = (
        f"<office:document-styles {ODF_NAMESPACES}><office:styles><text:outline-style><text:outline-level-style "
        'text:level="1" style:num-format="1" style:num-suffix="."/></text:outline-style></office:styles>'
        "</office:document-styles>"
    )
    body = (
        '<text:p text:style-name="P1">On tides</text:p><text:h text:outline-level="1">Rain</text:h>'
        '<text:h text:outline-level="2">Snow</text:h>'
        '<text:p>Table <text:sequence text:name="Table">1</text:sequence>. Rain</text:p>'
    )
    parsed = read_odf(odt(body, STYLES, **{"styles": outline}))
    assert parsed.title == "On tides"
    assert [(block.kind, block.level, block.text) for block in parsed.blocks] == [
        ("heading", 1, "On tides"),
        ("heading", 1, "1. Rain"),
        ("heading", 2, "Snow"),
        ("caption", 0, "Table 1. Rain"),
    ]


def listed(*items: str, attributes: str = "") -> str:
    inner = "".join(f"<text:list-item>{one}</text:list-item>" for one in items)
    return f'<text:list text:style-name="L1" {attributes}>{inner}</text:list>'


def test_lists_are_numbered_and_go_on_where_they_say_so() -> None:
    inner = "<text:list><text:list-item><text:p>b</text:p></text:list-item></text:list>"
    body = (
        listed(f"<text:p>a</text:p>{inner}", "<text:p>c</text:p><text:p>same item</text:p>", attributes='xml:id="x"')
        + "<text:p>Between.</text:p>"
        + listed("<text:p>d</text:p>", attributes='text:continue-list="x"')
        + "<text:p>Again.</text:p>"
        + listed("<text:p>e</text:p>", attributes='xml:id="x"')
        + '<text:list text:style-name="L2"><text:list-item><text:p>f</text:p></text:list-item></text:list>'
    )
    assert texts(body) == ["1. a\n  1.a) b\n2. c", "same item", "Between.", "3. d", "Again.", "1. e\n• f"]


def test_lists_in_lists_have_their_own_style_or_that_of_their_paragraphs() -> None:
    item = "<text:list-item><text:p{}>{}</text:p>{}</text:list-item>".format
    inner = f'<text:list text:style-name="L2">{item("", "b", "")}</text:list>'
    styles = STYLES + (
        '<text:list-style style:name="L3"><text:list-level-style-number text:level="1" style:num-format="A" '
        'style:num-suffix=")"/></text:list-style>'
        '<style:style style:name="P3" style:family="paragraph" style:list-style-name="L3"/>'
    )
    body = "<text:p>Or</text:p>".join(
        f"<text:list{style}>{inside}</text:list>"
        for style, inside in (
            (' text:style-name="L3"', item("", "a", "")),
            ("", item(' text:style-name="P3"', "c", "")),
            (' text:style-name="L1"', item("", "d", inner)),
        )
    )
    two = '<text:list-level-style-bullet text:level="2" text:bullet-char="\u2013"/></text:list-style>'
    styles = styles.replace('text:bullet-char="\uf0b7"/></text:list-style>', f'text:bullet-char="\uf0b7"/>{two}')
    assert texts(body, styles) == ["A) a", "Or", "A) c", "Or", "1. d\n  \u2013 b"]


def test_tables_keep_spans_heads_and_repeated_cells() -> None:
    cell = "<table:table-cell{}><text:p>{}</text:p></table:table-cell>".format
    covered = "<table:covered-table-cell/>"
    row = "<table:table-row{}>{}</table:table-row>".format
    body = (
        "<table:table><table:table-header-rows>"
        + row("", cell(' table:number-columns-spanned="2"', "Year") + covered + cell("", "Sum"))
        + "</table:table-header-rows>"
        + row("", cell(' table:number-rows-spanned="2"', "North") + cell(' table:number-columns-repeated="2"', "12"))
        + row("", covered + cell("", "3") + cell("", ""))
        + row(' table:number-rows-repeated="1048576"', cell(' table:number-columns-repeated="16384"', ""))
        + "</table:table>"
    )
    block = read_odf(odt(body)).blocks[0]
    assert block.text == "Year |  | Sum\nNorth | 12 | 12\n | 3 | "
    assert [(block.text[one.start : one.end], *one[2:]) for one in block.cells] == [
        ("Year", 0, 0, 1, 2, True),
        ("Sum", 0, 2, 1, 1, True),
        ("North", 1, 0, 2, 1, False),
        ("12", 1, 1, 1, 1, False),
        ("12", 1, 2, 1, 1, False),
        ("3", 2, 1, 1, 1, False),
        ("", 2, 2, 1, 1, False),
    ]


FORMULA = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mn>3</mn><mn>4</mn></mfrac></math>'


def test_formulas_boxes_and_charts_are_read_from_their_objects() -> None:
    chart = (
        f"<office:document-content {ODF_NAMESPACES}><office:body><office:chart><chart:chart><chart:title><text:p>Rain"
        "</text:p></chart:title><table:table><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell>"
        "<table:table-cell><text:p>4.4</text:p></table:table-cell></table:table-row></table:table></chart:chart>"
        "</office:chart></office:body></office:document-content>"
    )
    body = (
        '<text:p>It is <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame> here.'
        "<draw:frame><draw:text-box><text:p>In the box.</text:p></draw:text-box></draw:frame>"
        '<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame>'
        '<draw:frame><draw:object-ole xlink:href="./Object 3"/></draw:frame></text:p>'
    )
    parsed = read_odf(odt(body, **{"Object 1__content": FORMULA, "Object 2__content": chart}))
    assert [(block.kind, block.text) for block in parsed.blocks] == [
        ("text", "It is 3/4 here."),
        ("text", "In the box."),
        ("caption", "Rain"),
        ("table", "May | 4.4"),
    ]
    assert [gap.reason for gap in parsed.gaps] == ["1 embedded object (OLE) was not read: save it as a file of its own"]


def test_a_document_in_one_file_is_read_alike() -> None:
    flat = (
        f"<office:document {ODF_NAMESPACES}><office:meta><dc:title>On tides</dc:title><meta:initial-creator>Jane Doe"
        "</meta:initial-creator></office:meta><office:body><office:text><text:p>Flat.</text:p></office:text></office:body>"
        "</office:document>"
    )
    document = parse_document("a.fodt", flat.encode())
    assert (document.title, document.authors, document.text) == ("On tides", ("Jane Doe",), "Flat.")


def test_ids_that_are_repeated_do_no_harm() -> None:
    body = '<text:p xml:id="1">a</text:p><text:p xml:id="x">b</text:p><text:p xml:id="x">c</text:p>'
    assert texts(body) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "it is not a readable OpenDocument text: it may be damaged"),
        (b"<office", "it is not a readable OpenDocument text: it is no XML"),
        (b"<office/>", "it is not a readable OpenDocument text: it has no text in its body"),
        (pack({"a": "b"}), "it is not a readable OpenDocument text: content.xml is missing"),
        (
            pack(
                {
                    "content.xml": "x",
                    "META-INF/manifest.xml": "<m:manifest xmlns:m='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'>"
                    "<m:encryption-data/></m:manifest>",
                }
            ),
            "it is encrypted: save a copy without a password",
        ),
    ],
)
def test_what_cannot_be_read_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(FileSkipped) as caught:
        read_odf(content)
    assert str(caught.value).startswith(reason)
