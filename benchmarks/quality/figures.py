"""Figures as they are measured: printed at once, and as the table of benchmarks/README.md at the end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from elcano.graphs.state.budget import Usage, usd_from_microusd


@dataclass
class Figures:
    """Rates with how many they are over, in the order in which they were measured."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)
    """Part, what was measured, and the figure."""
    used: Usage = field(default_factory=Usage)
    """What models cost, by the prices that runs have."""
    seconds: list[float] = field(default_factory=list)
    """How long each run took."""
    tokens: list[int] = field(default_factory=list)
    """Tokens of each run, sent and written."""
    costs: list[int] = field(default_factory=list)
    """Millionths of a US dollar that each run cost."""

    def add_rates(self, part: str, what: str, rates: Sequence[float], of: int | None = None) -> None:
        """Add the mean of `rates`; `of`: how many there would be if none had been left out."""
        beside = "" if of in (None, len(rates)) else f" of {of}"
        self.add(part, what, fmean(rates) if rates else None, f"of {len(rates)}{beside}")

    def add(self, part: str, what: str, rate: float | None, over: str) -> None:
        """Add one rate; None: there is none."""
        figure = f"{rate:8.3f}" if rate is not None else "     n/a"
        print(f"{part:10} {what:36} {figure} {over}", flush=True)
        self.rows.append((part, what, f"{figure.strip()} {over}"))

    def add_run(self, used: Usage, seconds: float) -> None:
        """Add what a run took."""
        self.used += used
        self.seconds.append(seconds)
        self.tokens.append(used.tokens)
        self.costs.append(used.cost_microusd)

    def render_table(self, model: str, about: str) -> str:
        """The table in Markdown; `about`: what was measured, in a few words."""
        lines = [f"| {model} | {about} |", "| --- | --- |"]
        lines += [f"| {what} (`{part}`) | {figure} |" for part, what, figure in self.rows]
        if self.tokens:
            lines.append(f"| tokens of a run | {fmean(self.tokens):,.0f} |")
            lines.append(f"| price of a run | {self._describe_price(round(fmean(self.costs)))} |")
            lines.append(f"| seconds of a run | {fmean(self.seconds):,.1f} |")
        lines.append(f"| tokens in all | {self.used.tokens:,} in {self.used.requests:,} requests |")
        lines.append(f"| price in all | {self._describe_price(self.used.cost_microusd)} |")
        return "\n".join(lines)

    def _describe_price(self, microusd: int) -> str:
        if self.used.unpriced_requests:
            return "unknown: set ELCANO_MODEL_PRICES"
        return f"{usd_from_microusd(microusd):.4f} USD"
