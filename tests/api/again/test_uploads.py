"""Documents that are uploaded over HTTP: read by the real workflow, searched by a run, kept apart by tenant."""

import asyncio
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from elcano.activities.background_work import working_in_background
from elcano.client import AddedDocument, AsyncElcano, NotFound
from elcano.client.errors import InvalidFiles
from elcano.settings import Settings, get_settings
from elcano.storage.store import Store
from elcano.storage.threads import Threads
from elcano.subjects.uploads.background import (
    ReadingActivities,
    begin_readings,
    build_reading_work,
    sweep_indexes,
)
from elcano.subjects.uploads.commands import add_documents, list_documents
from elcano.subjects.uploads.document_store import get_upload_store, get_uploads
from elcano.subjects.uploads.source import open_indexes
from tests.api.again.going_on import Provider, leaving_no_readings, until, working
from tests.api.serving import speaking
from tests.unit.subjects.documents.files import pdf

LADDERS = b"# Ladders\n\nA ladder is checked for cracks every spring before anybody climbs it.\n"
LIST = b"""@article{doe2019, title={On ropes}, doi={10.1234/ropes}, abstract={Ropes have cracks, too.}}
@misc{nameless, author={Doe}}"""
COLLECTION = "/v1/collections/safety"
DOCUMENTS = f"{COLLECTION}/documents"

HALF = (
    b'<article article-type="research-article"><body><p>Ropes are replaced.</p>'
    b"<table-wrap><graphic/></table-wrap></body></article>"
)
"""An article whose table is a picture."""


@asynccontextmanager
async def reading(client: Client, store: Store, settings: Settings) -> AsyncIterator[None]:
    """A worker that reads what was uploaded, and looks for it again and again as that of the product does."""
    threads = Threads("read", 1)
    activities = ReadingActivities(store, open_indexes(settings), threads, 1_000_000)
    async with (
        leaving_no_readings(client),
        working_in_background(client, [build_reading_work(client, activities)]),
    ):
        yield
    threads.close()


@pytest.fixture(autouse=True)
def own_queue(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr("elcano.subjects.uploads.background.TASK_QUEUE", f"{task_queue}-uploads")


async def read_whole(api: httpx.AsyncClient) -> dict[str, int]:
    """The collection once all of it is read."""

    async def is_read() -> bool:
        return bool((await api.get(COLLECTION)).json()["unread"] == 0)

    await until(is_read)
    found: dict[str, int] = (await api.get(COLLECTION)).json()
    return found


async def test_documents_are_uploaded_read_listed_and_deleted(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    first = await api.put(f"{DOCUMENTS}/tools/ladders.md", content=LADDERS)
    assert (first.status_code, first.json()["state"]) == (201, "uploaded")
    again = await api.put(f"{DOCUMENTS}/tools/ladders.md", content=LADDERS, headers={"Content-Type": "text/markdown"})
    assert (again.status_code, again.json()["uploaded_at"]) == (200, first.json()["uploaded_at"])
    await api.put(f"{DOCUMENTS}/photo.md", content=b"\x89PNG\r\n\x1a\n and more")
    await api.put(f"{DOCUMENTS}/half.scan", content=HALF)
    await api.put(f"{DOCUMENTS}/scan.pdf", content=pdf([[], []]))
    async with reading(temporal, store, api_settings):
        counts = await read_whole(api)
    assert (counts["documents"], counts["indexed"], counts["refused"]) == (4, 2, 2)
    refused = (await api.get(DOCUMENTS, params={"state": "refused"})).json()["documents"]
    assert {one["path"]: one["reason"] for one in refused} == {
        "photo.md": "it is not a readable picture: it may be damaged or cut off",
        "scan.pdf": "there is no text in it",
    }
    half = (await api.get(f"{DOCUMENTS}/half.scan")).json()
    assert (half["state"], half["media_type"], half["gaps"]) == (
        "indexed",
        "application/jats+xml",
        [{"reason": "a table is a picture, which is not read", "pages": [], "unread": True}],
    )
    assert (await api.put(f"{DOCUMENTS}/scan.pdf", content=pdf([[], []]))).json()["state"] == "uploaded", "tried again"
    page = (await api.get(DOCUMENTS, params={"limit": 3})).json()
    rest = (await api.get(DOCUMENTS, params={"limit": 3, "cursor": page["next"]})).json()
    found = {one["path"] for one in (*page["documents"], *rest["documents"])}
    assert found == {"half.scan", "photo.md", "scan.pdf", "tools/ladders.md"}
    assert rest["next"] is None
    assert (await api.post(f"{COLLECTION}/index")).json() == {"documents": 4}
    assert (await api.delete(f"{DOCUMENTS}/photo.md")).status_code == 204
    assert (await api.get(f"{DOCUMENTS}/photo.md")).status_code == 404
    indexes = open_indexes(api_settings)
    assert indexes.locate("default", "safety").exists()
    assert (await api.delete(COLLECTION)).status_code == 204
    assert (await api.get(DOCUMENTS)).status_code == 404
    assert [keys async for keys in store.objects.list_below("files")] == [], "no bytes are left"
    await sweep_indexes(store, indexes, {})
    assert not indexes.locate("default", "safety").exists()


async def test_what_cannot_be_kept_is_refused_before_it_is_read(
    api: httpx.AsyncClient, make_app: object, tmp_path: Path
) -> None:
    for name, status in (("..%2Fa.md", 422), ("a%00.md", 422), ("x" * 900, 422), ("empty.md", 422)):
        assert (await api.put(f"{DOCUMENTS}/{name}", content=b"")).status_code == status, name
    strange = await api.put("/v1/collections/My%20papers/documents/a.md", content=b"a")
    (fault,) = strange.json()["errors"]
    assert fault["field"] == "collection"
    assert fault["message"] == "must be 1 to 64 small letters, digits, `_` and `-`, the first a letter or a digit"
    told = await api.put(f"{DOCUMENTS}/large.md", content=b"", headers={"Content-Length": "60000000"})
    assert told.status_code == 413

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"a" * 1_000_000

    assert (await api.put(f"{DOCUMENTS}/endless.md", content=endless())).status_code == 413
    assert (await api.get("/v1/collections")).json() == []


async def test_a_tenant_may_name_its_own_collection_and_no_other_finds_it(
    make_app: object, store: Store, temporal: Client, api_settings: Settings
) -> None:
    settings = api_settings.model_copy(update={"tenant_header": "X-Tenant"})
    async with speaking(make_app(settings)) as api:  # type: ignore[operator]
        own, other = {"X-Tenant": "acme"}, {"X-Tenant": "zebra"}
        await api.put(f"{DOCUMENTS}/ladders.md", content=LADDERS, headers=own)
        assert (await api.get(DOCUMENTS, headers=other)).status_code == 404
        assert (await api.get("/v1/collections", headers=other)).json() == []
        question = {"question": "When is a ladder checked for cracks?", "sources": ["uploads:safety"], "mode": "simple"}
        refused = await api.post("/v1/runs", json=question, headers=other)
        assert refused.status_code == 422
        assert "uploads:safety" in refused.text
        named = [one["name"] for one in (await api.get("/v1/sources", headers=own)).json()]
        assert "uploads:safety" in named


async def test_a_run_searches_what_the_client_uploaded(
    served: str, store: Store, temporal: Client, api_settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    for place, text in (("ladders.md", LADDERS), ("one/empty.md", b""), ("one/two/ropes.txt", b"A rope is replaced.")):
        (tmp_path / place).write_bytes(text)
    async with (
        working(temporal, store, api_settings, Provider()),
        AsyncElcano(served) as elcano,
    ):
        collection = elcano.collection("ladders")  # its reading is a workflow of its own
        told: list[AddedDocument] = []
        added = await collection.add(tmp_path / "ladders.md", str(tmp_path / "one"), tell=told.append)
        assert list(added) == told
        assert [(one.path, one.sent, "is empty" in one.refusal) for one in added] == [
            ("ladders.md", True, False),
            ("one/empty.md", False, True),
            ("one/two/ropes.txt", True, False),
        ]
        (again,) = await collection.add(tmp_path / "ladders.md")
        assert (again.sent, again.refusal) == (False, "")
        (tmp_path / "one" / "ladders.md").touch()
        for other, fault in (("one/ladders.md", "both be called"), ("none.md", "No such file")):
            with pytest.raises(InvalidFiles, match=fault):
                await collection.add(tmp_path / "ladders.md", tmp_path / other)
        async with reading(temporal, store, api_settings):
            assert (await collection.wait()).indexed == 2
        run = await elcano.research("When is a ladder checked?", mode="simple", sources=[collection.source])
        assert "ladders.md" in (await (await run.wait()).report()).markdown
        assert "checked for cracks" in " ".join([passage.text async for passage in run.evidence()])
        assert [one.name for one in await elcano.list_collections()] == ["ladders"]
        await collection.delete("ladders.md")
        assert [one.path async for one in collection.documents()] == ["one/two/ropes.txt"]
        await collection.delete()
        with pytest.raises(NotFound):
            await collection.view()


async def test_of_an_archive_all_is_told_by_name_and_nothing_leads_elsewhere(served: str, tmp_path: Path) -> None:
    path = tmp_path / "manuals.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("a/ropes.md", "../../../ropes/documents/b.md", "__MACOSX/c.md", "d\n.md", "damaged.md"):
            archive.writestr(name, name)
    path.write_bytes(path.read_bytes().replace(b"damaged.mddamaged.md", b"damaged.mdDAMAGED.md"))
    (tmp_path / "none.zip").write_bytes(LADDERS)
    async with AsyncElcano(served) as elcano:
        collection = elcano.collection("safety")
        added = {one.path: (one.sent, one.refusal) for one in await collection.add(path)}
        assert added.pop("manuals.zip/a/ropes.md") == (True, "")
        assert "has a part `.` or `..`" in added.pop("manuals.zip/../../../ropes/documents/b.md")[1]
        assert "No such path" in added.pop("manuals.zip/d\n.md")[1]
        assert added.pop("manuals.zip/damaged.md") == (False, "it cannot be read: Bad CRC-32 for file 'damaged.md'")
        assert not added
        assert [one.name for one in await elcano.list_collections()] == ["safety"]
        with pytest.raises(InvalidFiles, match="is no ZIP archive"):
            await collection.add(tmp_path / "none.zip")


async def test_archives_and_reading_lists_become_their_parts_which_go_with_them(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in (("a/ladders.md", LADDERS), ("../b.md", b"b"), ("refs.bib", LIST), ("scan.pdf", pdf([[]]))):
            archive.writestr(name, data)
    collection = "/v1/collections/parts"
    await api.put(f"{collection}/documents/x.zip", content=packed.getvalue())
    indexes = open_indexes(api_settings)

    async def read() -> dict[str, str]:
        async def is_read() -> bool:  # a reading that is ending does not see what is new
            await begin_readings(temporal, get_upload_store(store))
            return bool((await api.get(collection)).json()["unread"] == 0)

        async with reading(temporal, store, api_settings):
            await until(is_read)
        listed = (await api.get(f"{collection}/documents")).json()["documents"]
        return {one["path"]: f"{one['state']} {one['reason']}".strip() for one in listed}

    scanned = "refused there is no text in it"
    assert await read() == {
        "x.zip": "indexed 1 of its parts are not taken: '../b.md': a document cannot be called "
        "'x.zip/../b.md': it has a part `.` or `..`, or one of spaces alone",
        "x.zip/a/ladders.md": "indexed",
        "x.zip/refs.bib": "indexed 1 of its parts are not taken: 'nameless': it has no title",
        "x.zip/refs.bib/doe2019": "indexed",
        "x.zip/scan.pdf": scanned,
    }
    async with indexes.open(store.of("default"), "parts") as source:
        found = await source.search("cracks of ropes", 5)
        (work,) = [one for one in found.evidence if one.work]
        assert (work.locator, work.title) == ("https://doi.org/10.1234/ropes", "On ropes")
        assert work.work is not None
        assert work.work.identifiers.doi == "10.1234/ropes"
        assert any("a part of x.zip/refs.bib was skipped" in warning for warning in found.warnings)
    await api.put(f"{collection}/documents/x.zip/refs.bib", content=LIST.replace(b"doe2019", b"doe2020"))
    assert {"x.zip/refs.bib/doe2020", "x.zip/a/ladders.md"} < (again := await read()).keys()
    assert "x.zip/refs.bib/doe2019" not in again
    await api.put(f"{collection}/documents/x.zip", content=b"@misc{z, title={Zebra}}")
    monkeypatch.setenv("ELCANO_UPLOAD_DOCUMENTS", "1")
    assert "ELCANO_UPLOAD_DOCUMENTS" in (await read()).get("x.zip", "")
    assert (await api.delete(f"{collection}/documents/x.zip")).status_code == 204
    assert (await api.get(collection)).status_code == 404, "its parts, and theirs, are gone with it"


async def test_what_is_there_is_taken_again_when_nothing_new_can_be(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_UPLOAD_DOCUMENTS", "1")
    statuses = [
        (await api.put(f"{DOCUMENTS}/{name}", content=text)).status_code
        for name, text in (("a.md", LADDERS), ("a.md", LADDERS), ("a.md", b"Another text."), ("b.md", LADDERS))
    ]
    assert statuses == [201, 200, 201, 409], "one that takes the place of another takes no more room"


async def test_uploads_at_once_never_pass_what_a_tenant_may_keep(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_UPLOAD_DOCUMENTS", "5")
    monkeypatch.setenv("ELCANO_UPLOAD_TOTAL_MB", "0.1")
    many = [api.put(f"{DOCUMENTS}/{number}.md", content=f"# {number}".encode()) for number in range(12)]
    statuses = sorted([one.status_code for one in await asyncio.gather(*many)])
    assert statuses == [201] * 5 + [409] * 7
    monkeypatch.setenv("ELCANO_UPLOAD_DOCUMENTS", "50")
    large = [api.put(f"{DOCUMENTS}/large-{number}.md", content=b"a" * 30_000) for number in range(6)]
    statuses = sorted([one.status_code for one in await asyncio.gather(*large)])
    assert statuses == [201] * 3 + [409] * 3
    assert (await api.put(f"{DOCUMENTS}/large-9.md", content=b"a" * 20_000)).status_code == 409
    assert (await api.get(COLLECTION)).json()["documents"] == 8
    kept = [len(keys) async for keys in store.objects.list_below("files")]
    assert sum(kept) == 8, "no bytes are left of what is refused"


async def test_a_full_tenant_is_told_before_the_body_is_read(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_UPLOAD_TOTAL_MB", "0.001")
    read = []

    async def body() -> AsyncIterator[bytes]:
        for _ in range(3):
            read.append(1)
            yield b"a" * 1_000

    told = await api.put(f"{DOCUMENTS}/a.md", content=body(), headers={"Content-Length": "3000"})
    assert (told.status_code, "ELCANO_UPLOAD_TOTAL_MB" in told.text, read) == (409, True, [])
    undeclared = await api.put(f"{DOCUMENTS}/a.md", content=body())
    assert (undeclared.status_code, len(read)) == (409, 3)
    large = await api.post("/v1/runs", content=b" " * 2_000_000, headers={"Content-Type": "application/json"})
    assert large.status_code == 413
    assert "`PUT /v1/collections/{collection}/documents/{path}`" in large.text


async def test_a_folder_is_added_by_a_command_that_sends_nothing_twice(
    served: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "manuals"
    (folder / ".git").mkdir(parents=True)
    (folder / "rope ladders").mkdir()
    (folder / ".git" / "config").write_bytes(LADDERS)
    (folder / "rope ladders" / "50 %.md").write_bytes(LADDERS)
    (folder / "empty.md").touch()
    monkeypatch.setenv("ELCANO_API_URL", served)
    get_settings.cache_clear()
    said = []
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            await asyncio.to_thread(add_documents, "safety", [folder])
        said.append((ended.value.code, *capsys.readouterr()))
    (code, out, err), (_, again, known) = said
    assert (code, out, again) == (2, "manuals/rope ladders/50 %.md\n", "")
    assert "manuals/empty.md: The request cannot work: body: is empty" in err
    assert "1 uploaded, 0 there already" in err
    assert "0 uploaded, 1 there already" in known
    await asyncio.to_thread(list_documents, "safety")
    assert "manuals/rope ladders/50 %.md  uploaded" in capsys.readouterr().out
    get_settings.cache_clear()


async def test_uploads_of_one_name_and_a_deletion_at_once_leave_all_or_nothing(
    api: httpx.AsyncClient, store: Store, temporal: Client, api_settings: Settings
) -> None:
    collection = "/v1/collections/ropes"  # its reading is a workflow of its own
    document = f"{collection}/documents/a.md"
    texts = [b"# One\n\nA rope is replaced.", LADDERS]
    async with reading(temporal, store, api_settings):
        for turn in range(6):
            await asyncio.gather(
                *(api.put(document, content=texts[(turn + one) % 2]) for one in range(3)),
                api.delete(document),
                api.delete(collection),
            )
    kept = (await api.put(document, content=LADDERS)).json()
    own = store.of("default")

    async def is_read() -> bool:  # workers look again and again: a reading that is ending does not see what is new
        await begin_readings(temporal, get_upload_store(store))
        return bool((await api.get(collection)).json()["indexed"] == 1)

    async with reading(temporal, store, api_settings):
        await until(is_read)
    (found,) = await get_uploads(own).page("ropes", limit=10)
    assert found.data_hash == kept["sha256"]
    assert await own.files.get(found.data_file) == LADDERS
    assert await own.files.get(found.text_file) is not None
