"""The reducer of updates, for passages that are looked up again because the report cites them."""

from typing import Final

from elcano.graphs.catalogue.reducers import ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import ItemOutcomes, SearchOutput
from elcano.graphs.state.state import ResearchState


def add_looked_up(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Add the passages that were found. They answer no question, so they are no searches of the run."""
    found = [SearchOutput.model_validate(item.output) for item in output.items if item.output is not None]
    return with_findings(state.with_evidence(ref for one in found for ref in one.evidence), state)


REDUCERS: Final = (
    ReducerSpec(
        "add_looked_up",
        "Adds cited passages as they stand now.",
        ItemOutcomes,
        add_looked_up,
        item=SearchOutput,
        adds_evidence=True,
    ),
)
