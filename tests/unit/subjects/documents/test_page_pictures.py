"""A page is shown to whoever may read its document, from the file that was read and no other, a few at once."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.operations.access.access_store import AccessStore, get_access
from elcano.settings import Settings
from elcano.storage.evidence import DATA_HASH, PATH, Evidence
from elcano.storage.store import Store, open_store
from elcano.subjects.documents import page_pictures, picture_routes
from elcano.subjects.documents.file_formats import FORMATS, Format
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.page_pictures import PagePictures
from elcano.subjects.documents.pdf.pictures import PagePicture, PageRenderer
from elcano.subjects.documents.source import DocumentsSource
from elcano.subjects.uploads.document_files import delete_documents, keep_document
from tests.api.serving import speaking
from tests.unit.operations.access.conftest import make_key
from tests.unit.operations.access.runs import connect_to_nothing, leave_run
from tests.unit.subjects.documents.files import pdf
from tests.unit.subjects.documents.placed import READER

PAGES = [["A preface."], ["Herring spawn in autumn.", "Cod spawn in spring."]]
FILE = pdf(PAGES)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    monkeypatch.setattr(picture_routes, "PICTURES", PagePictures())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "fish"
    made.mkdir()
    (made / "cod.pdf").write_bytes(FILE)
    return made


@pytest.fixture
def settings(tmp_path: Path, folder: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", collections={"fish": folder}, _env_file=None)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def access(store: Store) -> AccessStore:
    return get_access(store)


@pytest.fixture
def app(store: Store, settings: Settings) -> FastAPI:
    return create_app(settings, store=store, client=connect_to_nothing)


@pytest.fixture
async def api(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with speaking(app) as client:
        yield client


async def leave_passage(store: Store, folder: Path, tmp_path: Path, *, source: str = "fish") -> tuple[str, Evidence]:
    """A run of the default tenant that found a passage of the second page; returns both."""
    own = store.of("default")
    run_id = await leave_run(own)
    index = DocumentsSource(build_collection_spec("fish"), Folder(folder, 10**6), tmp_path / "index.sqlite")
    found = await index.search("herring in autumn", 1)
    await index.close()
    (passage,) = found.evidence
    passage = passage.model_copy(update={"source": source})
    await own.evidence.add(run_id, [passage], found.texts)
    return run_id, passage


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def find_yellow(png: bytes) -> list[tuple[int, int]]:
    """Where a PNG of RGB without filters has pixels that are more yellow than grey."""
    width, height = size_of(png)
    at, packed = 8, b""
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4]), png[at + 4 : at + 8]
        packed += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, step = zlib.decompress(packed), 1 + 3 * width
    return [
        (x, y)
        for y in range(height)
        for x in range(width)
        if raw[y * step + 1 + 3 * x] > raw[y * step + 3 + 3 * x] + 60
    ]


async def test_the_picture_has_the_mark_where_the_words_stand(
    api: httpx.AsyncClient, store: Store, folder: Path, tmp_path: Path
) -> None:
    run_id, passage = await leave_passage(store, folder, tmp_path)
    start = passage.start + passage.text.index("spring")
    asked: dict[str, str | int] = {"evidence": passage.id, "width": 300, "start": start, "end": start + len("spring")}
    answer = await api.get(f"/v1/runs/{run_id}/pages/2", params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["cache-control"].startswith("private")
    assert size_of(answer.content)[0] == 300
    places = find_yellow(answer.content)
    line = passage.places.lines[1]
    width, height = size_of(answer.content)
    assert min(x for x, _ in places) / width == pytest.approx(line.edges[3], abs=0.01)
    assert max(x for x, _ in places) / width == pytest.approx(line.box.right, abs=0.01)
    assert min(y for _, y in places) / height == pytest.approx(line.box.top, abs=0.01)
    again = await api.get(f"/v1/runs/{run_id}/pages/2", params=asked, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    bare = await api.get(f"/v1/runs/{run_id}/pages/2", params={"evidence": passage.id, "width": 300})
    assert find_yellow(bare.content) == []
    part = await api.get(f"/v1/runs/{run_id}/pages/2", params={**asked, "part": "quote"})
    assert size_of(part.content)[1] < 0.2 * height
    assert find_yellow(part.content)


async def test_what_cannot_be_shown_says_why(
    api: httpx.AsyncClient, store: Store, folder: Path, tmp_path: Path
) -> None:
    run_id, passage = await leave_passage(store, folder, tmp_path)

    async def ask(run: str = run_id, page: int = 2, **query: str | int) -> tuple[int, str]:
        answer = await api.get(f"/v1/runs/{run}/pages/{page}", params={"evidence": passage.id, **query})
        said = answer.json()
        return answer.status_code, f"{said['type'].removeprefix('urn:elcano:')}: {said['detail']}"

    assert await ask(page=9) == (404, f"page-not-found: page 9 of {passage.title!r} cannot be drawn: it has no page 9")
    assert (await ask(evidence="fish:other"))[1].startswith("evidence-not-found: the run")
    assert (await ask(run="default-01kb1q3yw5v7c8m2n4p6r8t0vy"))[0] in (404, 502, 503)
    assert (await ask(width=9_999))[0] == (await ask(page=0))[0] == (await ask(start=5, end=2))[0] == 422
    (folder / "cod.pdf").write_bytes(pdf([["Other."], ["words."]]))
    status, said = await ask()
    assert (status, said) == (
        410,
        f"document-changed: {passage.title!r} was replaced since the run read it; the text that it read is kept",
    )
    (folder / "cod.pdf").unlink()
    status, said = await ask()
    assert status == 410
    assert "was deleted since the run read it" in said


async def test_an_upload_is_shown_until_it_is_replaced(
    api: httpx.AsyncClient, store: Store, folder: Path, tmp_path: Path
) -> None:
    own = store.of("default")
    kept, _ = await keep_document(own, "papers", "cod.pdf", FILE, "")
    run_id, passage = await leave_passage(store, folder, tmp_path, source="uploads:papers")
    asked: dict[str, str | int] = {"evidence": passage.id, "width": 200}
    assert (await api.get(f"/v1/runs/{run_id}/pages/2", params=asked)).status_code == 200
    replaced, _ = await keep_document(own, "papers", "cod.pdf", pdf([["Other."]]), "")
    assert replaced.data_hash != kept.data_hash
    assert (await api.get(f"/v1/runs/{run_id}/pages/2", params=asked)).status_code == 410
    await delete_documents(own, "papers", [replaced])
    assert (await api.get(f"/v1/runs/{run_id}/pages/2", params=asked)).status_code == 410


async def test_whoever_may_read_only_the_report_gets_no_picture(
    settings: Settings,
    store: Store,
    access: AccessStore,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ELCANO_API_KEYS", "true")
    run_id, passage = await leave_passage(store, folder, tmp_path)
    guarded = create_app(settings, store=store, client=connect_to_nothing)
    asked: dict[str, str | int] = {"evidence": passage.id, "width": 200}
    async with speaking(guarded) as api:
        reader = await make_key(access, "reader", tenant="default")
        narrow = await make_key(access, "reader", tenant="default", scopes=("read_run",))
        other = await make_key(access, "reader", tenant="acme")
        path = f"/v1/runs/{run_id}/pages/2"
        assert (await api.get(path, params=asked, auth=reader)).status_code == 200
        assert (await api.get(path, params=asked, auth=narrow)).status_code == 403
        assert (await api.get(path, params=asked, auth=other)).status_code in (404, 502, 503)
        assert (await api.get(path, params=asked)).status_code == 401


async def test_a_name_of_a_file_outside_the_folder_leads_nowhere(
    api: httpx.AsyncClient, store: Store, folder: Path, tmp_path: Path
) -> None:
    run_id, passage = await leave_passage(store, folder, tmp_path)
    (tmp_path / "secret.pdf").write_bytes(FILE)
    (folder / "link.pdf").symlink_to(tmp_path / "secret.pdf")
    text = await store.of("default").evidence.text(passage.content_hash)
    assert text is not None
    for number, path in enumerate(
        ("../secret.pdf", str(tmp_path / "secret.pdf"), "link.pdf", "", "sub/../../secret.pdf")
    ):
        stray = passage.model_copy(
            update={"id": f"stray-{number}", "metadata": {PATH: path, DATA_HASH: sha256(FILE).hexdigest()}}
        )
        await store.of("default").evidence.add(run_id, [stray], [text])
        answer = await api.get(f"/v1/runs/{run_id}/pages/2", params={"evidence": stray.id})
        assert answer.status_code == 410, path


async def test_a_page_of_the_web_is_named_and_not_drawn(
    api: httpx.AsyncClient, store: Store, folder: Path, tmp_path: Path
) -> None:
    run_id, passage = await leave_passage(store, folder, tmp_path)
    text = await store.of("default").evidence.text(passage.content_hash)
    assert text is not None
    away = {"locator": "https://example.org/cod.pdf#page=2", "metadata": {DATA_HASH: "0" * 64, "page": 2}}
    web = passage.model_copy(update={"id": "web", "source": "web", **away})
    old = passage.model_copy(update={"id": "old", "metadata": {"page": 2}})
    await store.of("default").evidence.add(run_id, [web, old], [text])
    answer = await api.get(f"/v1/runs/{run_id}/pages/2", params={"evidence": "web"})
    assert answer.status_code == 404
    assert "https://example.org/cod.pdf" in answer.json()["detail"]
    assert (await api.get(f"/v1/runs/{run_id}/pages/2", params={"evidence": "old"})).status_code == 404


async def test_fifty_requests_at_once_hold_four_files_in_memory(
    store: Store, settings: Settings, folder: Path, tmp_path: Path
) -> None:
    _, passage = await leave_passage(store, folder, tmp_path)
    held = most = 0

    class Counting(PageRenderer):
        async def render(self, content: bytes, *rest: object, **more: object) -> PagePicture:
            nonlocal held, most
            held += 1
            most = max(most, held)
            await asyncio.sleep(0.001)
            held -= 1
            return PagePicture(content=b"x" * 10, width=1, height=1)

    pictures = PagePictures(Counting(), cached_bytes=55)
    own = store.of("default")
    wishes = [page_pictures.PictureWish(page, 100) for page in range(1, 51)]
    drawn = await asyncio.gather(*(pictures.draw(settings, own, passage, wish) for wish in wishes))
    assert len(drawn) == 50
    assert most <= page_pictures.AT_ONCE
    assert len(pictures._cached) == 5, "what is kept is bounded"
    over = [page_pictures.PictureWish(1, width) for width in range(100, 300)]
    outcomes = await asyncio.gather(
        *(pictures.draw(settings, own, passage, wish) for wish in over), return_exceptions=True
    )
    assert any(isinstance(one, page_pictures.PicturesBusy) for one in outcomes)
