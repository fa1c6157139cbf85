"""One run over every kind of source at once: what they tell is put together, and what fails is said and no more."""

import json

import pytest
import rispy
from pybtex.database import parse_string
from temporalio.testing import WorkflowEnvironment

from tests.api.doubles.research import Left, left_by_run
from tests.loopback import Reply

GONE = Reply('{"error": "there is no such service any more"}', 404, {"Content-Type": "application/json"})


@pytest.fixture(scope="module")
async def left(
    anyio_backend: str, temporal_environment: WorkflowEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> Left:
    """One run for all tests of this file."""
    return await left_by_run(temporal_environment.client, tmp_path_factory.mktemp("everything"), GONE)


async def test_look(left: Left) -> None:
    print(left.markdown)
    for form in left.forms.values():
        print(form)
    for one in left.messages:
        print(one.event, one.data.get("message"), str(one.data.get("data"))[:200])
    print({name: (one["state"], one["last_error"]) for name, one in left.sources.items()})
    print(json.dumps(left.view)[:3000])
    for t in left.tasks:
        print(t.kind, [(e.key, e.title[:20], e.about) for e in t.evidence])
