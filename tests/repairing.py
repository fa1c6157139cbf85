"""The graph of `docs/graphs.md` that repairs a search, and a script that has it fail twice.

The script answers by what it is given alone, so that a worker that takes over from a killed one answers the same.
"""

import re
from pathlib import Path
from typing import Final

from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.failures import FailureType
from elcano.testing.script import Refused, Script, make_passages

PAGE = Path(__file__).parents[1] / "docs" / "graphs.md"
TRIED: Final = ("nowhere", "elsewhere", "library")
"""The sources that are chosen, each after the one before it was refused; the last one exists."""


def shown_graph() -> ResearchGraph:
    """The graph of the page."""
    found = re.search(
        r"^```json\n(\{\s+\"name\": \"mended\".*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found is not None
    return ResearchGraph.model_validate_json(found[1])


def mistaken() -> Script:
    """A selector that names two sources which do not exist, and learns from being told so."""
    script = Script()
    script.overrides = {"tool_selector": _select, "search": _search}
    return script


def _select(given: JsonObject) -> JsonObject:
    told = str(given["background"])
    refused = [place for place, source in enumerate(TRIED) if repr(source) in told]
    source = TRIED[refused[0] + 1] if refused else TRIED[0]
    return {"tasks": [{"source": source, "query": "what it is"}]}


def _search(given: JsonObject) -> JsonObject:
    if given["source"] != TRIED[-1]:
        raise Refused(f"there is no source {given['source']!r}", type=FailureType.SOURCE_REFUSED)
    return {"source": given["source"], "query": given["query"], "evidence": make_passages("a", "b")}
