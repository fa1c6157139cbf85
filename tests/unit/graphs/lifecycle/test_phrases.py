"""What is said of a call when it begins: about this call, each query once, and grammatical numbers."""

import pytest

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.engine.entries import CallAgent, CallTool
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.narration import narrate_command
from elcano.graphs.text import format_count
from tests.unit.graphs.samples import two_nodes

EVIDENCE: JsonObject = {"evidence": ["a", "b"]}


def begins(agent: str, given: JsonObject) -> str:
    (told,) = narrate_command(two_nodes(), CallAgent(step=1, node=agent, agent=agent, input=given))
    return told.message


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 searches"), (1, "1 search"), (2, "2 searches"), (1_200, "1,200 searches")]
)
def test_numbers_have_their_plural(number: int, text: str) -> None:
    assert format_count(number, "search", "searches") == text
    assert format_count(1, "passage") == "1 passage"
    assert format_count(3, "passage") == "3 passages"


@pytest.mark.parametrize(
    ("agent", "given", "text"),
    [
        ("thinking", {"iteration": 2, **EVIDENCE}, "Thinking: reading 2 passages to see where to look, iteration 2"),
        (
            "knowledge_gap",
            {"iteration": 3, "max_iterations": 5, **EVIDENCE},
            "Knowledge gap: reading 2 passages for what is still missing, iteration 3 of at most 5",
        ),
        (
            "judge",
            {"conversation": [{"findings": ["a", "b"]}, {"findings": ["b", "c"]}, {"thought": "hm"}]},
            "Judge: judging whether 3 passages will do",
        ),
        ("tool_selector", {"gap": "the year"}, "Tool selector: choosing searches for: the year"),
        ("judge", {"gap": "the year", **EVIDENCE}, "Judge: judging whether 2 passages will do for: the year"),
        ("writer", {"evidence": ["a"]}, "Writer: writing a report from 1 passage"),
        ("planner", {"question": "Why?"}, "Planner: planning sections for: Why?"),
        ("input_parser", {"question": "Why?"}, "Input parser: reading the question: Why?"),
        ("long_writer", {"sections": [{}, {}, {}]}, "Long writer: joining 3 sections, one after the other"),
        ("proofreader", {"sections": [{}]}, "Proofreader: joining 1 section in one pass"),
    ],
)
def test_a_call_of_an_agent_says_what_it_is_about(agent: str, given: JsonObject, text: str) -> None:
    assert begins(agent, given) == text


def test_no_agent_repeats_its_description_for_each_call() -> None:
    given: JsonObject = {"question": "Why?"}
    assert [name for name, spec in AGENTS.items() if spec.description in begins(name, given)] == []


def test_a_query_that_goes_to_several_sources_is_told_once() -> None:
    inputs: tuple[JsonObject, ...] = tuple({"source": source, "query": "oil price"} for source in ("a", "b"))
    (told,) = narrate_command(
        two_nodes(), CallTool(step=1, node="execute_tools", tool="search", inputs=(*inputs, {"query": "water"}))
    )
    assert told.message == "Execute tools: oil price · water"
    assert told.data == {"queries": ["oil price", "water"]}
