"""Headings, lists, captions and tables of a Word document, as a reader of the document sees them."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.office.list_numbers import write_number
from elcano.subjects.documents.office.properties import choose_authors, choose_title
from elcano.subjects.documents.office.word_documents import read_word
from tests.unit.subjects.documents.word_files import docx, field, p, pack, r, read_body, read_texts, tbl, tc, tr

STYLES = (
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="own"><w:name w:val="Kapitel"/><w:basedOn w:val="berschrift1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="level"><w:name w:val="X"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr>'
    "</w:style>"
    '<w:style w:type="paragraph" w:styleId="cn"><w:name w:val="标题 2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="t"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="c"><w:name w:val="caption"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="toc"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="loop"><w:name w:val="L"/><w:basedOn w:val="loop"/></w:style>'
    '<w:style w:type="table" w:styleId="dark"><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:fill="1F3864"/>'
    "</w:tcPr></w:tblStylePr></w:style>"
    '<w:style w:type="paragraph" w:styleId="item"><w:name w:val="item"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>'
    "</w:pPr></w:style>"
)


def styled(text: str, style: str) -> str:
    return p(text, f'<w:pStyle w:val="{style}"/>')


@pytest.mark.parametrize(
    ("style", "level"), [("berschrift1", 1), ("own", 1), ("level", 3), ("cn", 2), ("t", 1), ("loop", 0), ("none", 0)]
)
def test_headings_are_known_by_what_their_style_inherits(style: str, level: int) -> None:
    block = read_body(styled("Tides", style), styles=STYLES).blocks[0]
    assert (block.kind, block.level) == ("heading" if level else "text", level)


def test_a_paragraph_overrules_the_level_of_its_style_and_a_long_one_is_text() -> None:
    body = p("Tides", '<w:outlineLvl w:val="1"/>') + p("Tides", '<w:pStyle w:val="own"/><w:outlineLvl w:val="9"/>')
    body += p("Tides rise. " * 40, '<w:outlineLvl w:val="0"/>')
    assert [(block.kind, block.level) for block in read_body(body, styles=STYLES).blocks] == [
        ("heading", 2),
        ("text", 0),
        ("text", 0),
    ]


def test_captions_are_known_by_their_style_or_by_what_they_count() -> None:
    counted = p(f"{r('Table ')}{field('SEQ Table', r('1'))}{r('. Rain')}")
    equation = p(f"{r('E = 1 (')}{field('SEQ Equation', r('1'))}{r(')')}")
    blocks = read_body(
        styled("Figure 1. Rain", "c") + counted + equation + styled("One 1", "toc"), styles=STYLES
    ).blocks
    assert [(block.kind, block.text) for block in blocks] == [
        ("caption", "Figure 1. Rain"),
        ("caption", "Table 1. Rain"),
        ("text", "E = 1 (1)"),
    ]


def level(number: int, kind: str, text: str, more: str = "") -> str:
    start = f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
    return f'{start}<w:lvlText w:val="{text}"/>{more}</w:lvl>'


def font(name: str) -> str:
    return f'<w:rPr><w:rFonts w:ascii="{name}"/></w:rPr>'


def numbered(number: int, abstract: int, more: str = "") -> str:
    return f'<w:num w:numId="{number}"><w:abstractNumId w:val="{abstract}"/>{more}</w:num>'


START_AT_SEVEN = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
NUMBERING = (
    f'<w:abstractNum w:abstractNumId="1">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%1.%2)")}'
    f"{level(2, 'decimal', '%1.%2.%3', '<w:isLgl/>')}</w:abstractNum>"
    f'<w:abstractNum w:abstractNumId="2">{level(0, "bullet", chr(0xF0B7), font("Symbol"))}'
    f"{level(1, 'bullet', chr(0xF0A8), font('Wingdings'))}</w:abstractNum>"
    f"{numbered(1, 1)}{numbered(2, 2)}{numbered(3, 1)}{numbered(4, 1, START_AT_SEVEN)}"
)


def item(text: str, number: int = 1, depth: int = 0) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


def test_lists_are_numbered_as_they_are_printed() -> None:
    body = item("a") + item("b", depth=1) + item("c", depth=1) + item("d", depth=2) + item("e") + item("f", depth=1)
    blocks = read_body(body, numbering=NUMBERING).blocks
    assert [block.kind for block in blocks] == ["list"]
    assert blocks[0].text == "1. a\n  1.a) b\n  1.b) c\n    1.2.1 d\n2. e\n  2.a) f"


def test_a_list_goes_on_after_other_text_and_begins_again_where_it_says_so() -> None:
    body = item("a") + p("Between.") + item("b", 3) + item("c", 4) + item("d", 4) + item("", 1) + item("e")
    assert read_texts(body, numbering=NUMBERING) == ["1. a", "Between.", "2. b\n7. c\n8. d\n10. e"]


def test_levels_that_are_skipped_count_as_one() -> None:
    body = item("a") + item("b") + item("c", depth=2) + item("d", depth=1)
    assert read_texts(body, numbering=NUMBERING) == ["1. a\n2. b\n    2.1.1 c\n  2.b) d"]


def test_bullets_are_dots_unless_they_say_something() -> None:
    assert read_texts(item("a", 2) + item("b", 2, 1), numbering=NUMBERING) == ["• a\n  □ b"]


def test_headings_keep_their_printed_numbers_and_styles_their_lists() -> None:
    heading = p("Tides", '<w:pStyle w:val="own"/><w:numPr><w:numId w:val="1"/></w:numPr>')
    body = (
        heading + styled("one", "item") + p("none", '<w:pStyle w:val="item"/><w:numPr><w:numId w:val="0"/></w:numPr>')
    )
    assert read_texts(body, styles=STYLES, numbering=NUMBERING) == ["1. Tides", "2. one", "none"]


def cells_of(body: str, **parts: str) -> list[tuple[str, int, int, int, int, bool]]:
    block = read_body(body, None, **parts).blocks[0]
    return [
        (block.text[cell.start : cell.end], cell.row, cell.column, cell.rows, cell.columns, cell.head)
        for cell in block.cells
    ]


def test_equal_neighbours_stay_apart_and_empty_cells_stay() -> None:
    body = tbl(tr("a", "12", "12"), tr("", "3", ""))
    assert read_texts(body) == ["a | 12 | 12\n | 3 | "]
    assert [cell[0] for cell in cells_of(body)] == ["a", "12", "12", "", "3", ""]


def test_merged_cells_are_known_by_the_grid() -> None:
    across, down, on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = tbl(
        tr(tc("Year", across), "Sum", properties="<w:tblHeader/>"),
        tr(tc("North", down), "1", "2"),
        tr(tc("", on), "3", "4"),
    )
    assert read_texts(body) == ["Year |  | Sum\nNorth | 1 | 2\n | 3 | 4"]
    assert cells_of(body) == [
        ("Year", 0, 0, 1, 2, True),
        ("Sum", 0, 2, 1, 1, True),
        ("North", 1, 0, 2, 1, False),
        ("1", 1, 1, 1, 1, False),
        ("2", 1, 2, 1, 1, False),
        ("3", 2, 1, 1, 1, False),
        ("4", 2, 2, 1, 1, False),
    ]


def test_rows_that_begin_late_keep_their_columns_and_unused_ones_are_left_out() -> None:
    wide = '<w:gridSpan w:val="3"/>'
    body = tbl(tr(tc("a", wide), tc("b", wide)), tr(tc("c", wide), properties='<w:gridBefore w:val="3"/>'))
    assert read_texts(body) == ["a | b\n | c"]
    assert [cell[3:5] for cell in cells_of(body)] == [(1, 1)] * 4


def test_a_head_is_known_by_its_style_or_by_being_the_only_bold_row() -> None:
    bold = [tc(p(r(text, "<w:b/>"))) for text in "ab"]
    assert [cell[5] for cell in cells_of(tbl(tr(*bold), tr("c", "d")))] == [True, True, False, False]
    assert [cell[5] for cell in cells_of(tbl(tr(*bold), tr(*bold)))] == [False] * 4
    look = '<w:tblStyle w:val="dark"/><w:tblLook w:val="0020"/>'
    white = tc(p(r("a", '<w:color w:val="FFFFFF"/>')))
    assert [cell[::5] for cell in cells_of(tbl(tr(white, "b"), tr("c", "d"), properties=look), styles=STYLES)] == [
        ("a", True),
        ("b", True),
        ("c", False),
        ("d", False),
    ]


def test_cells_hold_paragraphs_lists_and_breaks_on_one_line() -> None:
    cell = tc(p("One.") + item("two") + p("<w:r><w:t>three</w:t><w:br/><w:t>four</w:t></w:r>"))
    assert read_texts(tbl(tr(cell, "b")), numbering=NUMBERING) == ["One. 1. two three four | b"]


def test_a_nested_table_follows_its_own_and_a_single_cell_is_a_frame() -> None:
    inner = tbl(tr("x", "y"))
    assert read_texts(tbl(tr("a", tc(p("b") + inner + p(""))))) == ["a | b", "x | y"]
    blocks = read_body(tbl(tr(tc(p("Framed.") + p(""))))).blocks
    assert [(block.kind, block.text) for block in blocks] == [("text", "Framed.")]


def test_controls_may_wrap_tables_rows_and_cells() -> None:
    wrapped = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>".format
    body = wrapped(tbl(wrapped(tr("a", wrapped(tc("b")))), tr("c", "d")))
    assert read_texts(body) == ["a | b\nc | d"]


def test_numbers_of_paragraphs_count_paragraphs_and_tables() -> None:
    blocks = read_body(p("a") + p("") + tbl(tr("b", "c")) + p("d")).blocks
    assert [block.paragraph for block in blocks] == [1, 3, 4]


def test_spans_without_end_take_no_memory() -> None:
    body = tbl(
        tr(tc("a", '<w:gridSpan w:val="999999999"/>'), "b"), tr("c", properties='<w:gridBefore w:val="999999"/>')
    )
    assert read_texts(body) == ["a | b\n | c"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (docx(p("x"))[:-60], "it is not a readable Word document: it may be damaged or cut off"),
        (pack({"a.txt": "x"}), "it is not a readable Word document: word/document.xml is missing"),
        (
            pack({"word/document.xml": "<w:document"}),
            "it is not a readable Word document: word/document.xml is no XML, or",
        ),
        (
            pack({"word/document.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}),
            "it is not a readable Word document: word/document.xml declares entities",
        ),
    ],
)
def test_what_cannot_be_read_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(FileSkipped) as caught:
        read_word(content)
    assert str(caught.value).startswith(reason)


@pytest.mark.parametrize("suffix", [".docx", ".docm", ".dotx", ".dotm"])
def test_documents_with_macros_and_templates_are_read_alike(suffix: str) -> None:
    assert parse_document(f"a{suffix}", docx(p("Text."))).text == "Text."


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("On  tides", "On tides"),
        ("Microsoft Word - x.doc", ""),
        ("untitled", ""),
        ("Document1", ""),
        ("report_final.docx", ""),
        ("PowerPoint Presentation", ""),
        ("2019", ""),
        ("Word order in Latin", "Word order in Latin"),
    ],
)
def test_titles_that_programs_write_are_not_believed(said: str, title: str) -> None:
    assert choose_title(said) == title


def test_accounts_are_no_authors() -> None:
    assert choose_authors("Microsoft Office User") == choose_authors("user") == choose_authors("python-docx") == ()
    assert choose_authors("Jane Doe; Ann Roe") == ("Jane Doe", "Ann Roe")


@pytest.mark.parametrize(
    ("number", "style", "written"),
    [
        (4, "lowerRoman", "iv"),
        (1994, "upperRoman", "MCMXCIV"),
        (28, "lowerLetter", "bb"),
        (22, "ordinal", "22nd"),
        (21, "cardinalText", "Twenty-one"),
        (12, "chineseCounting", "十二"),
        (3, "decimalEnclosedCircle", "③"),
        (7, "decimalZero", "07"),
        (10**8, "lowerLetter", "100000000"),
        (10**8, "lowerRoman", "100000000"),
        (5, "unknown", "5"),
        (0, "lowerRoman", "0"),
    ],
)
def test_numbers_of_lists(number: int, style: str, written: str) -> None:
    assert write_number(number, style) == written
