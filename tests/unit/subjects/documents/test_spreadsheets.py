"""Workbooks and CSV as documents: tables with their heads and cells, and figures as the spreadsheet shows them."""

import pytest

from elcano.activities.passages.document import Block, FileSkipped, Parsed
from elcano.subjects.documents.csv_tables import read_csv, read_tsv
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.number_formats import format_number, format_text
from elcano.subjects.documents.open_spreadsheets import read_ods
from elcano.subjects.documents.sheets import MOST_CELLS
from elcano.subjects.documents.workbooks import read_xlsx
from tests.unit.subjects.documents.office_files import package, relationships, sheet_xml, workbook

COSTS: list[list[object]] = [["Site", "Area", "Cost"], ["Brest", 12, 340], ["Lorient", 7, 90]]


def tables(parsed: Parsed) -> list[Block]:
    return [block for block in parsed.blocks if block.kind == "table"]


def texts(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed.blocks]


def test_a_sheet_is_a_table_under_its_name_with_its_place() -> None:
    parsed = read_xlsx(workbook({"Costs": sheet_xml(COSTS)}))
    assert texts(parsed) == [
        ("heading", "Costs"),
        ("table", "Site | Area | Cost\nBrest | 12 | 340\nLorient | 7 | 90"),
    ]
    (table,) = tables(parsed)
    assert table.anchor == "Costs!A1:C3"
    found = {(cell.row, cell.column): cell for cell in table.cells}
    assert len(found) == 9
    assert table.text[found[2, 1].start : found[2, 1].end] == "7"
    assert [found[0, at].head for at in range(3)] == [True, True, True]
    assert (found[1, 0].head, found[1, 1].head) == (True, False), "the first column names the rows"


def test_a_workbook_without_a_title_is_called_like_its_file() -> None:
    assert parse_document("budget.xlsx", workbook({"Sheet1": sheet_xml(COSTS)})).title == "budget"


def test_tables_of_one_sheet_are_apart_and_keep_what_stands_around_them() -> None:
    rows: list[list[object]] = [
        ["Costs of ports"],
        ["Site", "Cost"],
        ["Brest", 340],
        ["Source: the harbour office"],
        [],
        [],
        ["Year", "Ships"],
        [2020, 12],
        [2021, 14],
    ]
    parsed = read_xlsx(workbook({"S": sheet_xml(rows)}))
    assert texts(parsed)[1:] == [
        ("caption", "Costs of ports"),
        ("table", "Site | Cost\nBrest | 340"),
        ("note", "Source: the harbour office"),
        ("table", "Year | Ships\n2020 | 12\n2021 | 14"),
    ]
    assert [table.anchor for table in tables(parsed)] == ["S!A2:B3", "S!A7:B9"]


def test_a_table_goes_on_after_an_empty_row() -> None:
    rows: list[list[object]] = [["Site", "Cost"], ["Brest", 340], [], ["Lorient", 90]]
    (table,) = tables(read_xlsx(workbook({"S": sheet_xml(rows)})))
    assert table.text == "Site | Cost\nBrest | 340\n | \nLorient | 90"


def test_tables_side_by_side_are_apart_and_a_form_with_a_gap_is_one() -> None:
    rows: list[list[object]] = [["Site", "Cost", None, "Year", "Ships"], ["Brest", 340, None, 2020, 12]]
    assert [one.text for one in tables(read_xlsx(workbook({"S": sheet_xml(rows)})))] == [
        "Site | Cost\nBrest | 340",
        "Year | Ships\n2020 | 12",
    ]
    form = [["1.1", None, "Rated voltage", "kV", 130], ["1.2", None, "Frequency", "Hz", 50]]
    (table,) = tables(read_xlsx(workbook({"S": sheet_xml(form)})))
    assert table.text == "1.1 |  | Rated voltage | kV | 130\n1.2 |  | Frequency | Hz | 50"


def test_merged_cells_are_one_cell_and_heads_of_two_rows_are_heads() -> None:
    rows: list[list[object]] = [
        ["Site", "2020", None, "2021", None],
        [None, "Area", "Cost", "Area", "Cost"],
        ["Brest", 12, 340, 13, 350],
    ]
    merges = '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/><mergeCell ref="D1:E1"/></mergeCells>'
    (table,) = tables(read_xlsx(workbook({"S": sheet_xml(rows, after=merges)})))
    assert table.text == "Site | 2020 |  | 2021 | \n | Area | Cost | Area | Cost\nBrest | 12 | 340 | 13 | 350"
    spans = {(cell.row, cell.column): (cell.rows, cell.columns) for cell in table.cells}
    assert spans[0, 0] == (2, 1)
    assert spans[0, 1] == (1, 2)
    assert (0, 2) not in spans
    assert all(cell.head for cell in table.cells if cell.row < 2)


def test_embedded_documents_are_counted() -> None:
    related = {"rId1": ("oleObject", "../embeddings/a.bin"), "rId2": ("package", "../embeddings/b.docx")}
    parts = {"xl/worksheets/_rels/sheet1.xml.rels": relationships(related)}
    (gap,) = read_xlsx(workbook({"Costs": sheet_xml(COSTS)}, parts=parts)).gaps
    assert gap.reason == "2 embedded objects of Costs were not read: save each as a file of its own"


def test_what_is_hidden_is_left_out_and_reported() -> None:
    columns = '<cols><col min="2" max="2" hidden="1"/></cols>'
    sheet = sheet_xml(COSTS, before=columns).replace('<row r="3"', '<row r="3" hidden="1"')
    parsed = read_xlsx(workbook({"Shown": sheet, "Secret": sheet_xml(COSTS)}, hidden=["Secret"]))
    assert [table.text for table in tables(parsed)] == ["Site |  | Cost\nBrest |  | 340"]
    assert [(gap.reason, gap.unread) for gap in parsed.gaps] == [
        ("left out of Shown: 1 hidden row and 1 hidden column", False),
        ("the hidden sheet Secret was left out", False),
    ]


def test_cells_beyond_the_columns_that_are_read_are_reported() -> None:
    far = '<c r="XFD1" t="inlineStr"><is><t>far</t></is></c></row>'
    parsed = read_xlsx(workbook({"Costs": sheet_xml(COSTS).replace("</row>", far, 1)}))
    (gap,) = parsed.gaps
    assert gap.reason.startswith("what Costs has beyond column 1,000 was not read: name the file in")
    assert gap.unread


def test_formulas_without_values_are_reported_and_others_show_their_value() -> None:
    rows: list[list[object]] = [["Site", "Cost"], ["Brest", b"<f>A1*2</f><v>680</v>"], ["Lorient", b"<f>A2*2</f>"]]
    parsed = read_xlsx(workbook({"Sheet1": sheet_xml(rows)}))
    assert tables(parsed)[0].text == "Site | Cost\nBrest | 680\nLorient |"[:-2] + " | "
    assert [gap.reason for gap in parsed.gaps] == [
        "formulas of Sheet1 have no stored values: save it in a spreadsheet program"
    ]


def test_comments_and_text_boxes_are_apart_from_the_cells() -> None:
    comment = '<comment ref="C2"><text><r><t>Too low?</t></r></text></comment>'
    comments = f"<comments><commentList>{comment}</commentList></comments>"
    drawing = '<d xmlns:a="u"><a:txBody><a:p><a:r><a:t>A box.</a:t></a:r></a:p></a:txBody></d>'
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relationships(
            {"r1": ("comments", "../comments1.xml"), "r2": ("drawing", "../drawings/drawing1.xml")}
        ),
        "xl/comments1.xml": comments,
        "xl/drawings/drawing1.xml": drawing,
    }
    parsed = read_xlsx(workbook({"S": sheet_xml(COSTS)}, parts=parts))
    assert texts(parsed)[2:] == [("text", "A box."), ("comment", "Too low?")]
    assert parsed.blocks[-1].anchor == "S!C2"


def test_a_sheet_of_more_cells_than_are_read_says_where_it_was_left() -> None:
    row = "".join(f'<c r="{letter}{{0}}"><v>1</v></c>' for letter in "ABCDEFGHIJ")
    rows = "".join(f'<row r="{number}">{row.format(number)}</row>' for number in range(1, MOST_CELLS // 10 + 100))
    sheet = sheet_xml([]).replace("<sheetData>", f"<sheetData>{rows}")
    parsed = read_xlsx(workbook({"Big": sheet}))
    (table,) = tables(parsed)
    assert len(table.cells) == MOST_CELLS
    assert parsed.gaps[0].reason.startswith(
        "the rows of Big from 20,001 on were not read: name the file in ELCANO_DATABASES"
    )


def test_entities_and_missing_parts_cost_one_sheet() -> None:
    bomb = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + sheet_xml([["&b;"]]).replace(
        "&amp;", "&"
    )
    parsed = read_xlsx(workbook({"Bomb": bomb, "Costs": sheet_xml(COSTS)}))
    assert "aaaa" not in "".join(block.text for block in parsed.blocks)
    assert tables(parsed)
    content = workbook({"Costs": sheet_xml(COSTS)}).replace(b"worksheets/sheet1.xml", b"worksheets/sheetX.xml")
    with pytest.raises(FileSkipped, match="the sheet Costs was left out"):
        read_xlsx(content)


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (0.305, "0%", "31%"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234567, "#,##0,", "1,235"),
        (-5, "0.00;[Red](0.00)", "(5.00)"),
        (0, '0;-0;"-"', "-"),
        (7, "00000", "00007"),
        (12345.678, "[$\u20ac-407] #,##0.00", "\u20ac 12,345.68"),
        (0.00001234, "0.00E+00", "1.23E-05"),
        (2.75, "# ?/?", "2 3/4"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (45000.75, "yyyy-mm-dd hh:mm", "2023-03-15 18:00"),
        (45000, "d-mmm-yy", "15-Mar-23"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (1.5, "[h]:mm", "36:00"),
        (45000.123456, "mm:ss.0", "57:46.6"),
        (1, '0" kg"', "1 kg"),
        (5, "[>=10]0.0;[<10]0.00", "5.00"),
        (0.1 + 0.2, "General", "0.3"),
        (3.14159265358979, "General", "3.141592654"),
        (123456789012, "General", "123456789012"),
        (1e20, "General", "1E+20"),
        (-3, "0", "-3"),
        (-0.001, "0.00", "0.00"),
    ],
)
def test_numbers_read_as_the_spreadsheet_shows_them(value: float, code: str, shown: str) -> None:
    assert format_number(value, code) == shown


def test_a_format_that_shows_nothing_shows_nothing() -> None:
    assert format_text("secret", ";;;") == ""
    sheet = sheet_xml([["Site", "Rate"], ["Brest", (0.125, 1)], [("secret", 2), (5, 2)]])
    parsed = read_xlsx(workbook({"S": sheet}, formats=["0.0%", ";;;"]))
    assert tables(parsed)[0].text == "Site | Rate\nBrest | 12.5%"


ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><style:style style:name="off">'
    "<style:table-properties "
    'table:display="false"/></style:style><office:body>{}</office:body></office:document-content>'
)


def test_a_spreadsheet_of_libreoffice_shows_what_its_cells_show() -> None:
    row = (
        '<table:table-row><table:table-cell office:value-type="string"><text:p>Brest <text:span>'
        "port</text:span></text:p>"
        '</table:table-cell><table:table-cell office:value-type="currency" office:value="340"><text:p>'
        "340.00 \u20ac</text:p>"
        "</table:table-cell></table:table-row>"
    )
    head = (
        "<table:table-row><table:table-cell><text:p>Site</text:p></table:table-cell><table:table-cell><text:p>Cost</text:p>"
        '</table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048570"><table:table-cell/>'
        "</table:table-row>"
    )
    first = head.partition("<table:table-row table")[0]
    body = (
        f'<table:table table:name="Costs">{first}{row}</table:table>'
        f'<table:table table:name="Secret" table:style-name="off">{head}{row}</table:table>'
    )
    parsed = read_ods(
        package({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": ODS.format(body)})
    )
    assert [table.text for table in tables(parsed)] == ["Site | Cost\nBrest port | 340.00 \u20ac"]
    assert [gap.reason for gap in parsed.gaps] == ["the hidden sheet Secret was left out"]


@pytest.mark.parametrize(
    "content",
    [
        b"site,cost\nBrest,007\n",
        b"site;cost\nBrest;007\n",
        b"site\tcost\r\nBrest\t007\r\n",
        b'\xef\xbb\xbfsep=|\nsite|"cost"\nBrest|007',
        "site,cost\nBrest,007\n".encode("utf-16"),
    ],
)
def test_csv_is_a_table_whatever_parts_its_values_and_these_stay_text(content: bytes) -> None:
    (table,) = read_csv(content).blocks
    assert (table.kind, table.text, table.anchor) == ("table", "site | cost\nBrest | 007", "A1:B2")
    assert [cell.head for cell in table.cells][:2] == [True, True]


def test_tabs_part_the_values_of_a_file_that_is_named_so() -> None:
    content = b"gauge\tplaces\tnote\nA\tBrest,Roscoff\nB\tCaen,Dieppe\thigh\n"
    assert read_tsv(content).blocks[0].text == "gauge | places | note\nA | Brest,Roscoff | \nB | Caen,Dieppe | high"
    assert read_tsv(b"a,b\n1,2\n").blocks[0].text == "a | b\n1 | 2"


def test_comments_above_a_table_do_not_decide_what_parts_its_values() -> None:
    comments = "# Measured by the port, in spring, at noon\n" * 9
    blocks = read_csv(f"{comments}gauge;range\nBrest;7,5\nCaen;6,1\n".encode()).blocks
    assert blocks[-1].text.splitlines()[-2:] == ["Brest | 7,5", "Caen | 6,1"]


def test_a_value_of_several_lines_is_one_cell() -> None:
    (table,) = read_csv(b'a,b\n"one\ntwo",3\n').blocks
    assert table.text == "a | b\none two | 3"
