"""The mode `tides`: search the almanac, reckon, ask the pilot, write. Its reducer keeps what the pilot said."""

from typing import Final

from elcano.graphs.builder import ASKED, WRITING, GraphBuilder
from elcano.graphs.catalogue.reducers import ReducerSpec
from elcano.graphs.mode_choice import Mode
from elcano.graphs.state.state import ResearchState
from elcano_tides.pilot import Advice


def note_advice(state: ResearchState, output: Advice) -> ResearchState:
    """Keep the advice for the writer, and for expressions as `values.advice`."""
    return state.model_copy(update={"values": {**state.values, "advice": output.advice}, "background": output.advice})


REDUCER: Final = ReducerSpec("note_advice", "Keeps what the pilot said.", Advice, note_advice)
MODE: Final = Mode(
    GraphBuilder("tides", "Search the almanac, reckon high water, ask the pilot, write.")
    .add_tool_node(
        "search",
        tool="search",
        for_each="sources",
        inputs={"source": "item", "query": "question"},
        reducer="add_evidence",
    )
    .add_tool_node("high_water", tool="high_water", inputs={"question": "question"})
    .add_agent_node(
        "pilot",
        agent="pilot",
        inputs={**ASKED, "port": "outputs.high_water.port", "time": "outputs.high_water.time"},
        reducer="note_advice",
    )
    .add_agent_node("writer", agent="writer", inputs=WRITING)
    .connect_nodes("search", "high_water", "pilot", "writer")
    .set_entry_node("search")
    .set_exit_nodes("writer")
    .build(),
    "When the tide is high in a port.",
    when="it asks for the tide in a port",
    kinds=("tables",),
    instead="iterative",
)
