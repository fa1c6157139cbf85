"""Large payloads are files, small ones stay; what is missing or damaged is named; programs connect alike."""

import asyncio
import os
from hashlib import sha256
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
)

from elcano.graphs.contracts import AgentResult
from elcano.graphs.errors import StoreDamaged
from elcano.settings import Settings
from elcano.storage.objects import Objects, open_objects, payloads_of
from elcano.storage.payloads import THRESHOLD_BYTES, ObjectDriver, connect_config, data_converter


@pytest.fixture(params=["folder", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Objects:
    return open_objects("" if request.param == "folder" else request.getfixturevalue("s3"), tmp_path)


LARGE = AgentResult(output={"text": "ä" * THRESHOLD_BYTES}, model="offline")
SMALL = AgentResult(output={"text": "short"})


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_large_payload_is_a_file_and_comes_back_as_its_model(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path / "payloads"))
    payloads = await converter.encode([LARGE, SMALL])
    assert sum(payload.ByteSize() for payload in payloads) < 1_000
    (stored,) = files(tmp_path)
    assert stored.name == sha256(stored.read_bytes()).hexdigest()
    assert stored.parent.name == "nobody"
    assert await converter.decode(payloads, [AgentResult, AgentResult]) == [LARGE, SMALL]


async def test_small_payloads_stay_in_the_history(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path / "payloads"))
    payloads = await converter.encode([SMALL])
    assert files(tmp_path) == []
    assert await converter.decode(payloads, [AgentResult]) == [SMALL]


async def test_the_same_payload_is_one_file_however_often_it_is_stored_at_once(tmp_path: Path) -> None:
    converters = [data_converter(open_objects("", tmp_path)), data_converter(open_objects("", tmp_path))]
    encoded = await asyncio.gather(*(converter.encode([LARGE]) for converter in converters * 10))
    assert len(files(tmp_path)) == 1
    assert await converters[0].decode(encoded[-1], [AgentResult]) == [LARGE]


async def test_a_missing_payload_says_where_it_should_be(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    payloads = await converter.encode([LARGE])
    (stored,) = files(tmp_path)
    stored.unlink()
    with pytest.raises(StoreDamaged, match=stored.name):
        await converter.decode(payloads, [AgentResult])


async def test_a_damaged_payload_is_not_used(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    payloads = await converter.encode([LARGE])
    (stored,) = files(tmp_path)
    stored.write_bytes(stored.read_bytes()[:-1])
    with pytest.raises(StoreDamaged, match="damaged"):
        await converter.decode(payloads, [AgentResult])


@pytest.mark.parametrize("claim", [{}, {"key": "../../secret"}, {"key": "ab"}, {"key": f"artifacts/a/{'0' * 64}"}])
async def test_a_claim_cannot_name_another_file(tmp_path: Path, claim: dict[str, str]) -> None:
    driver = ObjectDriver(open_objects("", tmp_path))
    with pytest.raises(StoreDamaged, match="not the key"):
        await driver.retrieve(StorageDriverRetrieveContext(), [StorageDriverClaim(claim)])


async def test_the_driver_answers_in_the_order_of_the_claims(tmp_path: Path) -> None:
    driver = ObjectDriver(open_objects("", tmp_path))
    payloads = [Payload(metadata={"encoding": b"binary/plain"}, data=bytes([n])) for n in range(5)]
    claims = await driver.store(StorageDriverStoreContext(), payloads)
    assert await driver.retrieve(StorageDriverRetrieveContext(), claims[::-1]) == payloads[::-1]


async def test_payloads_belong_to_the_run_whose_branch_stores_them_and_go_with_it(objects: Objects) -> None:
    driver = ObjectDriver(objects)
    claims = {}
    for run_id in ("run-1", "run-1.0004.loop-1", "run-10", "a b/../c"):
        target = StorageDriverWorkflowInfo(namespace="default", id=run_id)
        payload = Payload(data=run_id.encode() * 9)
        (claims[run_id],) = await driver.store(StorageDriverStoreContext(target=target), [payload])
        assert await driver.retrieve(StorageDriverRetrieveContext(), [claims[run_id]]) == [payload]
    await objects.delete_below(payloads_of("run-1"))
    await objects.delete_below(payloads_of("run-1"))
    for run_id in ("run-1", "run-1.0004.loop-1"):
        with pytest.raises(StoreDamaged, match="payloads/run-1/"):
            await driver.retrieve(StorageDriverRetrieveContext(), [claims[run_id]])
    for run_id in ("run-10", "a b/../c"):
        assert await driver.retrieve(StorageDriverRetrieveContext(), [claims[run_id]])


PROFILE = """
[profile.default]
address = "profile.test:7233"
namespace = "research"
"""


@pytest.mark.parametrize(
    ("profile", "address", "target"),
    [
        ("", "", "127.0.0.1:7333"),
        (PROFILE, "", "profile.test:7233"),
        (PROFILE, "named.test:7233", "named.test:7233"),
    ],
)
async def test_programs_connect_by_the_profile_to_the_server_that_the_settings_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, profile: str, address: str, target: str
) -> None:
    (tmp_path / "temporal.toml").write_text(profile)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "temporal.toml"))
    for name in ("TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    chosen = {"data_dir": tmp_path, "TEMPORAL_ADDRESS": address, "temporal_port": 7333}
    config = connect_config(Settings.model_validate(chosen))
    assert config["target_host"] == target
    assert config.get("namespace") == ("research" if profile else None)
    await config["data_converter"].encode([LARGE])
    assert [file.relative_to(tmp_path).parts[0] for file in files(tmp_path) if file.suffix != ".toml"] == ["objects"]


async def test_an_object_is_on_the_disk_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = set()
    real = os.fsync

    def fsync(file: int) -> None:
        synced.add(os.fstat(file).st_ino)
        real(file)

    monkeypatch.setattr(os, "fsync", fsync)
    kept = open_objects("", tmp_path / "objects")
    await kept.put("artifacts/default/run/key", b"data")
    kept.close()
    places = ["artifacts/default/run/key", "artifacts/default/run", "artifacts/default", "artifacts", ""]
    assert {(tmp_path / "objects" / place).stat().st_ino for place in places} <= synced
