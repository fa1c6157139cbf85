"""An export is written piece by piece, says what it lacks, and a changed or cut off one is found out."""

import shutil
import zipfile
from pathlib import Path

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.graphs.mode_choice import MODES
from elcano.operations.tenants.deletion_store import get_deletion_store
from elcano.operations.tenants.export import MANIFEST, ZipWriter, check_export, stream_export
from elcano.storage.objects import artifacts_of
from elcano.storage.store import Store, open_store


async def write(store: Store, file: Path) -> list[int]:
    """Writes the export of the tenant `acme`; returns the sizes of its pieces."""
    sizes = []
    with file.open("wb") as out:
        async for piece in stream_export(get_deletion_store(store).engine, store.of("acme")):
            out.write(piece)
            sizes.append(len(piece))
    return sizes


async def test_many_large_artifacts_never_are_in_memory_together(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        own = store.of("acme")
        for number in range(30):
            await own.artifacts.put(f"acme-{number}", f"{number} " + "".join(map(str, range(40_000))), "text/plain")
        sizes = await write(store, tmp_path / "export.zip")
    manifest, faults = check_export(tmp_path / "export.zip")
    assert faults == []
    assert sum(one.path.startswith("artifacts/") for one in manifest.files) == 30
    assert max(sizes) < sum(sizes) / 10


async def test_what_is_lost_is_named_and_the_rest_is_there(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        own = store.of("acme")
        lost, kept = [await own.artifacts.put("acme-1", text, "text/plain") for text in ("one", "two")]
        await store.objects.delete([f"{artifacts_of('acme', 'acme-1')}/{lost}"])
        await write(store, tmp_path / "export.zip")
    manifest, faults = check_export(tmp_path / "export.zip")
    (fault,) = faults
    assert fault.startswith(f"artifacts/acme-1/{lost}.txt: StoreDamaged: the artifact {lost} is not in the store")
    assert f"artifacts/acme-1/{kept}.txt" in {one.path for one in manifest.files}


async def test_nothing_of_another_tenant_is_in_it(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        for tenant in ("acme", "acme-eu", "zebra"):
            await store.of(tenant).graphs.keep(MODES["simple"])
            await store.of(tenant).artifacts.put(f"{tenant}-1", f"of {tenant}", "text/plain")
        await write(store, tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert len(archive.read("tables/graphs.jsonl").splitlines()) == 1
        (artifact,) = [name for name in archive.namelist() if name.startswith("artifacts/")]
        assert archive.read(artifact) == b"of acme"


async def test_a_changed_or_cut_off_file_is_found_out(tmp_path: Path) -> None:
    file, other = tmp_path / "export.zip", tmp_path / "other.zip"
    async with open_store(tmp_path) as store:
        await store.of("acme").graphs.keep(MODES["simple"])
        await write(store, file)
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(other, "w") as changed:
        for name in archive.namelist():
            if name != "tables/runs.jsonl":
                changed.writestr(name, b"{}" if name == "tables/graphs.jsonl" else archive.read(name))
        changed.writestr("more.txt", "more")
    assert sorted(check_export(other)[1]) == [
        "more.txt is not in the manifest",
        "tables/graphs.jsonl is not what was exported: its hash differs",
        "tables/runs.jsonl is missing",
    ]
    damaged = bytearray(file.read_bytes())
    damaged[damaged.index(b"tables/graphs.jsonl") + 100] ^= 0xFF
    other.write_bytes(damaged)
    (fault,) = check_export(other)[1]
    assert fault.startswith("tables/graphs.jsonl is damaged: ")
    shutil.copy(file, other)
    with other.open("r+b") as cut:
        cut.truncate(file.stat().st_size // 2)
    for wrong in (other, tmp_path / "nowhere.zip"):
        with pytest.raises(InputInvalid, match="is no export of a tenant, or was cut off"):
            check_export(wrong)


def test_any_zip_program_reads_what_the_writer_makes(tmp_path: Path) -> None:
    writer, made = ZipWriter(), bytearray()
    for name in ("a/ü.txt", MANIFEST):
        writer.begin(name)
        made += writer.write(b"")
        made += writer.write(name.encode() * 1_000)
        made += writer.end()
    made += writer.close()
    (tmp_path / "made.zip").write_bytes(made)
    with zipfile.ZipFile(tmp_path / "made.zip") as archive:
        assert archive.testzip() is None
        assert archive.read("a/ü.txt") == "a/ü.txt".encode() * 1_000
