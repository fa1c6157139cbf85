"""Word and OpenDocument files, written from their XML."""

import io
import zipfile
from collections.abc import Mapping

from elcano.activities.passages.document import Parsed
from elcano.subjects.documents.office.odf_documents import read_odf
from elcano.subjects.documents.office.word_documents import read_word

SCHEMAS = "http://schemas.openxmlformats.org/"
NAMESPACES = (
    f'xmlns:w="{SCHEMAS}wordprocessingml/2006/main" xmlns:m="{SCHEMAS}officeDocument/2006/math" '
    f'xmlns:r="{SCHEMAS}officeDocument/2006/relationships" xmlns:mc="{SCHEMAS}markup-compatibility/2006" '
    f'xmlns:a="{SCHEMAS}drawingml/2006/main" xmlns:wp="{SCHEMAS}drawingml/2006/wordprocessingDrawing" '
    f'xmlns:c="{SCHEMAS}drawingml/2006/chart" xmlns:dgm="{SCHEMAS}drawingml/2006/diagram" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
)
OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
ODF_NAMESPACES = (
    " ".join(f'xmlns:{name}="{OASIS}{name}:1.0"' for name in ("office", "text", "table", "style", "form", "chart"))
    + f' xmlns:draw="{OASIS}drawing:1.0" xmlns:fo="{OASIS}xsl-fo-compatible:1.0" xmlns:meta="{OASIS}meta:1.0"'
    + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


def pack(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relate(targets: Mapping[str, tuple[str, str]]) -> str:
    """The relationships of a part: kinds and targets by their ids."""
    lines = "".join(
        f'<Relationship Id="{key}" Type="{SCHEMAS}officeDocument/2006/relationships/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{SCHEMAS}package/2006/relationships">{lines}</Relationships>'


def docx(
    body: str, relations: Mapping[str, tuple[str, str]] | None = None, main: str = "word/document.xml", **parts: str
) -> bytes:
    """A Word document with this body; `parts` are `styles`, `footnotes` and so on, without their root."""
    folder, _, name = main.rpartition("/")
    files: dict[str, str | bytes] = {
        "_rels/.rels": relate({"r0": ("officeDocument", main)}),
        main: f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        f"{folder}/_rels/{name}.rels": relate(relations or {}),
    }
    for part, content in parts.items():
        is_whole = content.startswith("<?")
        files[f"{folder}/{part}.xml"] = content if is_whole else f"<w:{part} {NAMESPACES}>{content}</w:{part}>"
    return pack(files)


def p(content: str, properties: str = "") -> str:
    """A paragraph: its text, or its runs as XML."""
    runs = content if content.startswith("<") else r(content)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{runs}</w:p>"


def r(text: str, properties: str = "") -> str:
    """A run."""
    return f'<w:r>{f"<w:rPr>{properties}</w:rPr>" if properties else ""}<w:t xml:space="preserve">{text}</w:t></w:r>'


def tc(content: str, properties: str = "") -> str:
    """A cell of a table."""
    inner = content if content.startswith("<") else p(content)
    return f"<w:tc>{f'<w:tcPr>{properties}</w:tcPr>' if properties else ''}{inner}</w:tc>"


def tr(*cells: str, properties: str = "") -> str:
    """A row of a table."""
    inner = "".join(cell if cell.startswith("<") else tc(cell) for cell in cells)
    return f"<w:tr>{f'<w:trPr>{properties}</w:trPr>' if properties else ''}{inner}</w:tr>"


def tbl(*rows: str, properties: str = "") -> str:
    """A table."""
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr>{''.join(rows)}</w:tbl>"


def field(instruction: str, result: str = "") -> str:
    """The runs of a complex field."""
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    told = f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
    return f"{marks[0]}{told}{marks[1]}{result}{marks[2]}" if result else f"{marks[0]}{told}{marks[2]}"


def read_body(body: str, relations: Mapping[str, tuple[str, str]] | None = None, **parts: str) -> Parsed:
    """What is read of a Word document with this body."""
    return read_word(docx(body, relations, **parts))


def read_texts(body: str, relations: Mapping[str, tuple[str, str]] | None = None, **parts: str) -> list[str]:
    """The texts of the blocks of a Word document with this body."""
    return [block.text for block in read_body(body, relations, **parts).blocks]


def odt(body: str, automatic: str = "", /, **parts: str) -> bytes:
    """An OpenDocument text; `automatic` are the styles in its content."""
    content = (
        f"<office:document-content {ODF_NAMESPACES}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return pack({"content.xml": content, **{name.replace("__", "/") + ".xml": part for name, part in parts.items()}})


def read_odt(body: str, automatic: str = "", /, **parts: str) -> list[tuple[str, str]]:
    """The kinds and texts of the blocks of an OpenDocument text."""
    return [(block.kind, block.text) for block in read_odf(odt(body, automatic, **parts)).blocks]
