"""The typesetter of the extra `pdf` (Typst): the fonts that it knows, its literals, and pictures in other forms."""

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from elcano.service.errors import Refusal

if TYPE_CHECKING:
    import typst

PictureForm: TypeAlias = Literal["pdf", "png"]
_WIDTH: Final = "16cm"
"""Width of a converted picture; documents scale it to their room."""
_POINTS: Final = 220.0
"""Pixels an inch: lines stay sharp on paper."""


class ExportUnavailable(Refusal, kind="not_installed", title="This form cannot be made here"):
    """The server lacks what a form of export needs: a library, or fonts."""


@cache
def open_typesetter() -> "typst.Fonts":
    """The fonts of this machine, which are looked for once in a process."""
    import typst

    return typst.Fonts()


def quote_literal(text: str) -> str:
    """A string literal of Typst."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def convert_drawing(drawing: str, form: PictureForm) -> bytes | None:
    """A picture (SVG) in another form; None if it cannot be read, or the extra `pdf` is not installed."""
    if find_spec("typst") is None:
        return None
    import typst

    page = "#set page(width: auto, height: auto, margin: 0pt)\n"
    page += f'#image(bytes({quote_literal(drawing)}), format: "svg", width: {_WIDTH})'
    try:
        made = typst.compile(page.encode(), font_paths=open_typesetter(), format=form, ppi=_POINTS)
    except typst.TypstError:
        return None
    assert isinstance(made, bytes)
    return made
