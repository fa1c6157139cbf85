"""`python -m benchmarks.load.trace FILE.svg`: the trace of one run as a picture, with every span at its place in time.

The run is a deep one on the stack of `make load`; with `--kill` its worker is killed on the way.
"""

import asyncio
import shutil
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from benchmarks.load.clients import follow_run, open_client, start_run
from benchmarks.load.corpus import ask_question
from benchmarks.load.stack import ROOT, Size, start_stack
from tests.workflow.collector import Collector, KeptSpan, collecting

FOLDER: Final = ROOT / "build" / "load" / "trace"
EXPORT_SECONDS: Final = 8.0
"""After the run: spans are exported every five seconds."""
LEFT: Final = 470
"""Pixels of the names."""
WIDTH: Final = 900
"""Pixels of the time."""
ROW: Final = 15
COLOURS: Final[Mapping[str, str]] = {
    "POST": "#8c6bb1",
    "invoke_workflow": "#9e9e9e",
    "call": "#9ecae1",
    "invoke_agent": "#4292c6",
    "chat": "#08519c",
    "retrieval": "#41ab5d",
    "execute_tool": "#41ab5d",
}
OTHERS: Final = "#d95f0e"


class Row(NamedTuple):
    """One span with its place in the tree."""

    span: KeptSpan
    depth: int
    lost_parent: bool
    """Its parent was never exported."""


def order_spans(spans: Sequence[KeptSpan]) -> Iterator[Row]:
    """Parents before children, and children by their start."""
    known = {span.id for span in spans}
    children: dict[str, list[KeptSpan]] = {}
    for span in sorted(spans, key=lambda one: one.began):
        children.setdefault(span.parent if span.parent in known else "", []).append(span)

    def walk(parent: str, depth: int) -> Iterator[Row]:
        for span in children.get(parent, ()):
            yield Row(span, depth, bool(span.parent) and span.parent not in known)
            yield from walk(span.id, depth + 1)

    return walk("", 0)


def draw_trace(spans: Sequence[KeptSpan]) -> str:
    """The picture, as SVG."""
    rows = list(order_spans(spans))
    began, ended = min(span.began for span in spans), max(span.ended for span in spans)
    scale = WIDTH / (ended - began)
    height = (len(rows) + 2) * ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" '
        'font-family="DejaVu Sans, sans-serif" font-size="10">',
        f'<rect width="{LEFT + WIDTH + 90}" height="{height}" fill="white"/>',
    ]
    for number, (span, depth, lost) in enumerate(rows):
        y = number * ROW + 4
        x, width = LEFT + (span.began - began) * scale, max(1.0, (span.ended - span.began) * scale)
        colour = COLOURS.get(span.name.split(" ")[0], OTHERS)
        told = f"{span.name}{' (parent lost)' if lost else ''}{_describe_attempt(span)}"
        lines.append(f'<text x="{6 + 12 * depth}" y="{y + 10}">{escape(told)}</text>')
        lines.append(f'<rect x="{x:.1f}" y="{y + 1}" width="{width:.1f}" height="{ROW - 4}" fill="{colour}"/>')
        lines.append(f'<text x="{x + width + 3:.1f}" y="{y + 10}">{span.ended - span.began:.2f} s</text>')
    return "\n".join([*lines, "</svg>"])


def _describe_attempt(span: KeptSpan) -> str:
    attempt, error = span.attributes.get("elcano.attempt", "1"), span.attributes.get("error.type", "")
    return f"{f', attempt {attempt}' if attempt not in ('', '1') else ''}{f', {error}' if error else ''}"


async def trace_run(folder: Path, kill: bool) -> Sequence[KeptSpan]:
    """Make one deep run that is observed; its spans."""
    with collecting() as collector:
        variables = {
            "ELCANO_TRACES": "true",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "500",
        }
        size = Size(workers=1, apis=1, at_once=1, model_seconds=0.5, seed=1, variables=variables)
        async with start_stack(folder, size) as stack, open_client(stack.base_urls[0]) as http:
            warm, _ = await start_run(http, ask_question(1, 0, 1, 0), "iterative", 1, 0)
            await follow_run(http, warm)
            run_id, _ = await start_run(http, ask_question(1, 1, 2, 3), "deep", 2, 3)
            following = asyncio.create_task(follow_run(http, run_id))
            if kill:
                await asyncio.sleep(5)
                stack.programs["worker"][0].kill()
            await following
            await asyncio.sleep(EXPORT_SECONDS)
        return list_trace(collector, run_id)


def list_trace(collector: Collector, run_id: str) -> Sequence[KeptSpan]:
    """All spans of a run's trace, those of libraries too."""
    traces = {span.trace for span in collector.of_run(run_id)}
    return [span for span in collector.spans if span.trace in traces]


def main(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="Where the picture is written.")],
    kill: Annotated[bool, typer.Option(help="Kill the worker in the middle of the run.")] = False,
) -> None:
    """Draw the trace of one deep run."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    spans = asyncio.run(trace_run(FOLDER, kill))
    file.write_text(draw_trace(spans), encoding="utf-8")
    for span, depth, lost in order_spans(spans):
        typer.echo(f"{'  ' * depth}{span.name}{' (parent lost)' if lost else ''}{_describe_attempt(span)}")


if __name__ == "__main__":
    typer.run(main)
