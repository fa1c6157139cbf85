"""Finds the words of a page that a person cannot see: white on white, tiny, off the page, covered, transparent.

A word is visible if the page looks different without it. So the page is drawn twice at a low resolution, with its text
and without, and compared where each word is; that covers every way to hide a word. One kind of text changes nothing
and is meant to be read all the same: the text layer of a scan, which lies unseen on the picture of its own words.
"""

import ctypes
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.passages.document import Gap
from elcano.subjects.documents.pdf.frames import Frame, Rectangle, measure_frame
from elcano.subjects.documents.pdf.page_objects import (
    TextObject,
    find_untouched,
    list_objects,
    measure_cover,
    measure_object,
    switched_off,
)
from elcano.subjects.documents.pdf.words import Word

SCALE: Final = 1.0
"""Pixels per point. Strokes of type of 5 points still darken a pixel by a third."""
MAXIMUM_PIXELS: Final = 2_000_000
"""A page of A4 has half a million at that scale; posters are drawn smaller, and their type is larger."""
SMALLEST_DRAWN: Final = 2.0
"""Words of a smaller size in pixels, as on pages of ten metres, leave too little in a picture to be judged by it."""
DIFFERENCE: Final = 8
"""Minimum difference of 255 levels of grey. Light grey print (#ddd) of 5 points makes 10; white on #fafafa at most
5."""
TINY_POINTS: Final = 1.5
TINY_SHARE: Final = 0.002
"""Type is tiny below both: 1.5 points, and this share of the page's height, since a small page is shown enlarged."""
PICTURE_SHARE: Final = 0.5
"""Images that cover more of a page than this make it the picture of a page."""
LAYER_CONTRAST: Final = 48
"""Minimum contrast of 255 levels: a word of a text layer lies on print, which differs by this from its paper. Faded
typescript differs by 80, stains and paper grain by 30."""
LAYER_SHIFT: Final = 2.0
"""Heights of a word by which print may stand away from it: layers of old scans are displaced by up to a line and a half
of 117 real papers' scans."""
_LAST_LATIN: Final = "\u024f"
"""PDFium brings fonts of its own for Latin letters alone."""


class Sight(NamedTuple):
    """Visible parts of a page."""

    hidden: frozenset[int]
    """Indices of the words that cannot be seen."""
    layer: frozenset[int]
    """Indices of the words of a text layer: unseen themselves, on the picture of their print."""
    picture_share: float
    """The share of the page that images cover, 0 to 1."""
    has_ink: bool
    """Whether anything but the given words is drawn on the page."""


def see_words(page: pdfium.PdfPage, words: Sequence[Word]) -> Sight:
    """Find out which of a page's words can be seen.

    Args:
        page: the page. Its objects are switched off and on again.
        words: its words, with places in points of the displayed page.

    Raises:
        pdfium.PdfiumError: the page cannot be drawn.
    """
    frame = measure_frame(page.raw)
    texts, images = list_objects(page, frame)
    covered = measure_cover([place for _, place in images], frame)
    if not words:
        return Sight(frozenset(), frozenset(), covered, _Drawing(page, frame).has_ink())
    # An image is decoded whenever it is drawn, which takes a tenth of a second. One that no word touches shows nothing.
    aside = [] if covered > PICTURE_SHARE else find_untouched(images, words, frame)
    with switched_off(aside):
        drawn = _Drawing(page, frame)
        with switched_off([text.handle for text in texts]):
            bare = _Drawing(page, frame)
    unseen = {index for index, word in enumerate(words) if _is_unseen(word, frame, drawn, bare)}
    unseen -= _find_undrawable(unseen, words, texts, frame, bare)
    layer: set[int] = set()
    if covered > PICTURE_SHARE and len(unseen) > len(words) / 2:
        layer = {index for index in unseen if _is_layer(words[index], frame, bare)}
    return Sight(frozenset(unseen - layer), frozenset(layer), covered, bool(aside) or bare.has_ink())


def describe_hidden(hidden: dict[int, int]) -> Gap | None:
    """The gap that names hidden text; None: there is none.

    Args:
        hidden: how many words of each page cannot be seen, by its number.
    """
    pages = tuple(sorted(page for page, count in hidden.items() if count))
    if not pages:
        return None
    count = sum(hidden.values())
    words = "1 word that is" if count == 1 else f"{count} words that are"
    return Gap(f"hidden text on {name_pages(pages)} was left out ({words} not visible)", pages, unread=False)


def name_pages(pages: Sequence[int]) -> str:
    """Numbers of pages in words: `page 2`, `pages 3 to 5`, `pages 1, 3 to 5 and 9`."""
    runs: list[list[int]] = []
    for page in pages:
        if runs and page == runs[-1][-1] + 1:
            runs[-1].append(page)
        else:
            runs.append([page])
    parts = [part for run in runs for part in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run))]
    if len(pages) == 1:
        return f"page {pages[0]}"
    return f"pages {', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else f"pages {parts[0]}"


class _Drawing:
    """A page as it is drawn now, in levels of grey."""

    def __init__(self, page: pdfium.PdfPage, frame: Frame) -> None:
        area = frame.width * frame.height
        self.scale = min(SCALE, (MAXIMUM_PIXELS / area) ** 0.5)
        bitmap = page.render(scale=self.scale, grayscale=True, may_draw_forms=False)
        self._pixels = bytes(bitmap.buffer)
        self._stride, self._width, self._height = bitmap.stride, bitmap.width, bitmap.height

    def rows(self, word: Word) -> Iterator[bytes]:
        """The rows of pixels that a word covers."""
        left, right, top, bottom = self._measure(word)
        for row in range(top, bottom) if left < right else ():
            yield self._pixels[row * self._stride + left : row * self._stride + right]

    def _measure(self, word: Word) -> tuple[int, int, int, int]:
        """The first column and the one after the last of the pixels that a word covers, and so its rows."""
        left = max(0, int(word.left * self.scale))
        right = min(self._width, int(word.right * self.scale) + 1)
        top = max(0, int(word.top * self.scale))
        bottom = min(self._height, int(word.bottom * self.scale) + 1)
        return left, right, top, bottom

    def differs(self, other: "_Drawing", word: Word) -> bool:
        """Whether another drawing of the page looks different where a word is; from its middle, where type is."""
        left, right, top, bottom = self._measure(word)
        if left >= right or top >= bottom:
            return False
        middle = (top + bottom) // 2
        return self._differ_rows(other, left, right, middle, bottom) or self._differ_rows(
            other, left, right, top, middle
        )

    def _differ_rows(self, other: "_Drawing", left: int, right: int, first: int, end: int) -> bool:
        """The same for these columns of some rows."""
        for start in range(first * self._stride, end * self._stride, self._stride):
            own, others = self._pixels[start + left : start + right], other._pixels[start + left : start + right]
            if own != others:
                for one, two in zip(own, others, strict=True):
                    if one - two > DIFFERENCE or two - one > DIFFERENCE:
                        return True
        return False

    def contrast(self, word: Word) -> int:
        """The difference between the darkest and the brightest pixel where a word is."""
        inside = b"".join(self.rows(word))
        return max(inside) - min(inside) if inside else 0

    def shade(self, x: float, y: float) -> int | None:
        """The level of grey at a point; None: it is off the page."""
        column, row = int(x * self.scale), int(y * self.scale)
        if not (0 <= column < self._width and 0 <= row < self._height):
            return None
        shade: int = self._pixels[row * self._stride + column]
        return shade

    def has_ink(self) -> bool:
        """Whether anything at all is drawn."""
        blank: int = self._pixels.count(self._pixels[:1])
        padding: int = (self._stride - self._width) * self._height
        return blank < len(self._pixels) - padding


def _is_tiny(word: Word, frame: Frame) -> bool:
    if word.size >= TINY_POINTS or word.size >= TINY_SHARE * max(frame.width, frame.height):
        return False
    longer = max(word.right - word.left, word.bottom - word.top)
    # The sizes of Type 3 fonts say nothing: their letters are of any size.
    return _height(word) <= 2 * word.size and longer <= 2 * word.size * len(word.text)


def _height(word: Word) -> float:
    return word.right - word.left if word.turn in (90, 270) else word.bottom - word.top


def _is_layer(word: Word, frame: Frame, bare: _Drawing) -> bool:
    if _is_tiny(word, frame):
        return False
    near = LAYER_SHIFT * max(word.size, _height(word))
    around = word._replace(
        left=word.left - near, top=word.top - near, right=word.right + near, bottom=word.bottom + near
    )
    return bare.contrast(around) > LAYER_CONTRAST


def _is_unseen(word: Word, frame: Frame, drawn: _Drawing, bare: _Drawing) -> bool:
    if word.right <= 0 or word.bottom <= 0 or word.left >= frame.width or word.top >= frame.height:
        return True
    if word.size * drawn.scale < SMALLEST_DRAWN:
        if _is_tiny(word, frame):
            return True
        if _height(word) * drawn.scale < SMALLEST_DRAWN:
            return False
    return not drawn.differs(bare, word)


def _find_undrawable(
    unseen: set[int], words: Sequence[Word], texts: Sequence[TextObject], frame: Frame, bare: "_Drawing"
) -> set[int]:
    """The words that PDFium cannot draw and others can: neither the file nor this machine has a font for them."""
    foreign = [index for index in unseen if max(words[index].text) > _LAST_LATIN]
    if not foreign:
        return set()
    found: set[int] = set()
    for handle, matrix in texts:
        if not _has_foreign_font(handle) or (shade := _read_shade(handle)) is None:
            continue
        place = measure_object(handle, matrix, frame)
        for index in foreign:
            word = words[index]
            if _is_near(word, place) and not _is_tiny(word, frame):
                paper = bare.shade((word.left + word.right) / 2, (word.top + word.bottom) / 2)
                if paper is not None and abs(shade - paper) > DIFFERENCE:
                    found.add(index)
    return found


def _is_near(word: Word, place: Rectangle) -> bool:
    """Whether a word may belong to a text; a text that cannot be drawn has no height, only a base line."""
    left, top, right, bottom = place
    return (
        word.left <= right + word.size
        and word.right >= left - word.size
        and word.top <= bottom + word.size
        and word.bottom >= top - word.size
    )


def _has_foreign_font(text: pdfium_c.FPDF_PAGEOBJECT) -> bool:
    font = pdfium_c.FPDFTextObj_GetFont(text)
    return bool(font) and pdfium_c.FPDFFont_GetIsEmbedded(font) == 0


def _read_shade(text: pdfium_c.FPDF_PAGEOBJECT) -> float | None:
    """The level of grey in which a text is drawn; None: in none, or transparently."""
    if pdfium_c.FPDFTextObj_GetTextRenderMode(text) in (
        pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE,
        pdfium_c.FPDF_TEXTRENDERMODE_CLIP,
    ):
        return None
    channels = [ctypes.c_uint() for _ in range(4)]
    pdfium_c.FPDFPageObj_GetFillColor(text, *map(ctypes.byref, channels))
    red, green, blue, alpha = (channel.value for channel in channels)
    return 0.299 * red + 0.587 * green + 0.114 * blue if alpha > DIFFERENCE else None
