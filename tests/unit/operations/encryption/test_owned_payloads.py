"""The codec server opens what belongs to the caller's tenant, and leaves everything else as it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    DataConverter,
    StorageDriverStoreContext,
    StorageDriverWorkflowInfo,
    WorkflowSerializationContext,
)

from elcano.operations.encryption.codec_routes import _own_of, open_payloads, retrieve_payloads
from elcano.operations.encryption.keys import INDEX, make_key, parse_keys
from elcano.service.permissions import Principal
from elcano.storage.objects import open_objects
from elcano.storage.payloads import THRESHOLD_BYTES, data_converter

ULID = "01kb1q3yw5v7c8m2n4p6r8t0vx"
SMALL, LARGE = "a question", "x" * THRESHOLD_BYTES


@pytest.fixture(params=["sealed", "clear"])
def converter(request: pytest.FixtureRequest, tmp_path: Path) -> DataConverter:
    ring = parse_keys(f"{make_key('first')}\n{make_key(INDEX)}") if request.param == "sealed" else None
    return data_converter(open_objects("", tmp_path), ring)


def own(tenant: str) -> Callable[[str], bool]:
    return _own_of(Principal(tenant=tenant))


async def write(converter: DataConverter, workflow: str, text: str) -> Payload:
    """A payload of a workflow, as the SDK has it written."""
    target = StorageDriverWorkflowInfo(namespace="default", id=workflow)
    context = WorkflowSerializationContext(namespace="default", workflow_id=workflow)
    of_workflow = converter._with_contexts(context, StorageDriverStoreContext(target=target))
    return (await of_workflow.encode([text]))[0]


async def test_payloads_are_opened_for_their_tenant_alone(converter: DataConverter) -> None:
    for workflow in (f"acme-{ULID}", f"acme-{ULID}.0004.loop-1"):
        for text in (SMALL, LARGE):
            payload = await write(converter, workflow, text)
            (read,) = await retrieve_payloads([payload], converter, own("acme"))
            assert text.encode() in read.data
            for tenant in ("default", "zebra", "acme-01"):
                assert await retrieve_payloads([payload], converter, own(tenant)) == [payload]
        assert (await open_payloads([payload], converter, own("acme")))[0].data == payload.data, "it is a reference"


async def test_a_tenant_whose_name_begins_another_ones_reads_none_of_its_payloads(converter: DataConverter) -> None:
    payload = await write(converter, f"acme-labs-{ULID}", LARGE)
    assert await retrieve_payloads([payload], converter, own("acme")) == [payload]
    assert await retrieve_payloads([payload], converter, own("acme-labs")) != [payload]


async def test_what_belongs_to_no_run_is_the_default_tenants(converter: DataConverter) -> None:
    unowned = (await converter.encode([LARGE]))[0]
    schedule = await write(converter, "elcano-look-tools", LARGE)
    for payload in (unowned, schedule):
        assert await retrieve_payloads([payload], converter, own("acme")) == [payload]
        (read,) = await retrieve_payloads([payload], converter, own("default"))
        assert LARGE.encode() in read.data
