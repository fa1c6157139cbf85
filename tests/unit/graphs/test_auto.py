"""The mode that chooses: every way is gone, a barred one never, whatever is named; and the choice is told."""

import pytest
from pydantic import ValidationError

from elcano.doors.certificates.log_checks import find_log_mismatch
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.journal import build_run_snapshot
from elcano.graphs.mode_choice import (
    AUTO,
    MODES,
    PLUGIN_MODES,
    USUAL,
    auto_graph,
    list_aliases,
    list_parts,
    list_ways,
    mode_named,
)
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode
from elcano.graphs.spec.walks import prefix_graph
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.rubric import DOMAINS
from elcano.graphs.state.state import REASON_CHARACTERS, Choice, ResearchState, format_chosen_mode
from elcano.subjects.research.loops import ITERATIVE
from elcano.subjects.research.reducers import ModeToChoose, choose_mode
from elcano.testing.script import Script
from tests.unit.graphs.samples import asked as input_of

STATE = ResearchState(question="What is it?", sources=("library",))
NAMES = tuple(list_parts())


def chosen(wanted: str, barred: dict[str, str] | None = None, reason: str = "") -> Choice:
    state = STATE.model_copy(update={"barred": barred or {}})
    return choose_mode(state, ModeToChoose(wanted=wanted, reason=reason, ways=NAMES)).choice


def reading(mode: str) -> Script:
    script = Script(complete_in=2)
    script.overrides["input_parser"] = lambda given: {
        "original_query": "q",
        "improved_query": "q",
        "research_mode": mode,
        "mode_reason": "So it is.",
    }
    return script


def asked(**changes: object) -> ResearchInput:
    return input_of(auto_graph(), STATE).model_copy(update=changes)


@pytest.mark.parametrize("mode", NAMES)
async def test_every_way_is_gone_to_its_report(mode: str) -> None:
    script = reading(mode)
    journal = await run_in_memory(asked(), script.perform, clock=lambda: 0.0)
    run = journal.run
    assert run.finished
    assert run.failure is None
    assert run.state.choice == Choice(mode=mode, reason="So it is.")
    assert run.node in list_parts()[mode].exit_nodes
    others = {node.id for name, part in list_parts().items() if name != mode for node in part.nodes}
    assert others.isdisjoint(run.state.outputs)
    told = [event for event in journal.events if event.type == "state_updated" and event.data.get("mode")]
    assert [(event.message, event.data["mode"]) for event in told] == [(f"Chose {mode} research. So it is.", mode)]
    assert build_run_snapshot(asked(), journal, 0.0, "closed", "completed", None, Usage(), None, ()).choice.mode == mode
    published = finish.publish_call(asked(), journal)
    assert published.choice.mode == mode
    assert find_log_mismatch(finish.build_run_log(asked(), journal)) is None


def test_a_barred_way_gives_way_to_the_one_before_it_and_says_why() -> None:
    barred = {"deep": "it is too dear.", "literature_review": "nothing tells of studies."}
    assert chosen("deep", barred, "It has parts.") == Choice(
        mode=USUAL, reason="It has parts. deep cannot be chosen here: it is too dear."
    )
    assert chosen("simple", {"simple": "no."}).mode == USUAL
    assert chosen("iterative", {USUAL: "no."}).mode == "simple"


@pytest.mark.parametrize(
    ("wanted", "barred", "mode"),
    [
        ("data", ["data"], USUAL),
        ("data", ["data", USUAL], "simple"),
        ("analysis", ["analysis"], "literature_review"),
        ("analysis", ["analysis", "literature_review"], USUAL),
        ("magentic", ["magentic"], USUAL),
        ("hierarchical", ["hierarchical"], "deep"),
        ("hierarchical", ["hierarchical", "deep"], USUAL),
        ("simple", ["simple"], USUAL),
        ("deep", [name for name in NAMES if name != "data"], "data"),
        ("", [name for name in NAMES if name != "data"], "data"),
        ("deep", [*NAMES], "deep"),
    ],
)
@pytest.mark.of_plugins("teams", "literature", "data", "analysis")
def test_a_way_for_one_kind_of_question_is_gone_for_no_other(wanted: str, barred: list[str], mode: str) -> None:
    assert chosen(wanted, dict.fromkeys(barred, "no.")).mode == mode


@pytest.mark.of_plugins("literature")
def test_whatever_is_taken_instead_ends_with_a_mode_for_any_question() -> None:
    ways = list_ways()
    for name in ways:
        seen = [name]
        while instead := ways[seen[-1]].instead:
            assert instead not in seen, seen
            seen.append(instead)


@pytest.mark.parametrize("said", ["", "magic", "AUTO", "深い", "x" * 48])
def test_a_way_that_there_is_not_is_the_usual_one(said: str) -> None:
    choice = chosen(said)
    assert choice.mode == USUAL
    assert (repr(said) in choice.reason) is bool(said)


def test_a_reason_is_bounded_and_a_choice_needs_ways() -> None:
    assert len(chosen("deep", {"deep": "y" * 5_000}, "x" * 5_000).reason) <= REASON_CHARACTERS + 1
    with pytest.raises(ValidationError):
        ModeToChoose(wanted="deep", ways=())


@pytest.mark.parametrize("ways", [(name,) for name in NAMES] + [NAMES[:2], NAMES[2:]])
def test_a_graph_of_some_of_the_ways_is_valid(ways: tuple[str, ...]) -> None:
    graph = auto_graph(ways)
    assert find_graph_faults(graph) == []
    assert graph.name == "auto"


def test_each_way_that_is_described_is_there_and_a_mode() -> None:
    assert set(list_parts()) == set(list_ways()) <= set(MODES)
    assert USUAL in list_parts()


def test_aliases_name_modes_and_no_mode_is_one() -> None:
    assert set(list_aliases()).isdisjoint(MODES)
    assert set(list_aliases().values()) <= set(MODES)
    assert [AUTO, *PLUGIN_MODES] == [*MODES]
    assert mode_named("nosuch") is None
    assert mode_named("deep") is MODES["deep"]


def test_a_graph_under_a_prefix_reads_and_names_its_own_nodes() -> None:
    graph = prefix_graph(ITERATIVE, "own_")
    assert find_graph_faults(graph) == []
    assert all(node.id.startswith("own_") for node in graph.nodes)
    read = [edge.when for edge in graph.edges if edge.kind == "conditional"]
    assert "outputs.own_judge.recommendation == 'synthesize'" in read
    assert not [when for when in read if "outputs." in when and "outputs.own_" not in when]
    chooser = ITERATIVE.model_copy(
        update={
            "nodes": tuple(
                node.model_copy(update={"choose": "outputs.judge.missing[0]"}) if node.id == "iterations" else node
                for node in ITERATIVE.nodes
            )
        }
    )
    moved = prefix_graph(chooser, "own_").by_id["own_iterations"]
    assert moved.choose == "join('', ['own_', outputs.own_judge.missing[0]])"


def test_a_mode_is_shown_with_the_one_that_was_chosen() -> None:
    assert format_chosen_mode("auto", Choice()) == "auto"
    assert format_chosen_mode("auto", Choice(mode="deep")) == "auto/deep"
    assert format_chosen_mode("deep", Choice(mode="deep")) == "deep"


async def test_the_question_decides_the_field_and_sections_are_judged_by_it() -> None:
    seen: list[Json] = []
    script = reading("deep")
    parse = script.overrides["input_parser"]
    script.overrides["input_parser"] = lambda given: {**parse(given), "domain": "biomedical"}

    def judge(given: JsonObject) -> JsonObject:
        seen.append(given["rubric"])
        return {"sufficient": True, "confidence": 1.0, "recommendation": "synthesize", "reasoning": "Enough."}

    script.overrides["judge"] = judge
    known = tuple(DOMAINS.values())
    journal = await run_in_memory(asked(domains=known), script.perform, clock=lambda: 0.0)
    assert journal.run.state.domain == "biomedical"
    assert seen
    assert {one["name"] for one in seen if isinstance(one, dict)} == {"biomedical"}
    assert None not in seen


async def test_without_a_field_no_rubric_is_handed_over() -> None:
    seen: list[Json] = []
    script = reading("simple")

    def judge(given: JsonObject) -> JsonObject:
        seen.append(given.get("rubric"))
        return {"sufficient": True, "confidence": 1.0, "recommendation": "synthesize", "reasoning": "Enough."}

    script.overrides["judge"] = judge
    await run_in_memory(asked(), script.perform, clock=lambda: 0.0)
    assert seen == [None]


def test_agents_of_auto_are_those_of_its_ways_and_the_reader() -> None:
    agents = {node.agent for node in auto_graph().nodes if isinstance(node, AgentNode)}
    own = {node.agent for part in list_parts().values() for node in part.nodes if isinstance(node, AgentNode)}
    assert agents == own | {"input_parser"}
