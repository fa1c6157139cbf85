"""Figures of an analysis in words and as tables have them; the same in reports, drawings and verdicts."""

from elcano.graphs.frozen import JsonObject
from elcano.graphs.values.analysis import NAMES, Pool, PooledEstimate
from elcano.graphs.values.display_text import format_count


def format_figure(value: float) -> str:
    """A figure with two to four digits behind its point; in powers of ten only if it is huge or tiny."""
    if value == 0 or 0.001 <= abs(value) < 100_000:
        text = f"{value:.{2 if abs(value) >= 0.1 else 4}f}"
        return "0.00" if float(text) == 0 else text
    return f"{value:.3g}"


def told_p(p: float) -> str:
    """A p-value as people write it, with its sign."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def format_estimate(one: PooledEstimate, unit: str = "") -> str:
    """An estimate with its interval and, if it is held against no effect, its p-value."""
    p = f", p {told_p(one.p)}" if one.p is not None else ""
    return (
        f"{format_figure(one.estimate)}{f' {unit}' if unit else ''} (95 % interval "
        f"{format_figure(one.low)} to {format_figure(one.high)}{p})"
    )


def format_pool_subject(pool: Pool) -> str:
    """Name the subject of a pool: its outcome, and the groups that are compared."""
    groups = " beside ".join(filter(None, (pool.first, pool.second)))
    return f"{pool.outcome}{f', {groups}' if groups else ''}"


def summarize_pool(pool: Pool) -> str:
    """Summarize the result of a pool in one clause."""
    between = f", I² {pool.i2:.0f} %, tau² {pool.tau2:.4g}" if pool.count > 1 else ""
    studies = format_count(pool.count, "study", "studies")
    return (
        f"{format_pool_subject(pool)}: {NAMES[pool.measure]} "
        f"{format_estimate(pool.random, pool.unit)} over {studies}{between}"
    )


def summarize_analyze_output(output: JsonObject) -> tuple[str, JsonObject]:
    """An `AnalyzeOutput` in one sentence, and its figures."""
    counts: JsonObject = {name: output.get(name, 0) for name in ("studies", "pools", "left_out")}
    studies, pools = output.get("studies"), output.get("pools")
    pooled = "no number that counts"
    if isinstance(studies, int) and isinstance(pools, int) and pools:
        pooled = f"{format_count(studies, 'study', 'studies')} in {format_count(pools, 'pool')}"
    left = f", {output['left_out']} left out" if output.get("left_out") else ""
    told = f"{str(output.get('verdict', '')).capitalize()}: {pooled}{left}"
    return told, {"verdict": output.get("verdict"), **counts}


def plot_title(pool: Pool) -> str:
    """What the forest plot of a pool shows, in one line."""
    return f"Forest plot: {format_pool_subject(pool)}, {NAMES[pool.measure]}"


def plot_path(pool_number: int) -> str:
    """Where a plot is, beside the report of its run."""
    return f"analysis/plots/{pool_number}.svg"
