"""`elcano steps`, `step` and `diff`: inspect what a run did. The views are imported when one is used."""

from typing import Any

from elcano.cli.options import AsJson, Run, StepNumber
from elcano.cli.printing import print_json
from elcano.cli.requests import get_json


def list_steps(run: Run, as_json: AsJson = False) -> None:
    """List a run's steps: what each was, how long it took, what it used and how it ended."""
    from elcano.cli.step_views import print_steps

    found = _fetch_all_steps(run)
    if as_json:
        print_json(found)
    else:
        print_steps(run, found)


def show_step(run: Run, number: StepNumber, as_json: AsJson = False) -> None:
    """Show a step: its input and output, what it changed and what it cost."""
    from elcano.cli.step_views import print_step

    path = f"/v1/runs/{run}/steps/{number}"
    if as_json:
        print_json(get_json(path, whole="true"))
    else:
        print_step(get_json(path))


def compare_runs(run: Run, other: Run, as_json: AsJson = False) -> None:
    """Compare two runs: request, steps, evidence, costs, and what the reports say."""
    from elcano.cli.comparison import print_comparison

    found = get_json(f"/v1/runs/{run}/diff/{other}")
    if as_json:
        print_json(found)
    else:
        print_comparison(found)


def _fetch_all_steps(run_id: str) -> dict[str, Any]:
    """Fetch all pages as one. The last step of a running run may end between two pages: the later page counts."""
    path = f"/v1/runs/{run_id}/steps"
    found: dict[str, Any] = get_json(path)
    rows = list(found["rows"])
    while found["next"] is not None:
        found = get_json(path, after=found["next"])
        rows += found["rows"]
    return {**found, "rows": rows}
