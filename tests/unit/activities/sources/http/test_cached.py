"""A page that anybody may read is fetched once an hour, and what is kept of it never stands in the way of a search."""

import asyncio
import gzip
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from elcano.activities.sources.http import page_cache
from elcano.activities.sources.http.allowed_addresses import Request
from elcano.activities.sources.http.fetching import Answer, Fetcher, Service
from elcano.activities.sources.http.page_cache import FILE, FRESH_SECONDS
from elcano.graphs.errors import SourceRefused
from tests.internet import Internet
from tests.loopback import Asked, Loopback, Reply, loopback
from tests.unit.activities.sources.http.reading import chosen, fetching

PAGE = "http://example.com/page"


@contextmanager
def serving(**headers: str) -> Iterator[Loopback]:
    """A page that says how often it was asked for, with an ETag that never changes."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}

    def answering(asked: Asked) -> Reply:
        if "if-none-match" in asked.headers or "if-modified-since" in asked.headers:
            return Reply(b"", status=304, headers=sent)
        return Reply(f"asked {len(running.asked)}", headers=sent)

    with loopback(answering) as running:
        yield running


async def read(url: str, folder: Path, address: str = PAGE, **asked: Any) -> Answer:
    async with fetching(url, data_dir=folder, page_cache_mb=10) as fetcher:
        return await fetcher.fetch("test", address, **asked)


@pytest.fixture
def an_hour_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept from now on is as if it had been read more than an hour before."""
    monkeypatch.setattr(page_cache, "formatdate", lambda usegmt: "Thu, 01 Jan 2026 00:00:00 GMT")


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"Cache_Control": "no-cache"},
        {"Cache_Control": "private, max-age=0, must-revalidate", "Pragma": "no-cache", "Expires": "0"},
        {"Date": "Thu, 01 Jan 1970 00:00:00 GMT", "Age": "99999999"},
        {"Vary": "Accept-Encoding, Cookie, User-Agent", "Set_Cookie": "a=b"},
        {"Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"},
        {"Vary": "*"},
        {"Vary": "*, Cookie"},
    ],
)
async def test_a_page_is_fetched_once(tmp_path: Path, said: dict[str, str]) -> None:
    with serving(**said) as running:
        first = await read(running.url, tmp_path)
        again = await read(running.url, tmp_path)
    assert (first.text, again.text, len(running.asked)) == ("asked 1", "asked 1", 1)
    assert (again.url, again.status, again.media_type) == (first.url, first.status, first.media_type)
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize(("said", "asked"), [("no-store", {}), ("", {"trusted": True})])
async def test_what_may_stand_in_no_file_is_fetched_once_for_some_minutes(
    tmp_path: Path, said: str, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Cache_Control=said) as running:
        async with fetching(running.url, data_dir=tmp_path, page_cache_mb=10) as fetcher:
            page = f"{running.url}/page" if asked else PAGE
            first = await asyncio.gather(*(fetcher.fetch("test", page, **asked) for _ in range(3)))
            assert {answer.text for answer in first} == {"asked 1"}
            with pytest.raises(SourceRefused, match="larger"):
                await fetcher.fetch("test", page, most_bytes=3, **asked)
            keyed = await fetcher.fetch("test", page, headers={"X-Api-Key": "x"}, **asked)
            assert keyed.text == "asked 3"
            monkeypatch.setattr(page_cache, "SECONDS", 0.0)
            assert (await fetcher.fetch("test", page, **asked)).text == "asked 4"
    folder = tmp_path / FILE.parent
    assert not folder.exists() or b"asked 1" not in b"".join(file.read_bytes() for file in folder.iterdir())


async def test_what_is_remembered_has_its_bounds() -> None:
    now = 0.0
    pages = page_cache.RecentPages(lambda: now, most_bytes=100)
    known = [Request("GET", httpx.URL(f"http://h/{n}"), {}, None, inside=True) for n in range(9)]
    for request in known:
        pages.keep(request, Answer(str(request.address), 200, httpx.Headers(), b"x" * 25))
    assert [pages.get(request) is not None for request in known] == [False] * 5 + [True] * 4
    pages.keep(known[0], Answer("http://h/0", 200, httpx.Headers(), b"x" * 26))
    assert pages.get(known[0]) is None
    assert pages.get(known[8]._replace(headers={"Accept": "text/html"})) is None
    now = page_cache.SECONDS
    assert all(pages.get(request) is None for request in known)


async def test_two_at_once_fetch_it_once(tmp_path: Path) -> None:
    with serving() as running:
        async with fetching(running.url, data_dir=tmp_path, page_cache_mb=10) as fetcher:
            answers = await asyncio.gather(*(fetcher.fetch("test", PAGE) for _ in range(9)))
    assert ({answer.text for answer in answers}, len(running.asked)) == ({"asked 1"}, 1)


@pytest.mark.usefixtures("an_hour_passes")
@pytest.mark.parametrize("mark", [{"ETag": '"a"'}, {"Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}])
async def test_after_an_hour_its_server_is_asked_whether_it_changed(tmp_path: Path, mark: dict[str, str]) -> None:
    with serving(Cache_Control="max-age=99999999", **mark) as running:
        first = await read(running.url, tmp_path)
        again = await read(running.url, tmp_path)
    assert (again.status, again.text) == (200, first.text)
    assert len(running.asked) == 2
    assert {"if-none-match", "if-modified-since"} & set(running.asked[1].headers)


async def test_a_page_that_did_not_change_is_fresh_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ETag='"a"') as running:
        with monkeypatch.context() as then:
            then.setattr(page_cache, "formatdate", lambda usegmt: "Thu, 01 Jan 2026 00:00:00 GMT")
            await read(running.url, tmp_path)
        for _ in range(3):
            assert (await read(running.url, tmp_path)).text == "asked 1"
    assert len(running.asked) == 2


@pytest.mark.usefixtures("an_hour_passes")
async def test_a_page_that_changed_is_read_anew(tmp_path: Path) -> None:
    with loopback(
        lambda asked: Reply(f"asked {len(running.asked)}", headers={"ETag": f'"{len(running.asked)}"'})
    ) as running:
        assert (await read(running.url, tmp_path)).text == "asked 1"
        assert (await read(running.url, tmp_path)).text == "asked 2"


@pytest.mark.parametrize(
    "asked",
    [
        {"headers": {"Authorization": "Bearer x"}},
        {"headers": {"X-Api-Key": "x"}},
        {"params": {"api_key": "0123456789abcdef"}},
        {"address": f"{PAGE}?token=0123456789abcdef"},
        {"address": f"{PAGE}?q=the-secret-of-somebody"},
        {"method": "POST", "body": {}},
        {"method": "POST"},
        {"trusted": True},
        {"cached": False},
    ],
)
async def test_what_is_not_for_everybody_is_not_kept(
    tmp_path: Path, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "the-secret-of-somebody")
    with serving(Cache_Control="public, max-age=3600") as running:
        assert (await read(running.url, tmp_path, **asked)).text == "asked 1"
        assert (await read(running.url, tmp_path, **asked)).text == "asked 2"
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("said", ["no-store", "private, no-store, max-age=600", "max-age=60,NO-STORE"])
async def test_a_page_that_asks_not_to_be_stored_is_not(tmp_path: Path, said: str) -> None:
    with serving(Cache_Control=said) as running:
        await read(running.url, tmp_path)
        assert (await read(running.url, tmp_path)).text == "asked 2"
    assert b"asked 1" not in b"".join(file.read_bytes() for file in (tmp_path / FILE.parent).iterdir())


@pytest.mark.parametrize("status", [203, 204, 206, 300, 304, 404, 410, 429, 500, 503])
async def test_only_whole_pages_are_kept(tmp_path: Path, status: int) -> None:
    with loopback(
        lambda asked: Reply("x", status=status, headers={"Cache-Control": "public, max-age=3600"})
    ) as running:
        for _ in range(2):
            assert (await read(running.url, tmp_path)).status == status
    assert len(running.asked) == 2


async def test_a_service_is_always_asked(tmp_path: Path) -> None:
    with serving(Cache_Control="public, max-age=3600") as running:
        fetcher = Fetcher(chosen(data_dir=tmp_path, page_cache_mb=10), Internet(running.url).network)
        service = Service("test", "http://api.example.com", chosen(), fetcher)
        assert [(await service.get("x")).text for _ in range(2)] == ["asked 1", "asked 2"]
        await service.close()


async def test_a_page_is_not_kept_where_the_settings_say_so(tmp_path: Path) -> None:
    with serving() as running:
        async with fetching(running.url, data_dir=tmp_path) as fetcher:
            assert [(await fetcher.fetch("test", PAGE)).text for _ in range(2)] == ["asked 1", "asked 2"]
    assert not (tmp_path / FILE.parent).exists()


async def test_a_page_of_which_a_part_was_read_is_not_kept(tmp_path: Path) -> None:
    with loopback(lambda asked: Reply(b"x" * 300_000)) as running:
        with pytest.raises(SourceRefused, match="larger"):
            await read(running.url, tmp_path, most_bytes=200_000)
        with pytest.raises(SourceRefused, match="none of"):
            await read(running.url, tmp_path, kinds=["text/html"])
        assert len((await read(running.url, tmp_path)).content) == 300_000
        assert len(running.asked) == 3


async def test_bounds_hold_for_a_kept_page(tmp_path: Path) -> None:
    packed = {"Content-Encoding": "gzip", "Content-Type": "text/plain"}
    with loopback(lambda asked: Reply(gzip.compress(bytes(1_000_000)), headers=packed)) as running:
        assert (await read(running.url, tmp_path)).content == bytes(1_000_000)
        with pytest.raises(SourceRefused, match="larger"):
            await read(running.url, tmp_path, most_bytes=999_999)
        with pytest.raises(SourceRefused, match="none of"):
            await read(running.url, tmp_path, kinds=["text/html"])
        assert len(running.asked) == 1


async def test_the_file_grows_no_larger_than_it_may(tmp_path: Path) -> None:
    with loopback(lambda asked: Reply(bytes(100_000))) as running:
        async with fetching(running.url, data_dir=tmp_path, page_cache_mb=1) as fetcher:
            for number in range(30):
                assert len((await fetcher.fetch("test", f"{PAGE}/{number}")).content) == 100_000
    assert (tmp_path / FILE).stat().st_size < 1_300_000


@pytest.mark.parametrize("damage", [b"no database", b"", b"SQLite format 3\x00" + b"\xff" * 5_000])
async def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / FILE
    file.parent.mkdir()
    file.write_bytes(damage)
    with serving() as running:
        assert [(await read(running.url, tmp_path)).text for _ in range(2)] == ["asked 1", "asked 1"]


async def test_a_file_that_is_damaged_within_is_no_failure(tmp_path: Path) -> None:
    with loopback(lambda asked: Reply(b"x" * 500_000)) as running:
        await read(running.url, tmp_path)
        whole = (tmp_path / FILE).read_bytes()
        for start in range(4_096, len(whole), len(whole) // 20):
            (tmp_path / FILE).write_bytes(whole[:start] + b"\xff" * 4_096 + whole[start + 4_096 :])
            assert len((await read(running.url, tmp_path)).content) == 500_000
        (tmp_path / FILE).write_bytes(whole[: len(whole) // 2])
        assert (await read(running.url, tmp_path)).content == b"x" * 500_000


async def test_a_packed_page_that_was_damaged_is_fetched_again(tmp_path: Path) -> None:
    page = gzip.compress(bytes(range(256)) * 2_000, mtime=0)
    with loopback(lambda asked: Reply(page, headers={"Content-Encoding": "gzip"})) as running:
        await read(running.url, tmp_path)
        whole = (tmp_path / FILE).read_bytes()
        assert whole.count(page[100:300]) == 1
        (tmp_path / FILE).write_bytes(whole.replace(page[100:300], bytes(200)))
        assert (await read(running.url, tmp_path)).content == bytes(range(256)) * 2_000
        assert len(running.asked) == 2


async def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / FILE.parent).write_text("a file, where a folder should be")
    with serving() as running:
        assert [(await read(running.url, tmp_path)).text for _ in range(2)] == ["asked 1", "asked 2"]


async def test_a_file_that_another_process_has_locked_is_no_failure(tmp_path: Path) -> None:
    with serving() as running:
        await read(running.url, tmp_path)
        with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            assert (await read(running.url, tmp_path)).text == "asked 1"
            other.execute("ROLLBACK")
        other.close()


_PROCESS = """
import asyncio, sys
from pathlib import Path
from tests.unit.activities.sources.http.reading import fetching

async def main(url, folder):
    async with fetching(url, data_dir=Path(folder), page_cache_mb=10) as fetcher:
        for _ in range(3):
            for number in range(20):
                answer = await fetcher.fetch("test", f"http://example.com/{number}")
                assert answer.text == f"/{number} " + "x" * 200_000, answer.text[:100]

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.long
async def test_several_processes_have_the_same_pages(tmp_path: Path) -> None:
    with loopback(lambda asked: Reply(f"{asked.path} " + "x" * 200_000)) as running:
        command = [sys.executable, "-W", "error", "-c", _PROCESS, running.url, str(tmp_path)]
        processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(3)]  # noqa: ASYNC220
        said = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert said == ["", "", ""]
    assert 20 <= len(running.asked) <= 90  # of 180; who finds the cache locked asks the server


async def test_nobody_is_kept_waiting_by_one_who_gave_up(tmp_path: Path) -> None:
    with loopback(lambda asked: Reply(b"x" * 300_000, delay=0.3 if len(running.asked) == 1 else 0.0)) as running:
        async with fetching(running.url, data_dir=tmp_path, page_cache_mb=10) as fetcher:
            first, second = (asyncio.create_task(fetcher.fetch("test", PAGE)) for _ in range(2))
            await asyncio.sleep(0.1)
            first.cancel()
            assert len((await second).content) == 300_000


def test_an_hour_is_an_hour() -> None:
    assert FRESH_SECONDS == 3_600
