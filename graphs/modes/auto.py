"""Automatic choice: the question is read first, and goes the way of iterative or of deep research."""

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.modes.deep import DEEP
from elcano.graphs.modes.inputs import ASKED
from elcano.graphs.modes.iterative import ITERATIVE

AUTO = (
    GraphBuilder("auto", "Read the question, then go the way of iterative or of deep research.")
    .add_agent_node(
        "input_parser",
        agent="input_parser",
        description="What the question is after",
        inputs={**ASKED, "sources": "sources"},
        reducer="record_parse",
    )
    .add_decision_node("mode", description="Which way?")
    .include(ITERATIVE)
    .include(DEEP)
    .connect_nodes("input_parser", "mode")
    .add_conditional_edge("mode", "survey", when="outputs.input_parser.research_mode == 'deep'", label="deep")
    .connect_nodes("mode", "first_search", label="iterative")
    .set_entry_node("input_parser")
    .set_exit_nodes("writer", "synthesizer")
    .build()
)
