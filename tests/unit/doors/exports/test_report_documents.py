"""The documents of a report, read back: what is there is there, and strangers write nothing but text."""

import io
import re
import zipfile
from typing import Any

import docx
import pypdfium2
import pytest
from docx.document import Document
from docx.oxml.ns import qn
from docx.shared import Mm
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elcano.doors.exports.report_documents import MOST_UNSHOWN, ExportUnavailable, write_document
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
MORE = r"""
## Then

### Deeper

## Last

Of $\binom{n}{k}$ and $\frac{\bar{x}}{y}$ and $\mathrm{CO_2}$ and $f=\begin{cases}1\\0\end{cases}$ after.
"""
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20"><title>n</title>{}</svg>'
NOWHERE = [chr(0xF0000 + number) for number in range(MOST_UNSHOWN + 1)]
"""Characters for private use, which no font here has."""
HOSTILE = (
    r"\end{document} \input{/etc/passwd} $\text{\input{/etc/passwd}}$ #let x = 1 <script>x</script> "
    "[link](javascript:alert(1)) [file](file:///etc/passwd) ![p](file:///etc/passwd) a\x00b {{=1+1}} ~ % & é"
)


def write(form: Any, markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> bytes:
    return write_document(form, report(f"{markdown}\n\n{LIST}", **about), pictures or {})


def open_word(markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> Document:
    return docx.Document(io.BytesIO(write("docx", markdown, pictures, **about)))


def open_pdf(markdown: str, pictures: dict[str, str | None] | None = None, **about: Any) -> pypdfium2.PdfDocument:
    return pypdfium2.PdfDocument(write("pdf", markdown, pictures, **about))


def read_text(document: pypdfium2.PdfDocument) -> str:
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


def read_archive(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_latex(markdown: str, **about: Any) -> str:
    return read_archive(write("latex", markdown, **about))["report.tex"].decode().partition("\\maketitle")[2]


def paragraphs(document: Document, style: str) -> list[str]:
    return [one.text for one in document.paragraphs if one.style is not None and one.style.name == style]


def test_headings_lists_tables_and_formulas_are_those_of_word() -> None:
    document = open_word(RICH + MORE, title="The harbour")
    assert paragraphs(document, "Title") == ["The harbour"]
    assert paragraphs(document, "Heading 1") == ["When", "Then", "Last", "References"]
    assert paragraphs(document, "Block Text") == ["Asked: when did it freeze?"]
    numbered = [one.text for one in document.paragraphs if one._p.xpath("./w:pPr/w:numPr")]
    assert numbered == ["in winter", "in January", "again", "third", "fourth", "Oil — docs"]
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["year", "days"], ["1709", "12"], ["1740", ""]]
    assert table._tbl.xpath("./w:tr[1]/w:trPr/w:tblHeader")
    assert table._tbl.xpath("./w:tr[2]/w:tc[2]//w:jc")[0].get(qn("w:val")) == "right"
    body: Any = document.element.body
    formulas = ["".join(one.itertext()) for one in body.iter("{*}oMath")]
    assert [re.sub(r"\s", "", one) for one in formulas] == ["a2+b2", "nk", "xy", "CO2", "f=10"]
    bars = [one.get(f"{{{one.nsmap['m']}}}val") for one in body.iter("{*}type") if one.getparent().tag.endswith("fPr")]
    assert bars == ["noBar", "bar"], "n over k is no fraction"
    about = document.core_properties
    assert (about.title, about.subject, about.comments) == ("The harbour", "q", "Run run")
    assert about.created is not None
    assert about.created.year > 2013
    (section,) = document.sections
    assert section.page_width == pytest.approx(Mm(210), rel=1e-3)


def test_a_number_leads_to_its_reference_and_the_reference_to_its_address() -> None:
    files = read_archive(write("docx", "It froze. [1]"))
    body = files["word/document.xml"].decode()
    assert '<w:hyperlink w:anchor="reference-1">' in body
    assert 'w:name="reference-1"' in body
    related = files["word/_rels/document.xml.rels"].decode()
    assert re.search(
        'Target="https://example.org/oil"[^>]*TargetMode="External"|TargetMode="External"[^>]*oil"', related
    )


def test_right_to_left_is_set_by_the_language() -> None:
    files = read_archive(write("docx", "# מים\n\n**קפא** [1]", language="he"))
    assert b"<w:bidi" in files["word/document.xml"]
    assert b'"he"' in files["word/styles.xml"]


def test_a_table_gives_long_cells_room_and_no_column_is_narrower_than_its_longest_word() -> None:
    said = "“Mortality was 40 of 400 in one group and 66 of 405 in the other group”"
    (table,) = open_word(f"| Reference | As reported | Weight |\n| --- | --- | --- |\n| 1 | {said} | 25.0 % |").tables
    reference, long, weight = (int(one.get(qn("w:w"))) for one in table._tbl.xpath("./w:tblGrid/w:gridCol"))
    assert long > 3 * reference > 0
    assert reference / (reference + long + weight) > 0.14
    assert weight / (reference + long + weight) > 0.1


def test_pictures_are_drawn_with_their_alternative_text_and_one_that_cannot_be_is_named() -> None:
    markdown = "![The plot](a/plot.svg)\n\n![Broken](a/broken.svg)\n\n![Gone](a/gone.svg)"
    pictures = {
        "a/plot.svg": DRAWING.format('<desc>Two &lt;ends&gt;.</desc><text y="9">drawn &lt;b&gt;</text>'),
        "a/broken.svg": "<svg viewBox><title>Broken</title>",
        "a/gone.svg": None,
    }
    document = open_word(markdown, {**pictures})
    (shape,) = document.inline_shapes
    assert shape._inline.docPr.get("descr") == "n. Two <ends>."
    assert {"Broken", "Gone"} <= {one.text for one in document.paragraphs}
    text = read_text(open_pdf(markdown, {**pictures}))
    assert all(part in text for part in ("drawn <b>", "Broken", "Gone"))
    files = read_archive(write("latex", markdown, {**pictures}))
    assert files["figures/figure-1.pdf"].startswith(b"%PDF-")
    assert files["report.tex"].decode().count("{figures/figure-1.pdf}") == 1


def test_a_pdf_is_tagged_and_has_contents_bookmarks_formulas_and_tables() -> None:
    document = open_pdf(RICH + MORE, title='The "harbour" #let x = 1 \\')
    assert document.is_tagged()
    assert document.get_metadata_value("Title") == 'The "harbour" #let x = 1 \\'
    assert document.get_metadata_value("Keywords") == "run"
    assert [(mark.level, mark.get_title()) for mark in document.get_toc()] == [
        *((0, "When"), (0, "Then"), (1, "Deeper"), (0, "Last"), (0, "References"))
    ]
    text = read_text(document)
    letters = {letter: chr(0x1D44E + ord(letter) - ord("a")) for letter in "fnkxy"}
    for part in ("Contents", "It froze in 1709, for weeks. [1]", "3. third", "year days 1709 12", "raw <text>"):
        assert part in text, part
    assert "CO2 and {f} =".format_map(letters) in text


def test_a_picture_higher_than_the_page_is_drawn_whole() -> None:
    ends = '<text y="20">upper end</text><text y="1990">lower end</text>'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 2000"><title>n</title>{ends}</svg>'
    text = read_text(open_pdf("![n](a/high.svg)", {"a/high.svg": picture}))
    assert "upper end" in text
    assert "lower end" in text


def test_a_character_without_a_font_is_written_as_its_code_and_a_script_without_one_is_refused() -> None:
    drawing = DRAWING.format(f'<text y="9">{NOWHERE[1]}</text>')
    text = read_text(open_pdf(f"One {NOWHERE[0]} here.\n\n![p](a/b.svg)", {"a/b.svg": drawing}))
    assert "One (U+F0000) here." in text
    assert "(U+F0001)" in text
    with pytest.raises(ExportUnavailable, match=r"lack characters of this report, \(U\+F00\w\w\), .* install fonts"):
        open_pdf("".join(NOWHERE))


def test_headings_that_accessible_files_may_not_have_are_mended() -> None:
    found = open_pdf("### Deep at once\n\n## \n\n## Then")
    assert [(mark.level, mark.get_title()) for mark in found.get_toc()] == [
        *((0, "Deep at once"), (0, "Then"), (0, "References"))
    ]


@pytest.mark.parametrize("language", ["", "zh-Hans", "ar", "pt-BR", 'x"-klingon'])
def test_every_language_has_a_document(language: str) -> None:
    assert "froze" in read_text(open_pdf("It froze.", language=language, title=" "))
    assert "froze" in read_latex("It froze.", language=language, title=" ")


def test_latex_is_sections_lists_tables_formulas_and_citations() -> None:
    files = read_archive(write("latex", RICH + MORE + "\nSo. [1, p. 5]"))
    text = files["report.tex"].decode()
    for part in (
        r"It \textbf{froze} in \emph{1709}, \texttt{for\ weeks}. \cite{oil}",
        r"\section{When}",
        "\\setcounter{enumi}{2}",
        "1709 & 12 \\\\",
        r"\[a^{2} + b^{2}\]",
        r"\(\binom{n}{k}\)",
        r"\cite[{p. 5}]{oil}",
        r"\bibitem{oil} {\href{https://example.org/oil}{\textbf{Oil}} --- docs}",
    ):
        assert part in text, part
    assert files["references.bib"].startswith(b"@misc{oil,")


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.doors.exports.report_documents.find_spec", lambda name: None)
    with pytest.raises(ExportUnavailable, match="its extra `exports`"):
        write("docx", "x")


def test_a_conversion_that_takes_too_long_is_ended_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    write_document("latex", report(RICH), {})  # what is looked for once is found
    monkeypatch.setattr("elcano.doors.exports.report_documents._SECONDS", 0.001)
    with pytest.raises(ExportUnavailable, match="save it as html"):
        write_document("latex", report(RICH), {})


def test_strangers_write_nothing_but_text() -> None:
    document = open_word(f"# {HOSTILE}\n\n| {HOSTILE} |\n| --- |\n| =cmd |\n\n{HOSTILE}", title=HOSTILE)
    assert {one.target_ref for one in document.part.rels.values() if one.is_external} == {"https://example.org/oil"}
    assert "<script>x</script>" in document.paragraphs[0].text
    text = read_latex(HOSTILE, title=HOSTILE)
    assert text.count(r"\end{document}") == 1
    assert not re.search(r"\\input\b", text)
    assert r"\includegraphics" not in text
    assert "#let x = 1" in read_text(open_pdf(HOSTILE, title=HOSTILE))


def test_a_long_report_with_long_tables_is_written() -> None:
    table = "| a | b | c |\n| --- | --- | --- |\n" + "".join(f"| {n} | x | y |\n" for n in range(300))
    text = "\n\n".join(f"Sentence {n} of many words that say little. [1]" for n in range(1_500))
    document = open_word(f"# Long\n\n{table}\n\n{text}")
    assert len(document.tables[0].rows) == 301
    assert len(document.paragraphs) > 1_500


@settings(max_examples=5, deadline=None)
@given(st.text(max_size=300))
@example("{é}")
@example("\x00\ufffe\U0001fffe")
def test_whatever_a_report_says_it_can_be_opened(text: str) -> None:
    many = (Reference(number=1, document="d", title=text, source="s", locators=(), content_hash="0" * 64),)
    open_word(text, title=text, references=many)
    assert r"\end{document}" in read_latex(text, title=text)
