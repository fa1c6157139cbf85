"""Requests with a schema that are refused, each with its reason and place."""

from pathlib import Path

import pytest

from elcano.graphs.added_steps import FORM_FILLER, add_answer_step
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.graph_traits import read_graph_traits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import ModelChoice
from elcano.service.runs.judgement import Refusals
from elcano.service.runs.model_checks import judge_models
from elcano.service.runs.request_facts import add_requested_answer
from elcano.settings import Settings

SCHEMA = {"type": "object", "properties": {"year": {"type": "integer"}}}


def test_every_mode_takes_a_schema_and_its_limits_stay() -> None:
    for graph in MODES.values():
        asked = add_requested_answer(graph, SCHEMA, refused := Refusals())
        assert not refused.faults
        assert find_graph_faults(asked) == []
        assert asked.without_appendix() == graph
        before, after = read_graph_traits(graph), read_graph_traits(asked)
        assert (after.defaults, after.chooses_mode) == (before.defaults, before.chooses_mode)


@pytest.mark.parametrize("mode", ["auto", "simple"])
def test_a_model_that_needs_no_key_fills_in_no_form(mode: str, tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    traits = read_graph_traits(add_answer_step(MODES[mode]))
    (fault,) = judge_models(ModelChoice(default="offline"), traits, None, {}, settings)
    assert fault.field == "output_schema"
    assert "needs a language model" in fault.message


def test_faults_of_a_schema_are_told_with_their_places() -> None:
    properties = {"a": {"type": "array", "prefixItems": [{}]}, "b": {"$ref": "http://x/y"}}
    graph = add_requested_answer(MODES["simple"], {"type": "object", "properties": properties}, refused := Refusals())
    assert graph.appendix is None
    assert [fault.pointer for fault in refused.faults] == [
        "/output_schema/properties/a/prefixItems",
        "/output_schema/properties/b/$ref",
    ]


def test_without_the_plugin_a_schema_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(AGENTS, FORM_FILLER)
    add_requested_answer(MODES["simple"], SCHEMA, refused := Refusals())
    assert ["structured_answers" in fault.message for fault in refused.faults] == [True]


@pytest.mark.parametrize("appendix", ["judge", "nothing", "synthesize"])
def test_an_appendix_with_edges_or_that_is_no_agent_is_refused(appendix: str) -> None:
    assert find_graph_faults(MODES["simple"].model_copy(update={"appendix": appendix}))
