"""Jupyter notebooks: Markdown as text, code as code, and of each output what can be read.

An output usually comes in several forms. Of these, tables of HTML come first, then formulas, then plain text, unless
that only names an object of Python, which is shown as HTML.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed, decode_text
from elcano.subjects.documents.authorship import MOST_AUTHORS
from elcano.subjects.documents.html import read_html
from elcano.subjects.documents.markdown import read_markdown
from elcano.text.tex_formulas import write_tex

MOST_CELLS: Final = 20_000
OUTPUT_CHARACTERS: Final = 20_000
"""Characters of one output that are read: what is longer is a log, or data."""
MOST_MARKUP: Final = 2_000_000
"""Characters of an output's HTML that are looked at: it may hold pictures."""
_BARE_LINES: Final = ("source", "input", "text", "html", "latex")
"""What is lists of lines in notebooks before version 3."""
_DATA: Final = re.compile(r"data:image/[a-z.+-]{1,20};base64,[A-Za-z0-9+/=]*")
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_OBJECT: Final = re.compile(r"<[\w.]{1,200}(?: [^<>\n]{0,300})?>|<matplotlib[^\n]{0,300}")
"""Python's representation of an object that has no text, such as an axis of a chart."""


@dataclass
class _Outputs:
    """Omitted outputs of a notebook."""

    pictures: int = 0
    shortened: int = 0


def read_notebook(content: bytes) -> Parsed:
    """Read a notebook.

    Raises:
        FileSkipped: it is none.
    """
    try:
        text = decode_text(content)
        notebook = json.loads(text)
        if isinstance(notebook, dict) and notebook.get("nbformat") in (1, 2):
            notebook = json.loads(text, object_hook=_join_bare_lines)
    except (ValueError, RecursionError) as error:
        raise FileSkipped("it is no notebook: it is no JSON that can be read") from error
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise FileSkipped("it is no notebook of Jupyter")
    left_out = _Outputs()
    blocks: list[Block] = []
    cells = list(_list_cells(notebook))
    for number, cell in enumerate(cells[:MOST_CELLS], 1):
        blocks += (_number_block(block, number) for block in _read_cell(cell, left_out))
    gaps = []
    if left_out.pictures:
        gaps.append(Gap(f"{left_out.pictures:,} outputs are pictures, which are not read"))
    if left_out.shortened:
        gaps.append(
            Gap(
                f"{left_out.shortened:,} outputs have more than {OUTPUT_CHARACTERS:,} characters: "
                "only their beginning was read"
            )
        )
    if len(cells) > MOST_CELLS:
        gaps.append(Gap(f"cells from {MOST_CELLS + 1:,} on were not read"))
    metadata = _get_mapping(notebook, "metadata")
    title = metadata.get("title")
    return Parsed(
        blocks, title if isinstance(title, str) else "", tuple(_list_authors(metadata))[:MOST_AUTHORS], gaps=tuple(gaps)
    )


def _number_block(block: Block, number: int) -> Block:
    return Block(block.text, block.kind, block.level, paragraph=number, cells=block.cells)


def _list_cells(notebook: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sheets = notebook.get("worksheets")  # of notebooks before 2015
    for sheet in sheets if isinstance(sheets, list) else [notebook]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from (cell for cell in (cells if isinstance(cells, list) else ()) if isinstance(cell, dict))


def _list_authors(metadata: Mapping[str, Any]) -> Iterator[str]:
    authors = metadata.get("authors")
    for one in authors if isinstance(authors, list) else ():
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str) and name.strip():
            yield " ".join(name.split())


def _read_cell(cell: Mapping[str, Any], left_out: _Outputs) -> Iterator[Block]:
    source = _join_lines(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        yield from read_markdown(source.encode("utf-8", "replace")).blocks
    elif kind == "heading":
        level = cell.get("level")
        yield Block(source, "heading", level if isinstance(level, int) and 1 <= level <= 6 else 1)
    elif kind == "code":
        if source.strip():
            yield Block(source, "code")
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            if isinstance(output, dict):
                yield from _read_output(output, left_out)
    elif source.strip():
        yield Block(source)


def _read_output(output: Mapping[str, Any], left_out: _Outputs) -> Iterator[Block]:
    kind = output.get("output_type")
    if kind == "stream":
        yield from _build_output(_join_lines(output.get("text")), left_out)
    elif kind in ("error", "pyerr"):
        yield Block(_ANSI.sub("", f"{output.get('ename', '')}: {output.get('evalue', '')}"[:OUTPUT_CHARACTERS]), "code")
    else:
        yield from _read_data(_get_mapping(output, "data") or output, left_out)


def _read_data(data: Mapping[str, Any], left_out: _Outputs) -> Iterator[Block]:
    html = _join_lines(data.get("text/html", data.get("html")))
    if "<table" in html and len(html) <= 10 * OUTPUT_CHARACTERS:
        blocks = read_html(html.encode("utf-8", "replace")).blocks
        if any(block.kind == "table" for block in blocks):
            yield from blocks
            return
    tex = _join_lines(data.get("text/latex", data.get("latex")))
    if tex.strip().startswith(("$", "\\[", "\\(")) and (formula := write_tex(tex)):
        yield Block(formula, "formula")
        return
    markdown = _join_lines(data.get("text/markdown"))
    text = _join_lines(data.get("text/plain", data.get("text")))
    pictured = any(str(name).startswith(("image/", "png", "jpeg", "svg")) for name in data)
    left_out.pictures += pictured
    if markdown.strip():
        left_out.shortened += len(markdown) > OUTPUT_CHARACTERS
        yield from read_markdown(markdown[:OUTPUT_CHARACTERS].encode("utf-8", "replace")).blocks
    elif _OBJECT.fullmatch(text.strip()):
        yield from _read_page(html, left_out)
    elif not pictured:
        yield from _build_output(text, left_out)


def _read_page(html: str, left_out: _Outputs) -> Iterator[Block]:
    """Read an output that is shown as a page: the text next to it only names its object."""
    markup = _DATA.sub("", html)
    room = OUTPUT_CHARACTERS
    blocks = read_html(markup[:MOST_MARKUP].encode("utf-8", "replace")).blocks if "<" in markup else []
    for block in blocks:
        if len(block.text) > room:
            cells = tuple(cell for cell in block.cells if cell.end <= room)
            yield from [replace(block, text=block.text[:room], cells=cells)] if room else ()
            left_out.shortened += 1
            return
        room -= len(block.text)
        yield block
    left_out.shortened += len(markup) > MOST_MARKUP


def _build_output(text: str, left_out: _Outputs) -> Iterator[Block]:
    plain = _ANSI.sub("", text[: 2 * OUTPUT_CHARACTERS])
    # A carriage return begins a line anew, as bars of progress do.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n")]
    shown = "\n".join(lines)
    left_out.shortened += len(text) > OUTPUT_CHARACTERS
    if shown.strip():
        yield Block(shown[:OUTPUT_CHARACTERS], "code")


def _join_bare_lines(mapping: dict[str, Any]) -> dict[str, Any]:
    """Join the lines of texts: before version 3 of the format their ends may be left out."""
    for name in _BARE_LINES:
        value = mapping.get(name)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            mapping[name] = "\n".join(one.removesuffix("\n") for one in value)
    return mapping


def _join_lines(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "".join(one for one in value if isinstance(one, str))
    return ""


def _get_mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}
