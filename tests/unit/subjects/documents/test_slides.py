"""Slides as documents: pages in reading order, with tables, charts, notes and comments, without what repeats."""

from elcano.activities.passages.document import Parsed
from elcano.subjects.documents.slides import read_pptx
from tests.unit.subjects.documents.office_files import presentation, run, shape, slide_xml


def texts(parsed: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parsed.blocks]


def graphic(inner: str) -> str:
    return f"<p:graphicFrame><a:graphic><a:graphicData>{inner}</a:graphicData></a:graphic></p:graphicFrame>"


def test_a_slide_is_a_page_with_its_title_as_heading_and_its_body_as_list() -> None:
    slides = [
        slide_xml(shape("Footer 2026", kind="ftr"), shape("Tides", kind="title"), shape("High\nLow", kind="")),
        slide_xml(shape("7", kind="sldNum"), shape("Ports", kind="title")),
    ]
    parsed = read_pptx(presentation(slides))
    assert [(block.kind, block.text, block.page) for block in parsed.blocks] == [
        ("heading", "Tides", 1),
        ("list", "- High\n- Low", 1),
        ("heading", "Ports", 2),
    ]


def test_shapes_are_read_by_their_places_column_by_column() -> None:
    slide = slide_xml(
        shape("right below", at=(200, 40)),
        shape("bottom", at=(0, 80), size=(300, 10)),
        shape("right", at=(200, 20)),
        shape("left below", at=(0, 40)),
        shape("top", at=(0, 0), size=(300, 10)),
        shape("left", at=(0, 20)),
    )
    parsed = read_pptx(presentation([slide]))
    assert [text for _, text in texts(parsed)] == ["top", "left", "right", "left below", "right below", "bottom"]


def test_groups_are_read_in_the_place_that_they_have_on_the_slide() -> None:
    group = (
        '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="500"/><a:ext cx="100" cy="100"/><a:chOff x="0" y="0"/>'
        f'<a:chExt cx="100" cy="100"/></a:xfrm></p:grpSpPr>{shape("in the group", at=(0, 0))}</p:grpSp>'
    )
    parsed = read_pptx(presentation([slide_xml(group, shape("above", at=(0, 100)))]))
    assert [text for _, text in texts(parsed)] == ["above", "in the group"]


def test_exponents_numbers_and_struck_text_read_as_they_look() -> None:
    first = f"<a:p>{run('10')}{run('6', 'baseline=' + chr(34) + '30000' + chr(34))}{run(' cells')}</a:p>"
    second = f"<a:p>{run('should ')}{run('not ', 'strike=' + chr(34) + 'sngStrike' + chr(34))}{run('be used')}</a:p>"
    numbered = "".join(f'<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>{run(one)}</a:p>' for one in ("a", "b"))
    parsed = read_pptx(presentation([slide_xml(shape(first + second), shape(numbered))]))
    assert texts(parsed) == [("text", "10\u2076 cells"), ("text", "should be used"), ("list", "1. a\n2. b")]


def test_signs_of_symbol_fonts_read_as_they_look() -> None:
    arrow = '<a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>a \uf0e0 b</a:t></a:r>'
    beta = '<a:r><a:rPr><a:latin typeface="Symbol"/></a:rPr><a:t>b</a:t></a:r>'
    parsed = read_pptx(presentation([slide_xml(shape(f"<a:p>{arrow}{beta}</a:p>"))]))
    assert texts(parsed) == [("text", "a \u2192 b\u03b2")]


def test_tables_keep_their_cells_and_charts_are_tables() -> None:
    def cell(text: str, marks: str = "") -> str:
        return f"<a:tc {marks}><a:txBody><a:p>{run(text)}</a:p></a:txBody></a:tc>"

    first = cell("Site", 'rowSpan="2"') + cell("Cost", 'gridSpan="2"') + cell("", 'hMerge="1"')
    second = cell("", 'vMerge="1"') + cell("2020") + cell("2021")
    rows = f"<a:tr>{first}</a:tr><a:tr>{second}</a:tr>"
    table = graphic(f'<a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl>')
    chart = graphic('<c:chart xmlns:c="c" r:id="r1"/>')
    plot = (
        '<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart><c:title><a:p><a:r><a:t>Ships a year</a:t></a:r>'
        "</a:p></c:title>"
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Brest</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>2020</c:v></c:pt><c:pt idx='1'><c:v>2021</c:v></c:pt>"
        "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>0.0%</c:formatCode><c:pt idx='0'>"
        "<c:v>0.125</c:v></c:pt><c:pt idx='1'><c:v>0.25</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
        "</c:chart></c:chartSpace>"
    )
    parsed = read_pptx(
        presentation(
            [slide_xml(table, chart)],
            related={1: {"r1": ("chart", "../charts/chart1.xml")}},
            parts={"ppt/charts/chart1.xml": plot},
        )
    )
    assert texts(parsed) == [
        ("table", "Site | Cost | \n | 2020 | 2021"),
        ("caption", "Ships a year"),
        ("table", " | Brest\n2020 | 12.5%\n2021 | 25.0%"),
    ]
    assert [(cell.rows, cell.columns) for cell in parsed.blocks[0].cells] == [(2, 1), (1, 2), (1, 1), (1, 1)]


def test_diagrams_notes_and_comments_are_read_and_hidden_slides_are_not() -> None:
    diagram = graphic('<dgm:relIds xmlns:dgm="d" r:dm="r1"/>')
    data = (
        '<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:pt modelId="0" type="doc"/>'
        "<dgm:pt modelId='2'><dgm:t><a:p><a:r><a:t>second</a:t></a:r></a:p></dgm:t></dgm:pt>"
        "<dgm:pt modelId='1'><dgm:t><a:p><a:r><a:t>first</a:t></a:r></a:p></dgm:t></dgm:pt>"
        "<dgm:cxn srcId='0' destId='2' srcOrd='1'/><dgm:cxn srcId='0' destId='1' srcOrd='0'/></dgm:dataModel>"
    )
    notes = (
        slide_xml(shape("Say it slowly.", kind="body")).replace("p:sld ", "p:notes ").replace("/p:sld>", "/p:notes>")
    )
    comments = '<p:cmLst xmlns:p="p"><p:cm><p:text>Is it so?</p:text></p:cm></p:cmLst>'
    parsed = read_pptx(
        presentation(
            [slide_xml(diagram), slide_xml(shape("secret", kind="title"), marks='show="0"')],
            related={
                1: {
                    "r1": ("diagramData", "../diagrams/data1.xml"),
                    "r2": ("notesSlide", "../notesSlides/notesSlide1.xml"),
                    "r3": ("comments", "../comments/comment1.xml"),
                }
            },
            parts={
                "ppt/diagrams/data1.xml": data,
                "ppt/notesSlides/notesSlide1.xml": notes,
                "ppt/comments/comment1.xml": comments,
            },
        )
    )
    assert texts(parsed) == [("list", "- first\n- second"), ("note", "Say it slowly."), ("comment", "Is it so?")]
    assert [(gap.reason, gap.pages, gap.unread) for gap in parsed.gaps] == [("slide 2: hidden, left out", (2,), False)]


def test_a_damaged_slide_is_named_and_the_others_are_kept() -> None:
    parsed = read_pptx(presentation(["<p:sld", slide_xml(shape("Ports", kind="title"))]))
    assert texts(parsed) == [("heading", "Ports")]
    assert parsed.gaps[0].reason == "slide 1: could not be read: missing or damaged"


def test_a_slide_that_only_has_a_picture_is_a_gap() -> None:
    picture = "<p:pic><p:nvPicPr><p:cNvPr id='1' name='p'/></p:nvPicPr></p:pic>"
    parsed = read_pptx(presentation([slide_xml(picture), slide_xml(shape("Ports", kind="title"))]))
    assert parsed.gaps[0].pages == (1,)
    assert "only pictures, which are not read" in parsed.gaps[0].reason


def test_embedded_documents_are_named_once_each() -> None:
    old, new = ('<p:oleObj r:id="rId1" progId="Excel.Sheet.12"/>' for _ in range(2))
    frame = (
        '<p:graphicFrame xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:AlternateContent>'
        f"<mc:Choice>{old}</mc:Choice><mc:Fallback>{new}</mc:Fallback></mc:AlternateContent></p:graphicFrame>"
    )
    (gap,) = read_pptx(presentation([slide_xml(shape("Ports"), frame)])).gaps
    assert gap.reason == "1 embedded object (Excel.Sheet.12) was not read: save it as a file of its own"
