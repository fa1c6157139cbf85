"""`elcano doctor --deep`: which host each stage asks, and how the service stands."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, text

from elcano.dev.claims import free_ports
from elcano.dev.external_checks import check_store
from elcano.operations.telemetry.deep_checks import hosts, service
from elcano.settings import Settings
from elcano.settings.plugins import Finding
from elcano.storage.sql import schema_revision
from elcano.storage.sql.engine import database_url, open_engine, prepare_tables
from elcano.storage.sql.schema_revision import move_tables
from elcano.storage.store import open_store
from tests.chaos.releases.release import CURRENT, EXPANDED


@contextmanager
def serving(status: int = 404, ahead: float = 0.0) -> Iterator[str]:
    """A server that answers every HEAD so, by a clock that is so far ahead."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(status)
            self.send_header("Date", formatdate(time.time() + ahead, usegmt=True))
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def _no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sources of the network are none of these tests' business."""

    async def none(_: Settings) -> dict[str, tuple[str, ...]]:
        return {}

    monkeypatch.setattr(hosts, "_read_addresses", none)


def look(settings: Settings) -> list[Finding]:
    return list(hosts.check_hosts(settings))


def test_the_host_of_each_agent_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-mine")
    with serving() as first, serving(401) as second:
        settings = Settings.model_validate(
            {
                "model": "openai-chat:gpt-4o",
                "agent_models": {"writer": "vllm:qwen3"},
                "model_base_url": f"{first}/v1",
                "model_urls": {"vllm": f"{second}/v1"},
            }
        )
        found = [finding for finding in look(settings) if "answered in" in finding.text]
    assert [finding.grade for finding in found] == ["good", "good"]
    of_all, of_writer = found
    assert first in of_all.text
    assert "model openai-chat:gpt-4o (" in of_all.text
    assert "key OPENAI_API_KEY" in of_all.text
    assert "judge" in of_all.text
    assert second in of_writer.text
    assert "(writer)" in of_writer.text
    assert "a-key-of-mine" not in str(found)


def test_a_model_whose_host_is_away_is_a_fault_and_a_missing_key_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (port,) = free_ports(1)
    settings = Settings.model_validate(
        {
            "model": "openai-chat:gpt-4o",
            "model_base_url": f"http://me:hunter22@127.0.0.1:{port}/v1",
            "agent_models": {"writer": "anthropic:claude-sonnet-5-5"},
        }
    )
    faults = [finding for finding in look(settings) if finding.grade == "fault"]
    assert len(faults) == 2
    missing, away = faults
    assert "model anthropic:claude-sonnet-5-5 (writer)" in missing.text
    assert away.text.startswith(f"http://127.0.0.1:{port} cannot be reached")
    assert "hunter22" not in str(faults)


def test_the_model_without_a_key_asks_nobody() -> None:
    assert [finding.text for finding in look(Settings())][:1] == ["model offline (all agents): asks no host"]


async def test_a_clock_that_is_off_is_a_fault() -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        with serving(ahead=90) as origin:
            answer = await hosts.ask_host(client, origin)
    assert answer.skew is not None
    assert -92 < answer.skew < -88
    finding = hosts.describe_skew(answer.skew)
    assert finding.grade == "fault"
    assert "behind" in finding.text
    assert hosts.describe_skew(2.0).grade == "good"


def test_a_clock_of_this_machine_proves_nothing() -> None:
    with serving() as origin:
        settings = Settings.model_validate({"model": "openai-chat:gpt-4o", "model_base_url": origin})
        (clock,) = (finding for finding in look(settings) if finding.text.startswith("clock"))
    assert clock.grade == "note"


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://api.example.org/v1/", "https://api.example.org"),
        ("http://me:secret@gpu:8000/v1", "http://gpu:8000"),
        ("http://[::1]:4318", "http://[::1]:4318"),
    ],
)
def test_an_address_is_shown_without_who_signs_in(address: str, origin: str) -> None:
    assert hosts.find_origin(address) == origin


def test_a_request_that_may_outlast_its_call_is_a_fault() -> None:
    (fine,) = service.check_time_limits(Settings())
    assert fine.grade == "good"
    assert "120 s (ELCANO_MODEL_TIMEOUT_SECONDS)" in fine.text
    (fault,) = service.check_time_limits(Settings.model_validate({"model_timeout_seconds": 700.0}))
    assert fault.grade == "fault"
    assert "raise ELCANO_CALL_SECONDS" in fault.remedy
    (slow,) = service.check_time_limits(Settings.model_validate({"slow_models": True}))
    assert slow.grade == "good"


def test_versions_and_extras_are_told() -> None:
    texts = [finding.text for finding in service.check_versions(Settings())]
    assert "elcano 0.1.0" in texts[0]
    assert "temporalio " in texts[0]
    assert "telemetry" in texts[1]


def test_the_store_is_looked_at_and_not_made(tmp_path: Path) -> None:
    settings = Settings.model_validate({"data_dir": tmp_path / "data", "store_url": ""})
    (none_yet,) = service.check_store_revision(settings)
    assert "none yet" in none_yet.text
    assert not (tmp_path / "data").exists()
    asyncio.run(_open_and_close(tmp_path / "data"))
    (finding,) = service.check_store_revision(settings)
    assert finding.grade == "good"
    assert "as this program needs them" in finding.text


def test_tables_of_other_releases_are_told_apart_and_left_as_they_are(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_revision, "VERSIONS", [*schema_revision.VERSIONS, "tests.chaos.releases:expanding"])
    monkeypatch.setattr(schema_revision, "_load_scripts", cache(schema_revision._load_scripts.__wrapped__))
    settings = Settings.model_validate({"data_dir": tmp_path, "store_url": postgres})
    assert [one.grade for one in service.check_store_revision(settings)] == ["note"]
    asyncio.run(_change_tables(settings))
    asyncio.run(_change_tables(settings, partial(move_tables, revision=CURRENT)))
    (written,) = check_store(settings)
    assert written.grade == "good"
    (finding,) = service.check_store_revision(settings)
    assert (finding.grade, finding.text.partition("tables of ")[2]) == (
        "note",
        f"version {CURRENT}; this program needs {EXPANDED}",
    )
    asyncio.run(_change_tables(settings))
    for floor, grade in ((EXPANDED, "good"), ("9998", "fault")):
        asyncio.run(_change_tables(settings, partial(_write_revision, floor)))
        (finding,) = service.check_store_revision(settings)
        assert (finding.grade, "tables of version 9999, of a newer" in finding.text) == (grade, grade == "good")
    assert "use the release that wrote it or a newer one" in finding.text
    assert [one.grade for one in check_store(settings)] == ["fault"]


def test_a_database_that_is_away_is_told_in_words(tmp_path: Path) -> None:
    away = {"data_dir": tmp_path, "store_url": "postgresql://me:hunter22@127.0.0.1:1/elcano"}
    (finding,) = service.check_store_revision(Settings.model_validate(away))
    assert finding.grade == "fault"
    assert "its server does not answer: see that it runs and can be reached" in finding.text
    assert "hunter22" not in finding.text


def _write_revision(floor: str, connection: Connection) -> None:
    connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    connection.execute(text(f"UPDATE schema_floor SET revision = '{floor}'"))


async def _change_tables(settings: Settings, *change: Callable[[Connection], None]) -> None:
    engine = open_engine(database_url(settings.store_url, settings.data_dir))
    await prepare_tables(engine, *change)
    await engine.dispose()


async def _open_and_close(folder: Path) -> None:
    async with open_store(folder):
        pass


def test_the_disk_is_measured_by_its_parts(tmp_path: Path) -> None:
    (tmp_path / "objects" / "a").mkdir(parents=True)
    (tmp_path / "objects" / "a" / "b").write_bytes(b"x" * 3_000_000)
    (finding,) = service.check_disk(Settings.model_validate({"data_dir": tmp_path}))
    assert "objects 3.0" in finding.text


def test_a_server_that_is_away_is_a_note() -> None:
    (port,) = free_ports(1)
    settings = Settings.model_validate({"TEMPORAL_ADDRESS": f"127.0.0.1:{port}"})
    (finding,) = service.check_temporal_server(settings)
    assert finding.grade == "note"
    assert "does not answer" in finding.text
