"""What a reader waits for is never an object, however large; it travels compressed and comes back as it was."""

from pathlib import Path

from temporalio.api.common.v1 import Payload

from elcano.graphs.contracts import ANSWER_MARK, AgentResult
from elcano.storage.objects import open_objects
from elcano.storage.payloads import THRESHOLD_BYTES, data_converter
from elcano.storage.sealed_payloads import COMPRESSED
from elcano.subjects.data.query_models import DatabaseLooked
from elcano.subjects.data.tables import DatabaseSchema
from tests.unit.storage.test_payloads import files


def looked(tables: int) -> DatabaseLooked:
    columns = [{"name": f"column_{number}", "type": "TEXT"} for number in range(10)]
    named = [{"name": f"table_{number}", "columns": columns} for number in range(tables)]
    return DatabaseLooked(
        found=DatabaseSchema.model_validate({"database": "shop", "dialect": "sqlite", "tables": named})
    )


async def test_a_large_answer_travels_compressed_and_is_no_object(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    answer = looked(1_000)
    plain = len(answer.model_dump_json())
    (payload,) = await converter.encode([answer])
    assert plain > 10 * THRESHOLD_BYTES
    assert payload.metadata["encoding"] == COMPRESSED.encode()
    assert payload.ByteSize() < plain / 10
    assert files(tmp_path) == []
    assert await converter.decode([payload], [DatabaseLooked]) == [answer]


async def test_a_small_answer_can_be_read_by_anybody(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    (payload,) = await converter.encode([looked(1)])
    assert payload.metadata["encoding"] == b"json/plain"
    assert await converter.decode([payload], [DatabaseLooked]) == [looked(1)]


async def test_an_answer_to_a_query_is_no_object_whatever_it_is(tmp_path: Path) -> None:
    converter = data_converter(open_objects("", tmp_path))
    (large,) = converter.payload_converter.to_payloads([AgentResult(output={"text": "ä" * THRESHOLD_BYTES})])
    marked = Payload(metadata={**large.metadata, ANSWER_MARK: b"true"}, data=large.data)
    storage = converter.external_storage
    assert storage is not None
    assert await storage._store_payload_sequence([marked]) == [large], "the mark has served, and would be in the way"
    assert files(tmp_path) == []
    assert await storage._store_payload_sequence([large]) != [large]
    assert len(files(tmp_path)) == 1
