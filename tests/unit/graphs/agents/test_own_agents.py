"""Agents of one's own in graphs: carried by them, checked like built-in ones, and walked like them."""

from typing import Any

import pytest

from elcano.graphs.agents.definition import definition_of
from elcano.graphs.catalogue.agents import agent_faults, shape_of
from elcano.graphs.checks.budget_limits import default_limits, find_budget_faults
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.contracts import AgentCall
from elcano.graphs.dry_run.dry_run import preview_graph
from elcano.graphs.graph_json import StoredAgent, agents_called, with_agents
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice, chosen_model
from elcano.graphs.schemas.shape import least_of
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import size_faults
from elcano.graphs.state.budget import Limits
from tests.unit.graphs.own_agents import SCREENER, Json, carrying, screened, screener
from tests.unit.graphs.samples import asked


def test_an_agent_of_ones_own_has_the_figures_and_events_of_a_definition() -> None:
    made = definition_of("screener@2", screener())
    assert (made.name, made.output_tokens, made.evidence_tokens) == ("screener@2", 700, 3_000)
    assert (made.starts, made.completes) == ("analyzing", "analysis_complete")
    assert {"question", "guidance", "evidence", "reader", "strict"} <= set(made.input.model_fields)
    assert [name for name, one in made.input.model_fields.items() if one.is_required()] == [
        "question",
        "reader",
        "evidence",
    ]
    assert "`reader`: For whom it is." in made.asks.all_instructions
    text, data = made.summary({"kept": ["a"], "why": "two trials", "verdict": "more"}) if made.summary else ("", {})
    assert text == "Screener: two trials"
    assert data == {"agent": "screener@2", "answer": {"kept": 1, "verdict": "more"}}
    blind = definition_of("screener", screener(passages=False))
    assert blind.evidence_tokens == 0
    assert "evidence" not in blind.input.model_fields


def test_keys_of_passages_become_their_ids_and_others_are_left_out() -> None:
    made = definition_of("screener", screener())
    said = made.output.model_validate({"kept": ["e2", "e9", "e2"], "why": "so", "verdict": "more"})
    assert made.settled is not None
    settled = made.settled(
        said, made.input.model_validate({"question": "?", "reader": "r", "evidence": []}), {"e2": "x:2"}
    )
    assert settled.model_dump()["kept"] == ("x:2",)


def test_a_graph_without_such_agents_is_the_same_json_as_ever() -> None:
    assert "agents" not in MODES["iterative"].model_dump(mode="json")
    assert '"agents"' not in MODES["deep"].model_dump_json()
    call = AgentCall(run_id="r", step=1, node="n", agent="judge", input={})
    assert "own" not in call.model_dump(mode="json")
    assert (
        AgentCall.model_validate_json(call.model_copy(update={"own": screener()}).model_dump_json()).own == screener()
    )


def test_a_graph_that_carries_its_agent_can_run() -> None:
    graph = carrying()
    assert find_graph_faults(graph) == []
    assert ResearchGraph.model_validate_json(graph.model_dump_json()) == graph
    assert "screen" in render_mermaid(graph)
    limits = default_limits(graph)
    assert find_budget_faults(graph, limits) == ()
    assert find_budget_faults(graph, Limits(tokens=4_000))


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"readr": "question"}, "unknown input 'readr'; did you mean 'reader'?"),
        ({"strict": "nothing"}, "unknown name 'nothing'"),
        ({"background": "outputs.screen.verdit"}, "unknown field 'verdit'; did you mean 'verdict'?"),
        ({"background": "outputs.screen.studies[].sise"}, "unknown field 'sise'; did you mean 'size'?"),
        ({"background": "outputs.screen.studies.size"}, "'size' is read from a list"),
        ({"background": "outputs.screen.why.text"}, "'text' is read from a value of type 'string'"),
        ({"background": "outputs.screen.studies[?sze > `3`].title"}, "unknown field 'sze'"),
        ({"background": "join(' ', outputs.screen.studies[0:2].titel)"}, "unknown field 'titel'"),
    ],
)
def test_what_leads_nowhere_is_named_with_what_was_meant(inputs: dict[str, str], said: str) -> None:
    found = find_graph_faults(carrying(screened(**inputs)))
    assert len(found) == 1, found
    assert said in found[0]


@pytest.mark.parametrize(
    "expression",
    [
        "outputs.screen.studies[].title",
        "outputs.screen.studies[?size > `3`] | [0].title",
        "outputs.screen.*",
        "outputs.*.x",
        "sort_by(outputs.screen.studies, &size)[0].anything",
        "outputs.screen.studies[*].[title, size]",
        "length(outputs.screen.kept)",
    ],
)
def test_what_may_be_there_is_no_fault(expression: str) -> None:
    assert find_graph_faults(carrying(screened(background=expression))) == []


def test_a_missing_input_and_a_reducer_that_does_not_fit_are_named() -> None:
    graph = screened()
    del graph["nodes"][1]["inputs"]["reader"]
    graph["nodes"][1]["reducer"] = "record_judgement"
    found = find_graph_faults(carrying(graph))
    assert any("input 'reader' is missing" in one for one in found)
    assert any("'record_judgement' takes JudgeAssessment, but agent 'screener' gives Answer" in one for one in found)


def test_an_agent_that_is_called_nothing_or_has_faults_is_named() -> None:
    graph = carrying(output={"type": "object", "properties": {}}, instructions="  ")
    found = find_graph_faults(graph)
    assert any("agent 'screener': /output/properties: " in one for one in found)
    assert any("agent 'screener': /instructions: " in one for one in found)
    other = ResearchGraph.model_validate({**screened("judge"), "agents": {"idle": {**SCREENER, "name": "else"}}})
    texts = " ".join(find_graph_faults(other))
    assert "agent 'idle': its name is 'else'" in texts
    assert "agent 'idle': no node calls it" in texts
    assert "did you mean 'screener'?" in " ".join(
        find_graph_faults(ResearchGraph.model_validate(screened("screner")), ["screener"])
    )
    assert "built-in agent" in " ".join(find_graph_faults(carrying(key="judge", name="judge")))
    assert "not a model" in " ".join(find_graph_faults(carrying(model="gpt")))


def team(branch: Json, **agents: Json) -> Json:
    return {
        "name": "team",
        "nodes": [
            {"kind": "parallel", "id": "members", "for_each": "sources"},
            {"kind": "state", "id": "end", "reducer": "set_values"},
        ],
        "edges": [
            {"kind": "parallel", "from_node": "members", "branch": "member", "inputs": {"question": "question"}},
            {"kind": "sequential", "from_node": "members", "to_node": "end"},
        ],
        "entry_node": "members",
        "exit_nodes": ["end"],
        "branches": {"member": branch},
        **({"agents": agents} if agents else {}),
    }


def test_names_are_replaced_when_a_graph_arrives() -> None:
    kept = {"screener": StoredAgent("screener@3", screener())}
    assert agents_called(team(screened())) == ["screener"]
    whole = with_agents(team(screened()), kept)
    branch = whole["branches"]["member"]
    assert branch["nodes"][1]["agent"] == "screener@3"
    assert set(branch["agents"]) == {"screener@3"}
    assert "agents" not in whole
    assert find_graph_faults(ResearchGraph.model_validate(whole)) == []
    assert with_agents(whole, {}) == whole
    assert agents_called(whole) == []


def test_agents_of_a_graph_can_be_called_by_its_branches() -> None:
    inline = team(screened(), screener=SCREENER)
    assert agents_called(inline) == []
    whole = with_agents(inline, {})
    assert whole["agents"] == {}
    assert set(whole["branches"]["member"]["agents"]) == {"screener"}
    assert find_graph_faults(ResearchGraph.model_validate(whole)) == []
    two = {**whole, "nodes": [*whole["nodes"]], "agents": {"screener": {**SCREENER, "description": "another"}}}
    assert any("another one of this name" in one for one in find_graph_faults(ResearchGraph.model_validate(two)))


@pytest.mark.parametrize("graph", [None, 1, [], {"nodes": 3}, {"nodes": [1, {"kind": "agent"}]}, {"agents": []}])
def test_what_is_no_graph_stays_what_it_is(graph: Any) -> None:
    assert agents_called(graph) == []
    assert with_agents(graph, {"screener": StoredAgent("screener@1", screener())}) == graph


def test_more_agents_than_may_be_are_refused_before_they_are_read() -> None:
    many = {**screened(), "agents": {f"a{number}": SCREENER for number in range(60)}}
    assert any("60 agents of your own in all are more than 20" in one for one in faults_of(many))
    large = {**screened(), "agents": {"screener": {**SCREENER, "instructions": "x" * 500_000}}}
    assert any("characters of agents" in one for one in faults_of(large))


def faults_of(graph: Json) -> list[str]:
    return [*size_faults(graph)]


async def test_a_dry_run_walks_it_with_the_least_answer() -> None:
    walked = await preview_graph(asked(carrying()), {"screen": [{"why": "because"}]})
    step = next(one for one in walked.steps if one.node == "screen")
    assert (step.outcome, step.calls) == ("completed", "screener")
    assert step.output == {"kept": [], "why": "because", "studies": None, "verdict": "enough"}
    wrong = await preview_graph(asked(carrying()), {"screen": [{"verdict": "perhaps"}]})
    assert "verdict" in next(one for one in wrong.steps if one.node == "screen").reason


def test_the_least_answer_fits() -> None:
    assert definition_of("screener", screener()).output.model_validate(least_of(shape_of(screener())))


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"name": "judge"}, "/name"),
        ({"name": "long_writer_section"}, "/name"),
        ({"inputs": [{"name": "question"}]}, "/inputs/0/name"),
        ({"inputs": [{"name": "a"}, {"name": "a"}]}, "/inputs/1/name"),
        ({"inputs": [{"name": "sections"}]}, "/inputs/0/name"),
        ({"inputs": [{"name": "evidence"}]}, "/inputs/0/name"),
        ({"inputs": [{"name": "schön"}]}, "/inputs/0/name"),
        ({"inputs": [{"name": "model_fields"}]}, "/inputs/0/name"),
        ({"output": {}}, "/output"),
    ],
)
def test_what_an_agent_cannot_be_is_told_with_its_place(changes: Json, pointer: str) -> None:
    assert [one.pointer for one in agent_faults(screener(**changes))] == [pointer]


def test_the_model_of_an_agent_goes_before_that_of_the_run_and_after_the_agents_own_exception() -> None:
    own, server = screener(model="openai:one"), ModelChoice(default="offline", by_agent={"screener": "openai:s"})
    for run, chosen in (
        (ModelChoice(), "openai:one"),
        (ModelChoice(default="openai:run"), "openai:one"),
        (ModelChoice(by_agent={"screener": "openai:named"}), "openai:named"),
        (ModelChoice(by_agent={"screener@2": "openai:exact"}), "openai:exact"),
    ):
        assert chosen_model("screener@2", run.with_own("screener@2", own), server) == chosen
    assert chosen_model("screener@2", ModelChoice(), server) == "openai:s"
