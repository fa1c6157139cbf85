"""An agent of one's own and a graph that calls it, for several tests."""

from typing import Any

from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent

Json = dict[str, Any]

SCREENER: Json = {
    "name": "screener",
    "description": "Says which passages are of controlled studies.",
    "instructions": "Keep the passages that report a controlled study.",
    "inputs": [
        {"name": "reader", "description": "For whom it is."},
        {"name": "strict", "type": "boolean", "required": False},
    ],
    "output": {
        "type": "object",
        "properties": {
            "kept": {"type": "array", "items": {"type": "string", "format": "evidence"}},
            "why": {"type": "string", "description": "In one sentence.", "maxLength": 300},
            "studies": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"title": {"type": "string"}, "size": {"type": "integer", "minimum": 1}},
                    "required": ["title"],
                },
            },
            "verdict": {"type": "string", "enum": ["enough", "more"]},
        },
        "required": ["kept", "why", "verdict"],
    },
    "output_tokens": 700,
    "passages": True,
    "evidence_tokens": 3_000,
}


def screener(**changes: Any) -> OwnAgent:
    return OwnAgent.model_validate({**SCREENER, **changes})


def screened(agent: str = "screener", **inputs: str) -> Json:
    """The JSON of a graph that searches, screens with an agent and writes from what it kept."""
    given = {"question": "question", "evidence": "evidence[].id", "reader": "'a newcomer'", **inputs}
    return {
        "name": "screened",
        "nodes": [
            {
                "kind": "tool",
                "id": "search",
                "tool": "search",
                "for_each": "sources",
                "inputs": {"source": "item", "query": "question"},
                "reducer": "add_evidence",
            },
            {"kind": "agent", "id": "screen", "agent": agent, "inputs": given},
            {
                "kind": "agent",
                "id": "writer",
                "agent": "writer",
                "inputs": {
                    "question": "question",
                    "sources": "sources",
                    "conversation": "conversation",
                    "evidence": "outputs.screen.kept",
                    "background": "outputs.screen.why",
                },
            },
        ],
        "edges": [
            {"kind": "sequential", "from_node": "search", "to_node": "screen"},
            {"kind": "sequential", "from_node": "screen", "to_node": "writer"},
        ],
        "entry_node": "search",
        "exit_nodes": ["writer"],
    }


def carrying(graph: Json | None = None, key: str = "screener", **changes: Any) -> ResearchGraph:
    """The graph with the agent in it."""
    whole = screened(key) if graph is None else graph
    return ResearchGraph.model_validate({**whole, "agents": {key: {**SCREENER, **changes}}})
