"""The models of the client have the fields that the API answers, no more and no fewer."""

from typing import Any

import pytest
from fastapi import FastAPI
from pydantic import BaseModel

from elcano.client import models, report_models
from elcano.client.models import Model
from elcano.graphs.report.report import Report
from elcano.graphs.state.events import EVENT_TYPES, TERMINAL, AgentEvent
from elcano.storage.evidence import Evidence

NAMES: dict[str, type[BaseModel]] = {"AgentEvent": AgentEvent, "Report": Report, "Evidence": Evidence}


def answers() -> list[type[Model]]:
    found = [one for module in (models, report_models) for one in vars(module).values() if isinstance(one, type)]
    return [one for one in dict.fromkeys(found) if issubclass(one, Model) and one is not Model]


@pytest.fixture
def schemas(app: FastAPI) -> dict[str, Any]:
    found = dict(app.openapi()["components"]["schemas"])
    for name, model in NAMES.items():
        schema = model.model_json_schema(mode="serialization")
        found |= {**schema.pop("$defs", {}), name: schema}
    return found


@pytest.mark.parametrize("model", answers(), ids=lambda model: model.__name__)
async def test_a_model_has_the_fields_of_its_answer(model: type[Model], schemas: dict[str, Any]) -> None:
    schema = schemas[model.__name__]
    assert set(model.model_fields) == set(schema["properties"])
    needed = {name for name, field in model.model_fields.items() if field.is_required()}
    assert needed <= set(schema.get("required", ())), "an answer without it could not be read"


def test_the_client_knows_which_events_are_the_last() -> None:
    assert models.TERMINAL == TERMINAL
    assert set(EVENT_TYPES) >= models.TERMINAL


def test_what_a_newer_server_adds_is_kept() -> None:
    event = models.AgentEvent.model_validate(
        {
            "seq": 1,
            "type": "pondering",
            "message": "",
            "at": "2026-01-01T00:00:00Z",
            "step": 0,
            "iteration": 0,
            "mood": 3,
        }
    )
    assert (event.model_extra, event.terminal) == ({"mood": 3}, False)
