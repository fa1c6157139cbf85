"""A new agent is one definition and its place in the listing: nothing else is touched, and everything works with it."""

from dataclasses import replace
from typing import Any, cast

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents import agent_activity
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.writing import ReportProse, SynthesisInput
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.catalogue.agents import AGENTS, AgentInput
from elcano.graphs.contracts import AgentResult
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import Call, CallAgent, Entry, StepCompleted
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.state.failures import FailureType
from elcano.graphs.state.state import DraftRef, ResearchState
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.research.agents.thinking import ThinkingOutput
from elcano.testing.model import ScriptedModel
from tests.unit.activities.agents.material import TEMPORAL, FixedSource, call, passage, stored
from tests.unit.graphs.samples import asked

PAGE = passage(1, TEMPORAL)


class GlossaryInput(AgentInput):
    """What is to be explained."""

    evidence: tuple[str, ...] = ()
    reader: str = ""


class Glossary(Frozen):
    """Words and what they mean."""

    words: dict[str, str]


def needs(given: GlossaryInput) -> Needs:
    return Needs(evidence=given.evidence)


def shown(given: GlossaryInput, loaded: Loaded) -> TaskEnvelope:
    return loaded.envelope("glossary", given).model_copy(update={"given": {"reader": given.reader}})


def begins(given: JsonObject) -> str:
    return f"words for a {given.get('reader')}"


def summary(output: JsonObject) -> tuple[str, JsonObject]:
    words = output.get("words")
    return f"Explained: {', '.join(words) if isinstance(words, dict) else ''}", {}


GLOSSARY = AgentDefinition(
    name="glossary",
    description="Explains the words of what was found.",
    asks=Question(
        instructions="You explain words.",
        request="Explain the words of the passages in this task envelope.",
        answer=Glossary,
        shown=shown,
    ),
    input=GlossaryInput,
    output=Glossary,
    starts="analyzing",
    completes="analysis_complete",
    output_tokens=500,
    evidence_tokens=2_000,
    needs=needs,
    begins=begins,
    summary=summary,
)
ANSWER: JsonObject = {"words": {"replay": "doing the same steps again"}}


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast(dict[str, AgentDefinition], AGENTS), GLOSSARY.name, GLOSSARY)


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", (PAGE,), (stored(PAGE),))
    return store


async def walked(store: Store) -> Journal:
    """A run of a graph with the new agent, in memory; the agent itself is asked by the real activity."""
    inputs = {"question": "question", "evidence": f"['{PAGE.id}']", "reader": "'newcomer'"}
    graph = (
        GraphBuilder("explaining")
        .add_agent_node("explain", agent="glossary", inputs=inputs)
        .set_entry_node("explain")
        .set_exit_nodes("explain")
        .build()
    )
    activities = AgentActivities(store, Sources({"docs": FixedSource({})}), Settings(_env_file=None))

    async def perform(work: Call, at: float) -> Entry:
        assert isinstance(work, CallAgent)
        result = await ActivityEnvironment().run(activities.run_agent, call(work.agent, work.input))
        assert isinstance(result, AgentResult)
        return StepCompleted(
            step=work.step, node=work.node, at=at, output=result.output, usage=result.usage, model=result.model
        )

    return await run_in_memory(asked(graph, ResearchState(question="What is replay?")), perform, clock=lambda: 0.0)


async def test_a_listed_agent_runs_in_a_graph(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedModel({"glossary": ANSWER})
    monkeypatch.setattr(agent_activity, "resolve_model", model.resolve)
    journal = await walked(store)
    (task,) = model.tasks
    assert (task.kind, task.question, task.given) == ("glossary", "What is replay?", {"reader": "newcomer"})
    assert [item.text for item in task.evidence] == [TEMPORAL]
    assert journal.run.state.outputs == {"explain": ANSWER}
    told = {event.type: event.message for event in journal.events}
    assert told["analyzing"] == "Explain: words for a newcomer"
    assert told["analysis_complete"] == "Explained: replay"


async def test_an_agent_without_an_extractive_counterpart_says_that_it_needs_a_model(store: Store) -> None:
    with pytest.raises(ApplicationError) as caught:
        await walked(store)
    assert caught.value.type == FailureType.MODEL_REFUSED
    assert "'glossary', which needs a language model" in caught.value.message
    assert "ELCANO_MODEL" in caught.value.message


def test_a_graph_is_checked_against_what_the_agent_takes() -> None:
    builder = GraphBuilder("explaining").add_agent_node("explain", agent="glossary", inputs={"readers": "question"})
    with pytest.raises(GraphInvalid, match="readers"):
        builder.set_entry_node("explain").set_exit_nodes("explain").build()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"output": ThinkingOutput}, "make them the same"),
        ({"manner": "report"}, "its output must be DraftRef, not Glossary"),
        ({"manner": "report", "output": DraftRef}, "its answer must be ReportProse, not Glossary"),
        ({"manner": "by_section", "output": DraftRef}, "its input must be SynthesisInput, not GlossaryInput"),
        ({"manner": "by_section", "output": DraftRef, "input": SynthesisInput}, "needs `closing`"),
        ({"closing": GLOSSARY.asks}, "needs `closing`"),
        (
            {"manner": "joined", "output": DraftRef, "asks": replace(GLOSSARY.asks, answer=ReportProse)},
            "its input must be SynthesisInput",
        ),
    ],
)
def test_a_definition_whose_parts_do_not_fit_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match="agent 'glossary': ") as caught:
        replace(GLOSSARY, **changes)
    assert said in str(caught.value)
