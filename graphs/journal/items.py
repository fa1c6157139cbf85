"""What came of many things that were done at once: in sentences of their own as far as they fit, and in figures."""

from collections import Counter
from collections.abc import Callable
from typing import Final, TypeAlias, get_args

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.branches import BranchOutcomes, Ended
from elcano.graphs.text import ensure_list, format_count

Summary: TypeAlias = Callable[[JsonObject], tuple[str, JsonObject]]
TOLD: Final = 5
"""Items that are told of by themselves."""


def summarize_items(callee: str, summarise: Summary | None, output: Json) -> tuple[str, JsonObject]:
    """Summarize the items in a sentence each, failed ones by their errors; a single one with its own figures too."""
    items = [
        one for one in ensure_list(output.get("items") if isinstance(output, dict) else None) if isinstance(one, dict)
    ]
    failed = [one for one in items if not isinstance(one.get("output"), dict)]
    figures: JsonObject = {"items": len(items), "failed": len(failed)}
    texts = []
    for one in items[:TOLD]:
        answered = one.get("output")
        if not isinstance(answered, dict):
            texts.append(f"{callee} failed: {one.get('error') or 'it did not say why'}")
        elif summarise is not None:
            text, own = summarise(answered)
            texts.append(text)
            figures = {**own, **figures} if len(items) == 1 else figures
    if not texts:
        return f"{callee}: {format_count(len(items), 'item')} done", figures
    more = f" And {len(items) - TOLD} more." if len(items) > TOLD else ""
    return " ".join(dict.fromkeys(texts)) + more, figures


def of_branches(output: BranchOutcomes) -> tuple[str, JsonObject]:
    """How many branches ended how."""
    ended = Counter(outcome.status for outcome in output.branches)
    counts: JsonObject = {status: ended[status] for status in get_args(Ended)}
    told = (f"{count} {'missing' if status == 'gap' else status}" for status, count in counts.items() if count)
    counted = f"{len(output.branches)} sections: {', '.join(told) or 'none'}"
    return counted, {**counts, "sections": len(output.branches)}
