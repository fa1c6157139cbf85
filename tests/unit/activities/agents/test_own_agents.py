"""An agent of one's own under the real activity: what its model is shown, and what becomes of its answer."""

import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.model import ScriptedModel
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, FixedSource, call, passage, stored
from tests.unit.graphs.own_agents import screener

PAGES = (passage(1, TEMPORAL), passage(2, PANCAKES))
GIVEN: JsonObject = {
    "question": "What is replay?",
    "reader": "a newcomer",
    "evidence": [page.id for page in PAGES],
}
ANSWER: JsonObject = {"kept": [], "why": "of replay", "verdict": "enough"}


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", PAGES, tuple(map(stored, PAGES)))
    return store


async def asked(store: Store, model: Model | None, given: JsonObject = GIVEN) -> AgentResult:
    settings = Settings(_env_file=None)
    resolve = None if model is None else lambda *_: model
    activities = AgentActivities(store, Sources({"docs": FixedSource({})}), settings, resolve=resolve)
    made: AgentCall = call("screener@2", given).model_copy(update={"own": screener()})
    result = await ActivityEnvironment().run(activities.run_agent, made)
    assert isinstance(result, AgentResult)
    return result


async def test_its_model_is_shown_its_inputs_and_the_passages_and_answers_by_their_keys(store: Store) -> None:
    model = ScriptedModel({"screener@2": lambda task: {**ANSWER, "kept": [task.evidence[0].key, "e99"]}})
    result = await asked(store, model)
    (task,) = model.tasks
    assert (task.kind, task.question, task.given) == ("screener@2", "What is replay?", {"reader": "a newcomer"})
    assert {item.text for item in task.evidence} == {TEMPORAL, PANCAKES}
    assert isinstance(result.output["kept"], list)
    assert result.output["kept"][0] in [page.id for page in PAGES]
    assert len(result.output["kept"]) == 1
    assert result.output["studies"] is None
    (line,) = await store.of("default").ledger.entries("run-1", branches=True)
    assert (line.name, line.outcome) == ("screener@2", "completed")


async def test_a_wrong_answer_goes_back_to_the_model_with_what_is_wrong(store: Store) -> None:
    said: list[JsonObject] = [{**ANSWER, "verdict": "perhaps"}, {**ANSWER, "kept": "all"}, ANSWER]
    seen: list[list[ModelMessage]] = []
    schemas: list[JsonObject] = []

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(messages)
        schemas.append(info.output_tools[0].parameters_json_schema)
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, said[len(seen) - 1])])

    result = await asked(store, FunctionModel(answer))
    assert len(seen) == 3
    assert "enough" in str(seen[1][-1])
    assert result.usage.requests == 3
    assert result.output["verdict"] == "enough"
    properties = schemas[0]["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["kept", "why", "studies", "verdict"]


async def test_one_that_is_never_right_fails_for_good(store: Store) -> None:
    model = ScriptedModel({"screener@2": {**ANSWER, "verdict": "perhaps"}})
    with pytest.raises(ApplicationError) as caught:
        await asked(store, model)
    assert caught.value.type == FailureType.MODEL_OUTPUT


async def test_without_a_model_it_says_that_it_needs_one(store: Store) -> None:
    with pytest.raises(ApplicationError) as caught:
        await asked(store, None)
    assert caught.value.type == FailureType.MODEL_REFUSED
    assert "'screener@2', which needs a language model" in caught.value.message
