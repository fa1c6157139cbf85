"""What is deleted of uploads is gone: in the store, and in the files that a deletion could not reach."""

import io
import zipfile
from collections.abc import Sequence

import httpx
import pytest
from temporalio.client import Client

from elcano.graphs.errors import StoreUnavailable
from elcano.settings import Settings
from elcano.storage.objects import Objects
from elcano.storage.store import Store
from elcano.subjects.uploads import document_files
from elcano.subjects.uploads.document_files import sweep_files
from elcano.subjects.uploads.document_store import get_uploads
from tests.api.again.test_uploads import COLLECTION, DOCUMENTS, LADDERS, read_whole, reading


@pytest.fixture(autouse=True)
def own_queue(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    monkeypatch.setattr("elcano.subjects.uploads.background.TASK_QUEUE", f"{task_queue}-uploads")


async def test_a_deleted_collection_is_gone_though_the_objects_do_not_answer_and_its_files_are_swept(
    api: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await api.put(f"{DOCUMENTS}/{number}.md", content=LADDERS)
    await api.put("/v1/collections/other/documents/stays.md", content=LADDERS)

    async def count_files() -> int:
        return sum([len(keys) async for keys in store.objects.list_below("files")])

    with monkeypatch.context() as hanging:
        asked: list[int] = []

        async def hang(objects: Objects, keys: Sequence[str]) -> None:
            asked.append(len(keys))
            raise StoreUnavailable("s3://bucket did not answer within 10 s")

        hanging.setattr(Objects, "delete", hang)
        hanging.setattr(document_files, "AT_ONCE", 2)
        assert (await api.delete(COLLECTION)).status_code == 204
    assert asked == [4], "a store that hangs is asked once, not for each batch"
    assert (await api.get(COLLECTION)).status_code == 404
    assert (await sweep_files(store), await count_files()) == (0, 4), "new files may be of an upload under way"
    monkeypatch.setattr(document_files, "UNNAMED_SECONDS", -1.0)
    assert (await sweep_files(store), await count_files()) == (3, 1)
    assert (await store.of("default").files.get(await find_file(store, "other", "stays.md"))) == LADDERS


async def find_file(store: Store, collection: str, path: str) -> str:
    found = await get_uploads(store.of("default")).find(collection, path)
    assert found is not None
    return found.data_file


async def test_an_archive_that_was_read_is_deleted_whole(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(120):
            archive.writestr(f"{number}.md", b"# %d\n\nA ladder of %d steps leads up." % (number, number))
    await api.put(f"{DOCUMENTS}/all.zip", content=packed.getvalue())
    async with reading(temporal, store, api_settings):
        assert (await read_whole(api))["documents"] == 121
    assert (await api.delete(COLLECTION)).status_code == 204
    assert [keys async for keys in store.objects.list_below("files")] == []
