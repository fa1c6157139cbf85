"""The catalogue agrees with itself, and the built-in graphs name only what is in it."""

import inspect
from collections.abc import Iterable, Mapping
from typing import get_type_hints

import pytest

from elcano.graphs.catalogue.agents import AGENTS, AgentSpec
from elcano.graphs.catalogue.reducers import REDUCERS, ReducerSpec
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcomes, ToolSpec
from elcano.graphs.checks.references import reference_faults
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode, StateNode, ToolNode
from elcano.graphs.state.events import EVENT_TYPES, TERMINAL
from elcano.graphs.state.state import ResearchState

SPECS: list[AgentSpec | ToolSpec] = [*AGENTS.values(), *TOOLS.values()]
CATALOGUES: Iterable[Mapping[str, AgentSpec | ToolSpec | ReducerSpec]] = (AGENTS, TOOLS, REDUCERS)


def test_each_entry_is_kept_under_its_name_and_described() -> None:
    for catalogue in CATALOGUES:
        for name, spec in catalogue.items():
            assert name == spec.name
            assert spec.description.endswith(".")
            assert spec.input.model_config["extra"] == "forbid"
            assert spec.input.model_config["frozen"] is True
    assert not AGENTS.keys() & TOOLS.keys()


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_models_have_schemas_and_events_exist(spec: AgentSpec | ToolSpec) -> None:
    assert spec.input.model_json_schema()["type"] == "object"
    assert spec.output.model_json_schema()["type"] == "object"
    assert {spec.starts, spec.completes} <= set(EVENT_TYPES) - TERMINAL


@pytest.mark.parametrize("spec", REDUCERS.values(), ids=lambda spec: spec.name)
def test_reducers_take_the_state_and_their_input(spec: ReducerSpec) -> None:
    hints = get_type_hints(spec.apply)
    state, output = inspect.signature(spec.apply).parameters
    assert hints[state] is ResearchState
    assert hints["return"] is ResearchState
    assert hints[output] is spec.input
    assert (spec.item is not None) == (spec.input is ItemOutcomes), "what the items must be is said where there are any"


@pytest.mark.parametrize("mode", MODES)
def test_modes_name_only_known_things(mode: str) -> None:
    graph = MODES[mode]
    assert graph.name == mode
    assert list(reference_faults(graph)) == []
    for node in graph.nodes:
        match node:
            case AgentNode():
                assert set(node.inputs) <= set(AGENTS[node.agent].input.model_fields)
                assert node.reducer is None or node.reducer in REDUCERS
            case ToolNode():
                assert node.tool in TOOLS
            case StateNode():
                assert node.reducer in REDUCERS


def test_only_agents_that_can_be_given_evidence_estimate_it() -> None:
    for spec in AGENTS.values():
        assert spec.output_tokens > 0
        if "evidence" not in spec.input.model_fields:
            assert spec.evidence_tokens == 0
