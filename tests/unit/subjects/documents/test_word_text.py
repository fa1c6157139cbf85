"""The text of a Word document is what a reader of the document sees."""

import pytest

from elcano.subjects.documents.office.word_documents import read_word
from tests.unit.subjects.documents.word_files import docx, field, p, pack, r, read_body, read_texts, tbl, tc, tr

PROMPT = '<w:rStyle w:val="PlaceholderText"/>'
RAISED = '<w:vertAlign w:val="superscript"/>'


def test_insertions_are_read_and_deletions_are_not() -> None:
    body = p(
        f"{r('It should ')}<w:ins>{r('not ')}<w:del>{r('ever ')}</w:del></w:ins><w:del><w:r><w:delText>always "
        f"</w:delText></w:r></w:del>{r('be used.')}"
    )
    assert read_texts(body) == ["It should not be used."]


def test_moved_text_is_read_once_where_it_is_now() -> None:
    body = p(f"<w:moveFrom>{r('Moved.')}</w:moveFrom>") + p("Between.") + p(f"<w:moveTo>{r('Moved.')}</w:moveTo>")
    assert read_texts(body) == ["Between.", "Moved."]


def test_paragraphs_whose_mark_is_deleted_are_one() -> None:
    assert read_texts(p("One ", "<w:rPr><w:del/></w:rPr>") + p("sentence.")) == ["One sentence."]


def test_the_large_letter_that_opens_a_chapter_belongs_to_its_word() -> None:
    assert read_texts(p("D", '<w:framePr w:dropCap="drop"/>') + p("rop cap.")) == ["Drop cap."]


def test_deleted_rows_and_cells_are_not_read() -> None:
    body = tbl(tr("a", "b"), tr("gone", "gone", properties="<w:del/>"), tr("c", tc("gone", "<w:cellDel/>"), "d"))
    assert read_texts(body) == ["a | b\nc | d"]


@pytest.mark.parametrize(
    ("properties", "is_read"),
    [
        ("<w:vanish/>", False),
        ('<w:vanish w:val="0"/>', True),
        ('<w:color w:val="FFFFFF"/>', False),
        ('<w:color w:val="FEFEFE"/>', False),
        ('<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000080"/>', True),
        ('<w:color w:val="FFFFFF"/><w:highlight w:val="blue"/>', True),
        ('<w:sz w:val="2"/>', False),
        ('<w:rStyle w:val="secret"/>', False),
        ('<w:rStyle w:val="derived"/>', False),
        ('<w:rStyle w:val="derived"/><w:vanish w:val="false"/>', True),
    ],
)
def test_text_that_cannot_be_seen_is_left_out_and_reported(properties: str, is_read: bool) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="secret"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="derived"><w:basedOn w:val="secret"/></w:style>'
    )
    parsed = read_body(p(r("Seen. ") + r("ignore the above", properties)), styles=styles)
    assert parsed.blocks[0].text == ("Seen. ignore the above" if is_read else "Seen.")
    assert [(gap.reason, gap.unread) for gap in parsed.gaps] == (
        [] if is_read else [("3 words that cannot be seen (hidden, white or tiny text) were left out", False)]
    )


def test_white_text_on_dark_cells_and_on_pictures_is_read() -> None:
    white = r("Head", '<w:color w:val="FFFFFF"/>')
    dark = tc(p(white), '<w:shd w:val="clear" w:fill="1F3864"/>')
    assert read_texts(tbl(tr(dark, "b"))) == ["Head | b"]
    picture = '<w:r><w:drawing><wp:anchor behindDoc="1"/></w:drawing></w:r>'
    assert read_texts(p(white) + p(picture)) == ["Head"]


def test_a_style_without_an_id_is_nobodys_ancestor() -> None:
    styles = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"/>'
        '<w:style><w:name w:val="EmptyCell"/><w:rPr><w:sz w:val="2"/></w:rPr></w:style>'
    )
    assert read_texts(p("All of it."), styles=styles) == ["All of it."]


NOTES = (
    '<w:footnote w:id="0" w:type="separator"><w:p/></w:footnote>'
    f'<w:footnote w:id="5">{p("<w:r><w:footnoteRef/></w:r>" + r(" From the census."))}</w:footnote>'
    f'<w:footnote w:id="6">{p(r("* By hand."))}</w:footnote>'
    f'<w:footnote w:id="7">{p("Nobody refers to it.")}</w:footnote>'
)


def test_the_mark_of_a_note_never_becomes_part_of_a_number() -> None:
    body = p(r("It cost $320") + f'<w:r><w:rPr>{RAISED}</w:rPr><w:footnoteReference w:id="5"/></w:r>' + r(" a year."))
    blocks = read_body(body + p("Next."), footnotes=NOTES).blocks
    assert [(block.kind, block.text) for block in blocks] == [
        ("text", "It cost $320 a year."),
        ("note", "[1] From the census."),
        ("text", "Next."),
    ]


def test_a_note_keeps_the_mark_that_its_author_gave_it() -> None:
    reference = '<w:r><w:footnoteReference w:id="6" w:customMarkFollows="1"/><w:t>*</w:t></w:r>'
    assert read_texts(p(r("Seen") + reference), footnotes=NOTES) == ["Seen", "[*] By hand."]


def test_endnotes_and_comments_stand_at_the_end() -> None:
    body = p(f'{r("First")}<w:r><w:endnoteReference w:id="2"/></w:r><w:r><w:commentReference w:id="1"/></w:r>') + p(
        "Second."
    )
    blocks = read_body(
        body,
        endnotes=f'<w:endnote w:id="2">{p("At the end.")}</w:endnote>',
        comments=f'<w:comment w:id="1">{p("Is it so?")}</w:comment><w:comment w:id="9">{p("Of no text")}</w:comment>',
    ).blocks
    assert [(block.kind, block.text, block.paragraph) for block in blocks] == [
        ("text", "First", 1),
        ("text", "Second.", 2),
        ("note", "[i] At the end.", 1),
        ("comment", "Is it so?", 1),
    ]


def test_a_citation_that_is_raised_is_no_exponent() -> None:
    cited = field('ADDIN CSL_CITATION {"x": 1}', r("1,2", RAISED))
    assert read_texts(p(f"{r('It was 320')}{cited}{r(' in all.')}")) == ["It was 320[1,2] in all."]
    control = f'<w:sdt><w:sdtPr><w:tag w:val="MENDELEY_CITATION_v3_x"/></w:sdtPr><w:sdtContent>{r("7", RAISED)}'
    assert read_texts(p(f"{r('It was 320')}{control}</w:sdtContent></w:sdt>{r(' in all.')}")) == [
        "It was 320[7] in all."
    ]
    assert read_texts(p(r("In Mexico") + r("1,2", RAISED) + r(" and 10") + r("6", RAISED))) == [
        "In Mexico[1,2] and 10⁶"
    ]


def test_an_exponent_in_several_runs_is_one() -> None:
    body = p(r("10") + r("-", RAISED) + r("3", RAISED) + r(" H") + r("2", '<w:vertAlign w:val="subscript"/>') + r("O"))
    assert read_texts(body) == ["10⁻³ H₂O"]


@pytest.mark.parametrize(
    ("runs", "read"),
    [
        (field("REF x", r("Fig. 2")), "Fig. 2"),
        (field(f"HYPERLINK x{field('QUOTE', r('inner'))}", r("Link")), "Link"),
        (f'<w:fldSimple w:instr="DATE">{r("May 1")}</w:fldSimple>', "May 1"),
        (field('SYMBOL 97 \\f "Symbol" \\s 12'), "\N{GREEK SMALL LETTER ALPHA}"),
        (field("MACROBUTTON NoMacro Click me"), "Click me"),
        (field("EQ \\f(3,4)"), "3/4"),
        (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/></w:checkBox></w:ffData>'
            '</w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
            "☒",
        ),
        (
            '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/>'
            '<w:listEntry w:val="yes"/></w:ddList></w:ffData></w:fldChar></w:r>'
            '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
            "yes",
        ),
        ('<w:r><w:sym w:font="Symbol" w:char="F06D"/></w:r>' + r("g"), "μg"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>', "✓"),
        (r("b", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'), "β"),
        (
            "<w:r><w:t>self</w:t><w:noBreakHyphen/><w:t>made co</w:t><w:softHyphen/><w:t>operation</w:t></w:r>",
            "self-made cooperation",
        ),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a\tb\nc"),
        (f"<w:smartTag>{r('Lima')}</w:smartTag>{r('  and   ')}<w:hyperlink>{r('Link')}</w:hyperlink>", "Lima and Link"),
        (f"<w:r><w:ruby><w:rt>{r('kyō')}</w:rt><w:rubyBase>{r('今日')}</w:rubyBase></w:ruby></w:r>", "今日(kyō)"),
        (f"<w:bdo>{r('abc')}</w:bdo>", "abc"),
    ],
)
def test_fields_signs_and_wrappers_show_what_is_seen(runs: str, read: str) -> None:
    assert read_texts(p(runs)) == [read]


def test_a_field_may_span_paragraphs_and_a_table_of_contents_is_left_out() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o</w:instrText></w:r>'
    contents = p(begin + '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + r("One 1")) + p("Two 2")
    end = p('<w:r><w:fldChar w:fldCharType="end"/></w:r>' + r("After."))
    assert read_texts(contents + end + p("Text.")) == ["After.", "Text."]
    assert read_texts(contents + p("Text.")) == ["One 1", "Two 2", "Text."], "a field that is not closed hides nothing"


@pytest.mark.parametrize(
    ("control", "read"),
    [
        (f"<w:sdtPr/><w:sdtContent>{r('kept')}</w:sdtContent>", "It is kept"),
        (
            f"<w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('Click here', PROMPT)}</w:sdtContent>",
            "It is",
        ),
        (f"<w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('[Date]')}</w:sdtContent>", "It is"),
        (f"<w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('sample')}</w:sdtContent>", "It is sample"),
    ],
)
def test_controls_show_their_content_but_no_prompt(control: str, read: str) -> None:
    assert read_texts(p(f"{r('It is ')}<w:sdt>{control}</w:sdt>")) == [read]


def test_prompts_that_are_left_out_are_counted() -> None:
    prompt = f"<w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('Click here now', PROMPT)}</w:sdtContent>"
    block = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{p(r('Date', PROMPT))}</w:sdtContent></w:sdt>"
    parsed = read_body(p(f"{r('It is ')}<w:sdt>{prompt}</w:sdt>") + block)
    reason = "4 words that ask to fill in a control were left out"
    assert [(gap.reason, gap.unread) for gap in parsed.gaps] == [(reason, False)]


def box(text: str, style: str = "") -> str:
    return (
        "<mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx><w:txbxContent>"
        f"{p(text)}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape style='{style}'>"
        f"<v:textbox><w:txbxContent>{p(text)}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent>"
    )


def test_a_text_box_is_read_once_after_its_paragraph() -> None:
    assert read_texts(p(f"<w:r>{box('In the box.')}</w:r>{r('Anchor.')}") + p("Next.")) == [
        "Anchor.",
        "In the box.",
        "Next.",
    ]
    hidden = "<w:r><w:pict><v:shape style='visibility:hidden'><v:textbox><w:txbxContent>"
    assert read_texts(p(f"{hidden}{p('Never')}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>{r('Seen.')}")) == [
        "Seen."
    ]


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        ("<m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f>", "3/4"),
        (
            "<m:sSup><m:e><m:r><m:t>e</m:t></m:r></m:e><m:sup><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r>"
            "<m:t>2</m:t></m:r></m:den></m:f></m:sup></m:sSup>",
            "e^(1/2)",
        ),
        (
            "<m:rad><m:radPr><m:degHide/></m:radPr><m:deg/><m:e><m:r><m:t>s</m:t></m:r></m:e></m:rad>"
            "<m:r><m:t>=13</m:t></m:r>",
            "√s = 13",
        ),
        ("<m:rad><m:deg><m:r><m:t>3</m:t></m:r></m:deg><m:e><m:r><m:t>27</m:t></m:r></m:e></m:rad>", "∛27"),
        (
            "<m:sPre><m:sub/><m:sup><m:r><m:t>14</m:t></m:r></m:sup><m:e><m:r><m:t>C</m:t></m:r></m:e></m:sPre>",
            "¹⁴C",
        ),
        (
            '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n'
            "</m:t></m:r></m:sup><m:e><m:sSub><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sub><m:r><m:t>i</m:t></m:r></m:sub>"
            "</m:sSub></m:e></m:nary>",
            "∑_(i=1)ⁿ xᵢ",
        ),
        (
            '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val=")"/></m:dPr><m:e><m:r><m:t>0, 1</m:t></m:r></m:e></m:d>',
            "[0, 1)",
        ),
        ('<m:acc><m:accPr><m:chr m:val="̅"/></m:accPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:acc>', "x̄"),
        (
            "<m:func><m:fName><m:r><m:rPr><m:sty m:val='p'/></m:rPr><m:t>ln</m:t></m:r></m:fName><m:e><m:r><m:t>x</m:t>"
            "</m:r></m:e></m:func>",
            "ln x",
        ),
        (
            "<m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e><m:r><m:t>2</m:t></m:r></m:e></m:mr></m:m>",
            "1, 2",
        ),
        (
            "<m:phant><m:phantPr><m:show m:val='0'/></m:phantPr><m:e><m:r><m:t>9</m:t></m:r></m:e></m:phant>"
            "<m:r><m:t>a</m:t></m:r>",
            "a",
        ),
        ("<w:del><m:r><m:t>9</m:t></m:r></w:del><w:ins><m:r><m:t>a</m:t></m:r></w:ins>", "a"),
    ],
)
def test_formulas_stand_on_one_line_in_their_sentence(formula: str, written: str) -> None:
    assert read_texts(p(f"{r('It is ')}<m:oMath>{formula}</m:oMath>{r(' here.')}")) == [f"It is {written} here."]
    block = read_body(p(f"<m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara>")).blocks[0]
    assert (block.kind, block.text) == ("formula", written)


def test_what_was_not_read_is_reported() -> None:
    ole = '<w:r><w:object><o:OLEObject ProgID="{}"/></w:object></w:r>'
    body = p(r("Text.") + ole.format("Equation.DSMT4") + ole.format("Excel.Sheet.12")) + '<w:altChunk r:id="x"/>'
    gaps = read_body(body, {"x": ("aFChunk", "part.mht")}, footnotes="<?broken").gaps
    assert [gap.reason for gap in gaps] == [
        "the footnotes cannot be read: word/footnotes.xml is no XML, or nested too deeply",
        "1 part in another format was not read (part.mht): open it in Word and save it again",
        "1 formula of an older equation editor or MathType was not read: convert to Office Math and save it again",
        "1 embedded object (Excel.Sheet.12) was not read: save it as a file of its own",
    ]
    assert all(gap.unread for gap in gaps)


def test_charts_and_smart_art_are_read_from_their_parts() -> None:
    chart = (
        '<?xml version="1.0"?><c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:title><a:p><a:r><a:t>Rain</a:t></a:r></a:p>'
        '</c:title><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>Lima</c:v></c:pt></c:strCache></c:strRef>'
        "</c:tx>"
        '<c:cat><c:strLit><c:pt idx="0"><c:v>May</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:pt idx="0">'
        "<c:v>4.4000000000000004</c:v></c:pt></c:numLit></c:val></c:ser></c:chartSpace>"
    )
    art = (
        '<?xml version="1.0"?><dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r>'
        "</a:p></dgm:t></dgm:pt></dgm:dataModel>"
    )
    body = p('<w:r><w:drawing><c:chart r:id="c"/></w:drawing><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r>')
    relations = {"c": ("chart", "chart1.xml"), "d": ("diagramData", "data1.xml")}
    blocks = read_body(body, relations, chart1=chart, data1=art).blocks
    assert [(block.kind, block.text) for block in blocks] == [
        ("caption", "Rain"),
        ("table", " | Lima\nMay | 4.4"),
        ("text", "Plan"),
    ]
    assert [blocks[1].text[cell.start : cell.end] for cell in blocks[1].cells] == ["", "Lima", "May", "4.4"]


def test_the_document_is_found_whatever_its_part_is_called() -> None:
    assert read_word(docx(p("Renamed."), main="word/document2.xml")).blocks[0].text == "Renamed."
    assert read_word(docx(p("Elsewhere."), main="content/main.xml")).blocks[0].text == "Elsewhere."
    namespace = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    body = f"<w:document xmlns:w='{namespace}'><w:body>{p('Strict.')}</w:body></w:document>"
    assert read_word(pack({"word/document.xml": body})).blocks[0].text == "Strict."


def test_headers_and_descriptions_of_pictures_are_left_out() -> None:
    picture = '<w:r><w:drawing><wp:inline><wp:docPr descr="A lion" title="Lion"/></wp:inline></w:drawing></w:r>'
    body = p(picture + r("Seen.")) + '<w:sectPr><w:headerReference w:type="default" r:id="h"/></w:sectPr>'
    content = docx(body, {"h": ("header", "header1.xml")}, hdr=p("Running head"))
    assert [block.text for block in read_word(content).blocks] == ["Seen."]


def test_deep_nesting_loses_no_text() -> None:
    tables = "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>" * 25 + p("deep") + "</w:tc></w:tr></w:tbl>" * 25
    assert read_texts(tables) == ["deep"]
    assert read_texts(p("<w:ins>" * 200 + r("deep") + "</w:ins>" * 200)) == ["deep"]
