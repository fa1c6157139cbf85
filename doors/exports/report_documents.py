"""A report for Word, as a PDF or for LaTeX. pandoc converts its page of HTML, so that all say the same.

pandoc runs as a program that reads no file but ours (`--sandbox`). Typst draws the pictures and sets the PDF: tagged
(PDF/UA-1), with embedded fonts, contents, bookmarks and links.
"""

import io
import re
import subprocess
import unicodedata
import zipfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from elcano.graphs.extras import install_command
from elcano.graphs.report.report import Report
from elcano.service.errors import Refusal
from elcano.service.reports.bibliography import BIBTEX, FORMS
from elcano.service.reports.reference_entries import build_reference_entries

if TYPE_CHECKING:
    import typst

DocumentForm: TypeAlias = Literal["docx", "pdf", "latex"]
CONTENTS_FROM: Final = 4
"""Headings from which on a document has contents."""
LINE: Final = 80
"""Characters that a line holds."""
MOST_UNSHOWN: Final = 20
"""Characters without a font above which a report is refused: the fonts of its script are missing."""
_SECONDS: Final = 120
"""Longest time that pandoc gets; a report of 300 pages takes some 10 seconds."""
_TEMPLATES: Final = Path(__file__).parent / "templates"
_WRITERS: Final[Mapping[DocumentForm, str]] = {"docx": "docx", "pdf": "typst", "latex": "latex"}
_RIGHT_TO_LEFT: Final = frozenset({"ar", "fa", "he", "ur"})
_FONTS: Final[Mapping[str, str]] = {"ja": "CJK JP", "ko": "CJK KR", "th": "Thai", "zh": "CJK SC", "zh-Hant": "CJK TC"}
"""Noto fonts by language where readers notice the choice; else any font that has the letter."""
_WIDEST, _NARROWEST, _SHORT, _LONGEST_WORD, _PADDING = 120, 4, 12, 16, 3
"""Characters: what a column is as wide as at most and at least, cells and words that stay whole, the padding."""
_WORD: Final = re.compile(r"[^\s\u2e80-\uffef]+")
"""Text in which no line may be broken; Chinese, Japanese and Korean may be broken anywhere."""
_NOT_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNSHOWN: Final = re.compile(r'the text `"(?P<text>.*)"` could not be displayed', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\u\{([0-9a-f]{1,6})\}|\\(.)")
_A4: Final = (
    b'<w:pgSz w:w="11906" w:h="16838"/>'
    b'<w:pgMar w:top="1417" w:right="1417" w:bottom="1417" w:left="1417" w:header="708" w:footer="708" w:gutter="0"/>'
)
_CELL_LINES: Final = b"<w:tblBorders>%s</w:tblBorders>" % b"".join(
    b'<w:%s w:val="single" w:sz="4" w:space="0" w:color="auto"/>' % side
    for side in (b"top", b"left", b"bottom", b"right", b"insideH", b"insideV")
)


class ExportUnavailable(Refusal, kind="not_installed", title="This form cannot be made here"):
    """The server lacks what a form of export needs: a library, or fonts."""


def can_write_documents() -> bool:
    """Whether the extra `exports` is installed."""
    return find_spec("pypandoc") is not None and find_spec("typst") is not None


def write_document(form: DocumentForm, report: Report, pictures: Mapping[str, str | None]) -> bytes:
    """The document's file, for LaTeX a ZIP archive; `pictures` are those of the report (SVG) by their paths.

    Raises:
        ExportUnavailable: the extra `exports`, or fonts for the report's script, are not installed.
    """
    if not can_write_documents():
        raise ExportUnavailable(
            f"the API has no program that makes documents: {install_command('exports')}, and start it again; "
            "the report as html or markdown needs none"
        )
    page, files = _build_page(form, report, pictures)
    document = _convert_page(form, report, page)
    if form == "docx":  # in its sandbox pandoc has no clock
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").encode()
        return _replace_in_archive(document, "docProps/core.xml", re.compile(rb"1970-01-01T00:00:00Z"), now)
    if form == "pdf":
        return _typeset_pdf(document.decode(), files)
    files |= {"report.tex": document, "references.bib": FORMS[BIBTEX](report.references).encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _build_page(form: DocumentForm, report: Report, pictures: Mapping[str, str | None]) -> tuple[Any, dict[str, bytes]]:
    """The page of HTML as pandoc reads it, and the files of its pictures."""
    from lxml import html

    from elcano.service.reports.html_report import render_report_page

    # The page's parser would change a drawing's attributes, so that an empty one marks its place.
    places = {path: drawing and f'<svg role="{path}"></svg>' for path, drawing in pictures.items()}
    page: Any = html.fromstring(_clean_text(render_report_page(report, places)))
    files: dict[str, bytes] = {}
    for mark in list(page.iter("svg")):
        _insert_picture(mark, pictures[mark.get("role")] or "", form, files)
    for fraction in page.iter("mfrac"):
        if fraction.get("linethickness", "1").startswith("0"):
            fraction.set("linethickness", "0pt")  # pandoc takes "0" for a fraction with a line: n over k would be n / k
    for letter in page.iter("mi"):
        if letter.get("mathvariant") == "normal":
            letter.tag = "mtext"  # pandoc would set it in italics
    for table in page.iter("table"):
        _size_columns(table)
    _mend_headings(page, _clean_text(report.title).strip() or report.run_id)
    if form == "latex":
        _set_citation_keys(page, report)
    page.set("lang", page.get("lang", "en"))
    direction = "rtl" if page.get("lang").partition("-")[0] in _RIGHT_TO_LEFT else "ltr"
    about = {"subject": report.question, "description": f"Run {report.run_id}", "dir": direction}
    for name, content in about.items():
        page.find("head").append(page.makeelement("meta", name=name, content=_clean_text(content)))
    return page, files


def _clean_text(text: str) -> str:
    """The text without characters that no XML may have; a sign replaces each."""
    return _NOT_XML.sub("\ufffd", text)


def _insert_picture(mark: Any, drawing: str, form: DocumentForm, files: dict[str, bytes]) -> None:
    """Replace a mark by its picture; by its title where the drawing cannot be read."""
    title, more = (
        " ".join(unescape(found[1]).split())
        if (found := re.search(rf"<{tag}[^>]*>(.*?)</{tag}>", drawing, re.S))
        else ""
        for tag in ("title", "desc")
    )
    kind: Literal["png", "pdf"] = "pdf" if form == "latex" else "png"
    if (converted := _convert_drawing(drawing, kind)) is None:
        picture = mark.makeelement("em")
        picture.text = title or "Picture"
    else:
        name = f"figures/figure-{len(files) + 1}.{'svg' if form == 'pdf' else kind}"
        files[name] = drawing.encode() if form == "pdf" else converted
        source = f"data:image/png;base64,{b64encode(converted).decode()}" if form == "docx" else name
        picture = mark.makeelement("img", src=source, alt=f"{title}. {more}" if more else title, width="100%")
    picture.tail = mark.tail
    mark.getparent().replace(mark, picture)


def _convert_drawing(drawing: str, form: Literal["png", "pdf"]) -> bytes | None:
    """A drawing (SVG) in another form; None if it cannot be read."""
    import typst

    source = '#set page(width: auto, height: auto, margin: 0pt)\n#image("drawing.svg", width: 16cm)'
    try:
        return _compile_typst({"main.typ": source.encode(), "drawing.svg": drawing.encode()}, format=form, ppi=220.0)
    except typst.TypstError:
        return None


def _size_columns(table: Any) -> None:
    """Align cells as the page's classes say, and give columns of a wide table room for their texts."""
    rows = [list(row.iterchildren("td", "th")) for row in table.iter("tr")]
    for cell in table.iter("td", "th"):
        if cell.get("class"):
            cell.set("style", f"text-align: {cell.get('class')}")
    if (shares := _measure_columns(rows)) is not None:
        group = table.makeelement("colgroup")
        group.extend(table.makeelement("col", style=f"width: {share:.1%}") for share in shares)
        table.insert(0, group)


def _measure_columns(rows: Sequence[Sequence[Any]]) -> list[float] | None:
    """The share of each column: room for its longest word, more for its longest cell; None: all fit on a line."""
    columns = max((len(row) for row in rows), default=0)
    least, most, widest = [_NARROWEST] * columns, [_NARROWEST] * columns, [0] * columns
    for row in rows:
        for at, cell in enumerate(row):
            text = cell.text_content()
            width = len(text) + sum(unicodedata.east_asian_width(one) in "WF" for one in text)
            whole = width if width <= _SHORT else max(map(len, _WORD.findall(text)), default=0)
            widest[at] = max(widest[at], width)
            least[at] = max(least[at], min(whole, _LONGEST_WORD) + _PADDING)
            most[at] = max(most[at], min(width, _WIDEST) + _PADDING)
    if sum(widest) <= LINE:
        return None
    left = min(max(LINE - sum(least), 0) / max(sum(most) - sum(least), 1), 1)
    widths = [low + left * (high - low) for low, high in zip(least, most, strict=True)]
    return [width / sum(widths) for width in widths]


def _mend_headings(page: Any, title: str) -> None:
    """Take the title out of the text, and leave no level out and none empty: accessible files may have neither."""
    page.find("head/title").text = title
    if (first := page.find("body/main/h1")) is not None:
        first.drop_tree()
    level = 1
    for heading in list(page.iter("h1", "h2", "h3")):
        if not heading.text_content().strip():
            heading.drop_tree()
            continue
        level = min(max(int(heading.tag[1]), 2), level + 1)
        heading.tag = f"h{level}"


def _set_citation_keys(page: Any, report: Report) -> None:
    """Name references by their BibTeX keys, by which the filter cites them."""
    entries = build_reference_entries(report.references)
    keys = {
        f"reference-{one.number}": f"cite-{entry.key}" for one, entry in zip(report.references, entries, strict=True)
    }
    for element in page.iter("a", "li"):
        if (key := keys.get((element.get("href") or "").removeprefix("#"))) is not None:
            element.set("href", f"#{key}")
        elif (key := keys.get(element.get("id"))) is not None:
            element.set("id", key)


def _convert_page(form: DocumentForm, report: Report, page: Any) -> bytes:
    """Have pandoc write the page in another form."""
    import pypandoc
    from lxml import html

    options = ["--from=html", f"--to={_WRITERS[form]}", "--standalone", "--shift-heading-level-by=-1", "--sandbox"]
    options += [f"--lua-filter={_TEMPLATES / 'filter.lua'}"]
    if form != "docx" and sum(1 for _ in page.iter("h2")) >= CONTENTS_FROM:
        options += ["--toc", "--toc-depth=2"]
    if form == "pdf":
        language, _, region = page.get("lang").partition("-")
        fonts = _FONTS["zh-Hant"] if region in ("Hant", "TW", "HK") else _FONTS.get(language)
        options += [f"--template={_TEMPLATES / 'report.typ'}", f"--variable=run={report.run_id}"]
        options += [f"--variable=fonts={fonts}"] if fonts else []
    if form == "latex":
        options += ["--variable=papersize=a4", "--variable=colorlinks"]
    with TemporaryDirectory() as folder:
        if form == "docx":
            reference = Path(folder, "reference.docx")
            reference.write_bytes(_build_reference())
            options += [f"--reference-doc={reference}", "--output=-"]
        try:
            done = subprocess.run(
                [pypandoc.get_pandoc_path(), *options],
                input=html.tostring(page, encoding="utf-8"),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise ExportUnavailable(f"pandoc took more than {_SECONDS} seconds for it: save it as html") from None
    if done.returncode:
        raise ExportUnavailable(f"pandoc failed, {done.stderr.decode(errors='replace')[:300]}: save it as html")
    return done.stdout


@cache
def _build_reference() -> bytes:
    """The styles that pandoc has for Word, on A4 and with lines around the cells of tables."""
    import pypandoc

    command = [pypandoc.get_pandoc_path(), "--print-default-data-file=reference.docx"]
    given = subprocess.run(command, capture_output=True, check=True).stdout
    table = re.compile(rb'(w:styleId="Table">.*?)(<w:tblCellMar>)', re.DOTALL)
    given = _replace_in_archive(given, "word/styles.xml", table, rb"\1" + _CELL_LINES + rb"\2")
    return _replace_in_archive(given, "word/document.xml", re.compile(rb"</w:sectPr>"), _A4 + rb"</w:sectPr>")


def _replace_in_archive(data: bytes, name: str, pattern: re.Pattern[bytes], replacement: bytes) -> bytes:
    """The archive with another text in one of its files."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        for one in given.namelist():
            content = given.read(one)
            written.writestr(one, pattern.sub(replacement, content) if one == name else content)
    return file.getvalue()


def _typeset_pdf(source: str, files: Mapping[str, bytes]) -> bytes:
    """Set the PDF. A character that no font has is written as its code."""
    import typst

    unshown: dict[int, str] = {}
    while True:
        texts = {"main.typ": source, **{name: content.decode() for name, content in files.items()}}
        try:
            return _compile_typst(
                {name: text.translate(unshown).encode() for name, text in texts.items()},
                format="pdf",
                pdf_standards=["ua-1"],
            )
        except typst.TypstError as error:
            if (named := _UNSHOWN.search(error.message)) is None:
                raise ExportUnavailable(f"it cannot be typeset, {error.message}: save it as docx or html") from error
            text = _ESCAPE.sub(lambda one: chr(int(one[1], 16)) if one[1] else one[2], named["text"])
        found = {ord(one): f"(U+{ord(one):04X})" for one in text if one > "\x7f"}
        unshown |= found
        if not found or len(unshown) > MOST_UNSHOWN:
            raise ExportUnavailable(
                f"the fonts of this server lack characters of this report, {', '.join([*unshown.values()][:3])} and "
                "others: install fonts (fonts-noto-core and fonts-noto-cjk on Debian) where the API runs and start it "
                "again, or save the report as docx or html"
            )


@cache
def _find_fonts() -> "typst.Fonts":
    """The fonts of this machine, which are looked for once in a process."""
    import typst

    return typst.Fonts()


def _compile_typst(files: Mapping[str, bytes], **options: Any) -> bytes:
    import typst

    made: Any = typst.compile(dict(files), font_paths=_find_fonts(), **options)
    assert isinstance(made, bytes)
    return made
