"""A passage shows its page with the quote marked; without pages, or without its file, its text."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from elcano.api.app import create_app
from elcano.client import AsyncElcano, Elcano, NotFound
from elcano.client.passages import AsyncPassage, MarkedText, PagePicture
from elcano.client.report_models import Evidence
from elcano.settings import Settings
from elcano.storage.store import open_store
from elcano.subjects.documents.file_formats import FORMATS, Format
from tests.api.serving import serving
from tests.unit.operations.access.runs import connect_to_nothing
from tests.unit.subjects.documents.placed import READER
from tests.unit.subjects.documents.reported import QUOTE, fill_folder, leave_report

RUN = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"


@pytest.fixture
async def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    fill_folder(tmp_path / "fish")
    settings = Settings(data_dir=tmp_path / "data", collections={"fish": tmp_path / "fish"}, _env_file=None)
    async with open_store(tmp_path / "data") as store:
        await leave_report(store, tmp_path / "fish", tmp_path)
        async with serving(create_app(settings, store=store, client=connect_to_nothing)) as url:
            yield url


async def test_a_citation_and_words_are_shown_on_their_page(address: str, tmp_path: Path) -> None:
    async with AsyncElcano(address) as elcano:
        run = elcano.run(RUN)
        (passage,) = [one async for one in run.evidence() if QUOTE in one.text]
        assert isinstance(passage, Evidence)
        (cited, *_) = (await run.report()).citations
        drawn = await passage.show(cited, width=300)
        assert isinstance(drawn, PagePicture)
        assert (drawn.page, drawn._repr_png_()[:4]) == (2, b"\x89PNG")
        assert drawn.save(tmp_path / "page.png").read_bytes() == drawn.content
        assert await passage.show(QUOTE, width=300) == drawn
        assert await passage.show(width=300) != drawn, "nothing is marked"
        with pytest.raises(ValueError, match="does not have the words"):
            await passage.show("Cod swim")


async def test_programs_that_wait_show_it_too(address: str) -> None:
    def show() -> PagePicture | MarkedText:
        with Elcano(address) as elcano:
            (passage,) = (one for one in elcano.run(RUN).evidence() if QUOTE in one.text)
            return passage.show(QUOTE, width=300, part="quote")

    shown = await asyncio.to_thread(show)
    assert isinstance(shown, PagePicture)


async def test_without_pages_the_text_is_shown_with_its_quote(address: str) -> None:
    async with AsyncElcano(address) as elcano:
        (passage,) = [one async for one in elcano.run(RUN).evidence() if QUOTE in one.text]
        bare = passage.model_copy(update={"metadata": {}, "places": type(passage.places)()})
        shown = await AsyncPassage.of(bare, elcano.connection, f"/v1/runs/{RUN}").show(QUOTE)
        assert isinstance(shown, MarkedText)
        assert f"<mark>{QUOTE}</mark>." in shown._repr_html_()
        away = passage.model_copy(update={"id": "unknown"})
        with pytest.raises(NotFound, match="found no passage"):
            await AsyncPassage.of(away, elcano.connection, f"/v1/runs/{RUN}").show()
