"""What tools for answers did, in a sentence and in figures."""

from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.wording import counted, listed


def charted(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize what was drawn, or why nothing was."""
    chart = output.get("chart")
    if not isinstance(chart, dict):
        return str(output.get("reason") or "There is no chart."), {"drawn": False}
    return f"Drawn: {chart.get('title', '')}", {"drawn": True, "kind": chart.get("kind")}


def merged(output: JsonObject) -> tuple[str, JsonObject]:
    """How paths were merged."""
    gaps, count = len(listed(output.get("gaps"))), output.get("disagreement_count")
    disagreements = count if isinstance(count, int) else 0
    result = output.get("result")
    rows = result.get("row_count") if isinstance(result, dict) else None
    if not isinstance(rows, int):
        return f"Nothing to merge: {counted(gaps, 'path')} without a result", {"gaps": gaps}
    text = f"Merged into {counted(rows, 'row')}, {counted(disagreements, 'disagreement')}"
    text += f", {counted(gaps, 'path')} without a result" if gaps else ""
    return text, {"rows": rows, "disagreements": disagreements, "gaps": gaps}
