"""The Word document of a report, read back: what is there is there, and strangers write nothing but text."""

import io
import re
import zipfile
from typing import Any

import docx
import pytest
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Mm, Pt
from hypothesis import given
from hypothesis import strategies as st

from elcano.doors.exports.word_document import write_word_document
from elcano.graphs.report.report import Reference
from tests.unit.service.test_html_report import LIST, report

RICH = r"""# The harbour

> Asked: when did it freeze?

It **froze** in *1709*, `for weeks`. [1]

## When

- in winter
    - in January
- again

3. third
4. fourth

| year | days |
| --- | ---: |
| 1709 | 12 |
| 1740 | |

$$a^2 + b^2$$

```
raw <text>
```
"""


def opened(markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> Document:
    written = write_word_document(report(f"{markdown}\n\n{LIST}", **about), pictures or {})
    return docx.Document(io.BytesIO(written))


def paragraphs(document: Document, style: str) -> list[str]:
    return [one.text for one in document.paragraphs if one.style is not None and one.style.name == style]


def test_headings_lists_tables_and_formulas_are_those_of_word() -> None:
    document = opened(RICH, title="The harbour")
    assert paragraphs(document, "Title") == ["The harbour"]
    assert paragraphs(document, "Heading 1") == ["When", "References"]
    assert paragraphs(document, "List Bullet") == ["in winter", "again"]
    assert paragraphs(document, "List Bullet 2") == ["in January"]
    assert paragraphs(document, "List") == ["3.\tthird", "4.\tfourth", "1.\tOil — docs"]
    assert paragraphs(document, "Quote") == ["Asked: when did it freeze?"]
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["year", "days"], ["1709", "12"], ["1740", ""]]
    sentence = next(one for one in document.paragraphs if one.text.startswith("It froze"))
    assert [run.text for run in sentence.runs if run.bold] == ["froze"]
    assert [run.text for run in sentence.runs if run.italic] == ["1709"]
    texts = [one.text for one in document.paragraphs]
    assert "raw <text>" in texts
    assert "{a}^{2}+{b}^{2}" in texts, "not a2+b2"
    assert texts[-1] == "One formula is shown as text here; the report as HTML draws it."
    assert (document.core_properties.title, document.core_properties.comments) == ("The harbour", "Run run")
    assert document.core_properties.created.year > 2013, "the day of the template that it is made of"


def test_a_table_gives_long_cells_room_aligns_numbers_and_repeats_its_heads() -> None:
    document = opened(f"| year | what |\n| ---: | --- |\n| 1709 | {'It froze for weeks. ' * 3} |")
    (table,) = document.tables
    year, what = table.columns
    assert what.width == pytest.approx(9 * year.width, rel=0.1)
    assert [cell.paragraphs[0].alignment for cell in table.rows[1].cells] == [WD_ALIGN_PARAGRAPH.RIGHT, None]
    marks = [[one.tag.rpartition("}")[2] for one in row._tr.trPr] for row in table.rows if row._tr.trPr is not None]
    assert marks == [["cantSplit", "tblHeader"], ["cantSplit"]]


def test_no_column_is_narrower_than_its_longest_word() -> None:
    said = "“Mortality was 40 of 400 in one group and 66 of 405 in the other”"
    (table,) = opened(f"| Reference | As reported | Weight |\n| --- | --- | --- |\n| 1 | {said} | 25.0 % |").tables
    reference, _, weight = (column.width for column in table.columns)
    assert reference is not None
    assert weight is not None
    assert reference > Mm(20)
    assert weight > Mm(14)
    (table,) = opened(f"| 文件 | 内容 |\n| --- | --- |\n| 文件01 | {'黑豹队的防守' * 20} |").tables
    width = table.columns[0].width
    assert width is not None
    assert width > Mm(16), "signs that are two letters wide"


def test_a_table_of_many_columns_has_small_letters() -> None:
    (table,) = opened(f"|{' x |' * 7}\n|{' --- |' * 7}\n|{' y |' * 7}").tables
    style = table.rows[1].cells[6].paragraphs[0].style
    assert style is not None
    assert style.font.size == Pt(8)


def test_the_script_of_its_title_speaks_for_a_report_without_a_language() -> None:
    data = write_word_document(report("# מים\n\nקפא.", title="מים"), {})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b'w:bidi="he"' in archive.read("word/styles.xml")


def test_a_number_leads_to_its_reference_and_the_reference_to_its_address() -> None:
    data = write_word_document(report(f"It froze. [1]\n\n{LIST}"), {})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = archive.read("word/document.xml").decode()
        related = archive.read("word/_rels/document.xml.rels").decode()
    assert '<w:hyperlink w:anchor="reference-1">' in body
    assert re.search(r"<w:hyperlink r:id[^>]*><w:r><w:rPr><w:b/><w:u [^>]*/></w:rPr><w:t>Oil<", body)
    assert 'w:name="reference-1"' in body
    assert 'Target="https://example.org/oil" TargetMode="External"' in related


def test_pictures_are_drawn_with_their_alternative_text_and_one_that_cannot_be_is_named() -> None:
    named = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {}"><title>The plot</title>'
    drawing = named + '{}<path d="M0 0h9"/></svg>'
    pictures: dict[str, str | None] = {
        "a/wide.svg": drawing.format("90 20", "<desc>Two &lt;ends&gt;.</desc>"),
        "a/high.svg": drawing.format("20 90", ""),
        "a/broken.svg": "<svg viewBox><title>Broken</title>",
        "a/gone.svg": None,
    }
    document = opened("\n\n".join(f"![Gone]({path})" for path in pictures), pictures)
    wide, high = document.inline_shapes
    assert Mm(159) < wide.width <= Mm(160)
    assert Mm(200) < high.height < Mm(247)
    assert high.height / high.width == pytest.approx(4.5, rel=0.01)
    about = [(one._inline.docPr.get("title"), one._inline.docPr.get("descr")) for one in (wide, high)]
    assert about == [("The plot", "The plot. Two <ends>."), ("The plot", "The plot")]
    texts = [one.text for one in document.paragraphs]
    assert {"Broken", "Gone"} <= {*texts}
    assert texts[-1].startswith("One picture is left out here")


def test_right_to_left_is_set_by_the_language() -> None:
    markdown = f"# מים\n\n**קפא** [1]\n\n| א | b |\n| --- | --- |\n| ב | 2 |\n\n```\nx = 1\n```\n\n{LIST}"
    data = write_word_document(report(markdown, language="he"), {})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body, styles = (archive.read(f"word/{name}.xml").decode() for name in ("document", "styles"))
    assert re.search(r'w:styleId="Normal">(?:(?!</w:style>).)*<w:bidi/>', styles, re.DOTALL)
    assert 'w:bidi="he"' in styles
    assert body.count("<w:bidiVisual/>") == 1
    assert body.count('<w:bidi w:val="0"/>') == 1, "code"
    assert re.findall(r"<w:rtl/></w:rPr><w:t>([^<]*)", body) == ["מים", "קפא", "א", "ב"]
    assert re.search(r"<w:b/><w:bCs/>[^/]*<w:rtl/></w:rPr><w:t>קפא", body)


def test_strangers_write_nothing_but_text() -> None:
    hostile = "a\x00b\x0b <w:p>&amp; <script>x</script> [link](javascript:alert(1)) [file](file:///etc/passwd) {{=1+1}}"
    document = opened(f"# {hostile}\n\n| {hostile} |\n| --- |\n| =cmd |\n\n{hostile}", title=hostile)
    assert not [one for one in document.part.rels.values() if one.is_external and "example.org" not in one.target_ref]
    assert "<script>x</script>" in document.paragraphs[0].text


def test_a_long_report_with_long_tables_is_written() -> None:
    table = "| a | b | c |\n| --- | --- | --- |\n" + "".join(f"| {n} | x | y |\n" for n in range(300))
    text = "\n\n".join(f"Sentence {n} of many words that say little. [1]" for n in range(1_500))
    document = opened(f"# Long\n\n{table}\n\n{text}")
    assert len(document.tables[0].rows) == 301
    assert len(document.paragraphs) > 1_500


@given(st.text(max_size=300))
def test_whatever_a_report_says_it_can_be_opened(text: str) -> None:
    many = (Reference(number=1, document="d", title=text, source="s", locators=(), content_hash="0" * 64),)
    opened(text, title=text, references=many)
