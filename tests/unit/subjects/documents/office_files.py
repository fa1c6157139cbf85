"""Workbooks, spreadsheets, slides and books for tests, with only the parts that are given."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def package(parts: Mapping[str, str | bytes], *, stored: Sequence[str] = ()) -> bytes:
    """A ZIP archive with these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            kind = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, text, kind)
    return out.getvalue()


def relationships(targets: Mapping[str, tuple[str, str]]) -> str:
    """A part that says where ids lead: kind and target by id."""
    inner = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{inner}</Relationships>'
    )


def column(number: int) -> str:
    return chr(ord("A") + number)


def cell(reference: str, value: object, style: int = 0) -> str:
    """One cell of a sheet: a text, a number, or XML as bytes."""
    if isinstance(value, bytes):
        return f'<c r="{reference}" s="{style}">{value.decode()}</c>'
    if isinstance(value, str):
        return f'<c r="{reference}" s="{style}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def sheet_xml(rows: Sequence[Sequence[object]], *, before: str = "", after: str = "", rows_at: int = 1) -> str:
    """A sheet whose cells are these values; a pair is a value with the number of its style."""
    written = []
    for number, row in enumerate(rows, rows_at):
        cells = "".join(
            cell(f"{column(at)}{number}", *(value if isinstance(value, tuple) else (value,)))
            for at, value in enumerate(row)
            if value is not None
        )
        written.append(f'<row r="{number}">{cells}</row>')
    return f'<worksheet xmlns="{SHEETS}">{before}<sheetData>{"".join(written)}</sheetData>{after}</worksheet>'


def workbook(
    sheets: Mapping[str, str],
    *,
    formats: Sequence[str] = (),
    hidden: Sequence[str] = (),
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook of sheets; style 0 is General, the others have these formats, in their order."""
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"'
        f"{' state=' + chr(34) + 'hidden' + chr(34) if name in hidden else ''}/>"
        for number, name in enumerate(sheets, 1)
    )
    codes = "".join(
        f'<numFmt numFmtId="{200 + number}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for number, code in enumerate(formats)
    )
    styles = '<xf numFmtId="0" fontId="0"/>' + "".join(
        f'<xf numFmtId="{200 + number}" fontId="0"/>' for number in range(len(formats))
    )
    targets = {f"rId{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(sheets) + 1)}
    return package(
        {
            "[Content_Types].xml": '<Types><Override PartName="/xl/workbook.xml" '
            'ContentType="application/vnd.openxmlformats'
            '-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
            "_rels/.rels": relationships({"rId1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relationships({**targets, "rIdS": ("styles", "styles.xml")}),
            "xl/styles.xml": f'<styleSheet xmlns="{SHEETS}"><numFmts>{codes}</numFmts><fonts><font/></fonts>'
            f"<cellXfs>{styles}</cellXfs></styleSheet>",
            **{f"xl/worksheets/sheet{number}.xml": text for number, text in enumerate(sheets.values(), 1)},
            **(parts or {}),
        }
    )


def shape(
    text: str, *, kind: str | None = None, at: tuple[int, int] | None = None, size: tuple[int, int] = (100, 10)
) -> str:
    """A shape with paragraphs, as XML of `a:p` or as lines; `kind`: the placeholder that it fills."""
    paragraphs = text if text.startswith("<a:p>") else "".join(f"<a:p>{run(line)}</a:p>" for line in text.split("\n"))
    holder = "" if kind is None else f'<p:ph type="{kind}"/>' if kind else '<p:ph idx="1"/>'
    place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{size[0]}" cy="{size[1]}"/></a:xfrm>' if at else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="s"/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{place}</p:spPr><p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def run(text: str, marks: str = "") -> str:
    return f"<a:r><a:rPr {marks}/><a:t>{escape(text)}</a:t></a:r>"


def slide_xml(*shapes: str, marks: str = "") -> str:
    return (
        f'<p:sld xmlns:p="{SLIDES}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}" {marks}><p:cSld><p:spTree>'
        f"{''.join(shapes)}</p:spTree></p:cSld></p:sld>"
    )


def presentation(
    slides: Sequence[str],
    *,
    related: Mapping[int, Mapping[str, tuple[str, str]]] | None = None,
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """Slides; `related`: what slides refer to, by their numbers from 1."""
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    targets = {f"rId{number}": ("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1)}
    return package(
        {
            "[Content_Types].xml": '<Types><Override PartName="/ppt/presentation.xml" '
            'ContentType="application/vnd.openxml'
            'formats-officedocument.presentationml.presentation.main+xml"/></Types>',
            "_rels/.rels": relationships({"rId1": ("officeDocument", "ppt/presentation.xml")}),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{OFFICE}"><p:sldIdLst>{listed}'
            "</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": relationships(targets),
            **{f"ppt/slides/slide{number}.xml": text for number, text in enumerate(slides, 1)},
            **{
                f"ppt/slides/_rels/slide{number}.xml.rels": relationships(found)
                for number, found in (related or {}).items()
            },
            **(parts or {}),
        }
    )


def epub(
    chapters: Mapping[str, str], *, metadata: str = "", navigation: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """A book with these chapters, in this order."""
    items = "".join(
        f'<item id="c{number}" href="text/{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    nav = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' if navigation else ""
    return package(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OPS/book.opf"/></rootfiles></container>',
            "OPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata>{metadata}</metadata><manifest>{items}{nav}</manifest><spine>{spine}</spine></package>",
            **({"OPS/nav.xhtml": navigation} if navigation else {}),
            **{f"OPS/text/{name}": text for name, text in chapters.items()},
            **(parts or {}),
        },
        stored=("mimetype",),
    )
