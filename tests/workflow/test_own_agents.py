"""An agent of one's own on the real server: its activity is told apart by its summary, and its run replays."""

from temporalio.client import Client

from elcano.graphs.contracts import OWN_AGENT, AgentCall, AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import sum_usages
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.unit.graphs.own_agents import carrying, screener
from tests.workflow.conftest import Start, asking, worker_for

ANSWER: JsonObject = {"kept": ["doc:What-is-it?"], "why": "one study", "verdict": "enough"}
KEY = "screener@2"


async def test_a_run_calls_the_agent_that_it_carries(start: Start, script: Script) -> None:
    script.overrides[KEY] = lambda given: ANSWER
    handle = await start(graph=carrying(key=KEY))
    result = await handle.result()
    assert (result.ending, result.failure) == (None, None)
    assert script.calls == ["search", KEY, "writer"]
    (kept,) = script.archived
    last_event = [(event.type, event.message) for event in kept.events if event.node == "screen"]
    assert last_event == [
        ("analyzing", "Screen: Says which passages are of controlled studies."),
        ("analysis_complete", "Screener: one study"),
    ]
    assert result.usage == sum_usages(script.ledger.values())
    scheduled = [
        event.activity_task_scheduled_event_attributes
        async for event in handle.fetch_history_events()
        if event.HasField("activity_task_scheduled_event_attributes")
    ]
    assert [one.activity_type.name for one in scheduled if one.activity_id.endswith("-screen")] == [OWN_AGENT]


async def test_an_answer_that_does_not_fit_the_schema_fails_its_node(start: Start, script: Script) -> None:
    script.overrides[KEY] = lambda given: {**ANSWER, "verdict": "perhaps"}
    result = await (await start(graph=carrying(key=KEY))).result()
    assert result.ending is not None
    assert result.ending.kind == "node_failed"
    assert "verdict" in result.ending.detail


async def test_the_definition_and_its_model_travel_with_the_call(temporal: Client, queue: str) -> None:
    calls: list[AgentCall] = []
    script = Script()

    async def ask(call: AgentCall) -> AgentResult:
        calls.append(call)
        answer = ANSWER if call.own else script.answer(call.agent, call.input)
        return AgentResult(output=answer, last_event=call.last_event)

    graph = carrying(key=KEY, model="openai:gpt-5.1")
    async with worker_for(temporal, queue, scripted_activities(script, ask=ask)):
        await temporal.execute_workflow(ResearchWorkflow.run, asking(queue, graph=graph), id=queue, task_queue=queue)
    (of_own,) = (call for call in calls if call.own is not None)
    assert (of_own.agent, of_own.own) == (KEY, screener(model="openai:gpt-5.1"))
    assert of_own.models.by_agent == {KEY: "openai:gpt-5.1"}
    assert all(call.models.by_agent == {} for call in calls if call.own is None)
