"""What tools for answers did, in a sentence and in figures."""

from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.display_text import ensure_list, format_count


def summarize_chart(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize what was drawn, or why nothing was."""
    chart = output.get("chart")
    if not isinstance(chart, dict):
        return str(output.get("reason") or "There is no chart."), {"drawn": False}
    return f"Drawn: {chart.get('title', '')}", {"drawn": True, "kind": chart.get("kind")}


def summarize_path_merge(output: JsonObject) -> tuple[str, JsonObject]:
    """How paths were merged."""
    gaps, count = len(ensure_list(output.get("gaps"))), output.get("disagreement_count")
    disagreements = count if isinstance(count, int) else 0
    result = output.get("result")
    rows = result.get("row_count") if isinstance(result, dict) else None
    if not isinstance(rows, int):
        return f"Nothing to merge: {format_count(gaps, 'path')} without a result", {"gaps": gaps}
    text = f"Merged into {format_count(rows, 'row')}, {format_count(disagreements, 'disagreement')}"
    text += f", {format_count(gaps, 'path')} without a result" if gaps else ""
    return text, {"rows": rows, "disagreements": disagreements, "gaps": gaps}
