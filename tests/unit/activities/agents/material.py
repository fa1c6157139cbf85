"""Evidence, stores and calls for the tests of agents."""

from collections.abc import Mapping, Sequence
from hashlib import sha256

from elcano.activities.sources.base import SearchResults
from elcano.graphs.catalogue.agents import AgentSpec
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.model_names import ModelChoice
from elcano.storage.evidence import Evidence, StoredText

TEMPORAL = (
    "Temporal records every step of a workflow in its history. After a crash another worker replays the history and "
    "goes on where the first one stopped. A failed activity is retried by the server according to its retry policy."
)
NEEDED: JsonObject = {
    "excerpt": {"database": "shop", "dialect": "sqlite"},
    "query": {"database": "shop", "dialect": "sqlite", "sql": "SELECT 1"},
    "fault": {"stage": "database", "message": "no such table"},
}
"""What agents cannot do without beside a question."""
PANCAKES = "Pancakes are made of flour, eggs and milk. Let the batter rest for half an hour before baking."


def least(agent: AgentSpec, **given: object) -> dict[str, object]:
    """The least that an agent can be given, and what is given beside."""
    required = [name for name, field in agent.input.model_fields.items() if field.is_required() and name in NEEDED]
    return {"question": "What?", **{name: NEEDED[name] for name in required}, **given}


def passage(number: int, text: str, *, title: str = "", source: str = "docs", heading: str = "") -> Evidence:
    return Evidence(
        id=f"{source}:doc{number}@{sha256(text.encode()).hexdigest()[:8]}:0-{len(text)}",
        source=source,
        document=f"{source}:doc{number}",
        content_hash=sha256(text.encode()).hexdigest(),
        title=title or f"Document {number}",
        locator=f"doc{number}.md",
        heading=heading,
        text=text,
        start=0,
        end=len(text),
    )


def stored(evidence: Evidence) -> StoredText:
    return StoredText(
        content_hash=evidence.content_hash, document=evidence.document, title=evidence.title, text=evidence.text
    )


def call(agent: str, given: JsonObject, *, model: str = "offline", step: int = 1) -> AgentCall:
    return AgentCall(run_id="run-1", step=step, node=agent, agent=agent, input=given, models=ModelChoice(default=model))


class FixedSource:
    """A source that finds nothing and knows some words."""

    spec = SourceSpec(name="docs", kind="documents", description="What the tests know.")

    def __init__(self, weights: Mapping[str, float] | None) -> None:
        self._weights = weights

    async def search(self, query: str, limit: int) -> SearchResults:
        return SearchResults()

    async def close(self) -> None:
        """Nothing is open."""

    async def term_weights(self, words: Sequence[str]) -> Mapping[str, float]:
        if self._weights is None:
            raise SourceUnavailable("the index is locked")
        return {word: self._weights[word] for word in words if word in self._weights}
