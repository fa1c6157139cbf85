"""The page of an export shows each quote where it stands: on its page, in its table, or in its passage."""

import re
from base64 import b64decode
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from elcano.activities.passages.document import Parsed
from elcano.api.app import create_app
from elcano.doors.exports import quoted_places
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.documents.file_formats import FORMATS, Format
from tests.api.serving import speaking
from tests.unit.operations.access.runs import connect_to_nothing
from tests.unit.subjects.documents.placed import READER, table_block
from tests.unit.subjects.documents.reported import QUOTE, fill_folder, leave_report


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
async def api(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    fill_folder(tmp_path / "fish")
    settings = Settings(data_dir=tmp_path / "data", collections={"fish": tmp_path / "fish"}, _env_file=None)
    async with speaking(create_app(settings, store=store, client=connect_to_nothing)) as client:
        yield client


def read_table(content: bytes) -> Parsed:
    return Parsed([table_block([["Port", "Range"], ["Brest", "7 m & more"], ["Quebec", "4 m"]])])


async def export(api: httpx.AsyncClient, run_id: str) -> str:
    answer = await api.get(f"/v1/runs/{run_id}/exports/html")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert ".html" in answer.headers["content-disposition"]
    return answer.text


async def test_a_quote_is_shown_on_its_page_in_the_file_itself(
    api: httpx.AsyncClient, store: Store, tmp_path: Path
) -> None:
    run_id, _ = await leave_report(store, tmp_path / "fish", tmp_path)
    page = await export(api, run_id)
    (figure,) = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    (picture,) = re.findall(r'src="data:image/png;base64,([^"]+)"', figure)
    assert b64decode(picture).startswith(b"\x89PNG")
    assert '<a class="number" href="#reference-1">[1]</a> page 2 (ii)' in figure
    assert f"<mark>{QUOTE}</mark>" in figure
    assert "img-src data:" in page
    assert "http" not in re.sub(r"content=\"[^\"]*\"", "", figure)
    plain = await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "text/html"})
    assert "<figure>" not in plain.text, "whoever may read the report alone gets no picture"
    assert "img-src" not in plain.text


async def test_without_the_file_the_words_around_the_quote_are_shown(
    api: httpx.AsyncClient, store: Store, tmp_path: Path
) -> None:
    run_id, _ = await leave_report(store, tmp_path / "fish", tmp_path)
    (tmp_path / "fish" / "cod.pdf").unlink()
    page = await export(api, run_id)
    assert "data:image" not in page
    assert re.search(rf"Line 29 of the page\. <mark>{QUOTE}</mark>\.", page)


async def test_pictures_are_bounded_in_size(
    api: httpx.AsyncClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quoted_places, "MOST_BYTES", 100)
    run_id, _ = await leave_report(store, tmp_path / "fish", tmp_path)
    assert "data:image" not in await export(api, run_id)


async def test_the_table_of_evidence_has_the_page_of_each_passage(
    api: httpx.AsyncClient, store: Store, tmp_path: Path
) -> None:
    run_id, _ = await leave_report(store, tmp_path / "fish", tmp_path)
    rows = (await api.get(f"/v1/runs/{run_id}/exports/csv")).text.splitlines()
    assert rows[0].endswith("standing,page,page_label,ocr_confidence")
    assert any(row.endswith(",2,ii,") for row in rows)


async def test_a_quoted_cell_is_marked_in_its_table(api: httpx.AsyncClient, store: Store, tmp_path: Path) -> None:
    (tmp_path / "fish" / "ports.txt").write_text("unused")
    kind = Format("text/plain", f"{__name__}:read_table")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(FORMATS, ".txt", kind)
        run_id, report = await leave_report(store, tmp_path / "fish", tmp_path, quote="7 m & more")
    assert report.citations[0].cells[0].names == ("Brest", "Range")
    page = await export(api, run_id)
    assert "<th>Port</th><th>Range</th>" in page
    assert "<td>Brest</td><td><mark>7 m &amp; more</mark></td>" in page
    assert "in the table: Brest, Range" in page
