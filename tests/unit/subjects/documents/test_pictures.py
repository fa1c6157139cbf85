import asyncio
import os
import struct
import threading
import zlib

import pytest

from elcano.activities.child_processes import ChildProcesses, Stop
from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.places import Box
from elcano.subjects.documents.file_processes import FileAnswer
from elcano.subjects.documents.pdf import pictures as pdf_pictures
from elcano.subjects.documents.pdf.page_drawing import render_page
from elcano.subjects.documents.pdf.pictures import (
    MAXIMUM_PIXELS,
    MAXIMUM_WIDTH,
    RENDERED_AT_ONCE,
    PagePicture,
    PageRenderer,
    PictureRequest,
    start_renderers,
)
from tests.unit.subjects.documents.pdf_drawings import show, write_pdf

PAGE = write_pdf([show("The moon pulls the sea.", 72, 700), b""])


def unpack_pixel(picture: PagePicture, x: int, y: int) -> tuple[int, ...]:
    """The red, green and blue of a pixel of a PNG that was written without prediction."""
    at = picture.content.index(b"IDAT")
    (length,) = struct.unpack(">I", picture.content[at - 4 : at])
    rows = zlib.decompress(picture.content[at + 4 : at + 4 + length])
    start = y * (3 * picture.width + 1) + 1 + 3 * x
    return tuple(rows[start : start + 3])


def test_a_page_becomes_a_png_of_the_width_that_was_asked_for() -> None:
    picture = render_page(PAGE, 1, 595)
    assert picture.content.startswith(b"\x89PNG")
    assert (picture.width, picture.height) == (595, 842)
    assert unpack_pixel(picture, 10, 10) == (255, 255, 255)


def test_a_mark_is_yellow_and_keeps_print_dark() -> None:
    plain = render_page(PAGE, 1, 595)
    marked = render_page(PAGE, 1, 595, [Box(0, 0.1, 1, 0.2)])
    assert unpack_pixel(marked, 10, 120) == (255, 232, 92)
    assert unpack_pixel(marked, 10, 10) == (255, 255, 255)
    dark = next(x for x in range(595) if unpack_pixel(plain, x, 137)[0] < 60)
    assert max(unpack_pixel(marked, dark, 137)) < 130


def test_marks_beyond_the_page_end_at_its_edges() -> None:
    assert unpack_pixel(render_page(PAGE, 1, 100, [Box(-1, -1, 2, 2)]), 99, 140) == (255, 232, 92)


@pytest.mark.parametrize("size", [(14_000, 14_000), (20, 14_000), (14_000, 20)])
def test_a_page_of_five_metres_costs_no_more_than_another(size: tuple[float, float]) -> None:
    picture = render_page(write_pdf([b"0 0 5 5 re f"], size=size), 1, 10_000)
    assert picture.width <= MAXIMUM_WIDTH
    assert picture.width * picture.height <= MAXIMUM_PIXELS * 1.01


@pytest.mark.parametrize("page", [0, 3, -1])
def test_a_page_that_is_not_there_is_refused_in_words(page: int) -> None:
    with pytest.raises(FileSkipped, match=f"it has no page {page}"):
        render_page(PAGE, page, 600)


class _Counted(ChildProcesses[PictureRequest, FileAnswer[PagePicture]]):
    """Draws nothing, and counts the requests that it has at the same time."""

    def __init__(self) -> None:
        super().__init__("none:none", FileAnswer[PagePicture])
        self._all_there = threading.Barrier(RENDERED_AT_ONCE)
        self._now = self.most = 0

    def ask(
        self, request: PictureRequest, stop: Stop | None = None, start_seconds: float = 0
    ) -> FileAnswer[PagePicture]:
        self._now += 1
        self.most = max(self.most, self._now)
        self._all_there.wait(60)
        self._now -= 1
        return FileAnswer(found=PagePicture(content=b"", width=request.width, height=1))


async def test_many_pictures_take_the_memory_of_a_few() -> None:
    counted = _Counted()
    renderer = PageRenderer(processes=counted)
    pictures = await asyncio.gather(*(renderer.render(PAGE, 1, 200) for _ in range(16 * RENDERED_AT_ONCE)))
    assert {picture.width for picture in pictures} == {200}
    assert counted.most == RENDERED_AT_ONCE


async def test_fifty_pictures_are_all_drawn() -> None:
    renderer = PageRenderer()
    pictures = await asyncio.gather(*(renderer.render(PAGE, 1, 200) for _ in range(50)))
    assert {picture.width for picture in pictures} == {200}


@pytest.mark.parametrize(("program", "is_started"), [("api", True), ("worker", False)])
def test_what_draws_pages_is_loaded_before_the_first_is_asked_for(
    program: str, is_started: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh: ChildProcesses[PictureRequest, FileAnswer[PagePicture]] = ChildProcesses(
        "none:none", FileAnswer[PagePicture]
    )
    monkeypatch.setattr(pdf_pictures, "RENDERERS", fresh)
    start_renderers(program, None)
    assert (fresh._running is not None) is is_started
    fresh.close()


def crash(request: PictureRequest) -> FileAnswer[PagePicture]:
    os.abort()


async def test_a_page_that_takes_its_renderer_down_costs_one_picture() -> None:
    broken: ChildProcesses[PictureRequest, FileAnswer[PagePicture]] = ChildProcesses(
        f"tests.unit.subjects.documents.test_pictures:{crash.__name__}", FileAnswer[PagePicture]
    )
    with pytest.raises(FileSkipped, match="took its parser down"):
        await PageRenderer(processes=broken).render(PAGE, 1, 200)
    broken.close()
    assert (await PageRenderer().render(PAGE, 2, 200)).width == 200


async def test_a_damaged_file_says_so() -> None:
    with pytest.raises(FileSkipped, match="not a readable PDF"):
        await PageRenderer().render(b"garbage", 1, 200)
