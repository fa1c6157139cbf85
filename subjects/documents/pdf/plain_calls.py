"""Functions of PDFium that are called for each character of a page or each point of a path, by their plain prototypes.

They take and give addresses, convert nothing and keep the interpreter's lock, so that a call takes a fifth of a
microsecond: a third of what it takes through pypdfium2.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pypdfium2.raw as pdfium_c

_Call: TypeAlias = Callable[..., Any]
_ADDRESS: Final = ctypes.c_void_p
_NUMBER: Final = ctypes.c_int


def address_of(pointer: object) -> int:
    """The address that a pointer holds; 0: it holds none."""
    return ctypes.cast(pointer, _ADDRESS).value or 0  # type: ignore[arg-type]


def _bind(function: object, result: Any, *arguments: Any) -> _Call:
    return ctypes.PYFUNCTYPE(result, *arguments)(address_of(function))


get_text_object: Final = _bind(pdfium_c.FPDFText_GetTextObject, _ADDRESS, _ADDRESS, _NUMBER)
"""The text object of a character, from its text page and index; None: it has none."""
get_loose_box: Final = _bind(pdfium_c.FPDFText_GetLooseCharBox, _NUMBER, _ADDRESS, _NUMBER, _ADDRESS)
"""Write the box of a character, from its text page and index, to an `FS_RECTF`."""
is_generated: Final = _bind(pdfium_c.FPDFText_IsGenerated, _NUMBER, _ADDRESS, _NUMBER)
"""Whether PDFium added a character, from its text page and index."""
get_path_segment: Final = _bind(pdfium_c.FPDFPath_GetPathSegment, _ADDRESS, _ADDRESS, _NUMBER)
"""A segment of a path, from its object and the index."""
get_glyph_segment: Final = _bind(pdfium_c.FPDFGlyphPath_GetGlyphPathSegment, _ADDRESS, _ADDRESS, _NUMBER)
"""A segment of the outline of a glyph, from its path and the index."""
get_segment_type: Final = _bind(pdfium_c.FPDFPathSegment_GetType, _NUMBER, _ADDRESS)
"""Type of a segment: how it is drawn."""
get_segment_point: Final = _bind(pdfium_c.FPDFPathSegment_GetPoint, _NUMBER, _ADDRESS, _ADDRESS, _ADDRESS)
"""Write the coordinates at which a segment ends to two floats."""
closes_path: Final = _bind(pdfium_c.FPDFPathSegment_GetClose, _NUMBER, _ADDRESS)
"""Whether a segment closes its part of the path."""
