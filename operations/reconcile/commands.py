"""`elcano reconcile`: compare the store, the objects and Temporal, on a machine whose settings name all three."""

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from elcano.cli.exit_codes import Exit, Unreachable
from elcano.cli.options import option
from elcano.cli.printing import print_json, print_line, print_printable

if TYPE_CHECKING:
    from elcano.operations.reconcile.reconciliation import Finding
    from elcano.settings.settings import Settings


def compare_after_restore(
    mend: Annotated[bool, typer.Option("--mend", help="Mend what differs; otherwise nothing is changed.")] = False,
    form: Annotated[Literal["text", "json"], option("How to print what differs.", "--format")] = "text",
) -> None:
    """Compare the store, the objects and Temporal after a restore, and mend what differs.

    It opens them by the settings of this machine, not over the API. The service may work meanwhile.
    """
    import asyncio

    from elcano.settings import program_settings

    findings = asyncio.run(_collect_findings(program_settings(), mend=mend, as_text=form == "text"))
    counts: Counter[str] = Counter(one.outcome for one in findings)
    if form == "json":
        print_json({"mend": mend, "differences": [_as_json(one) for one in findings]})
    else:
        print_line(_summarize_counts(counts, mend=mend))
    if sum(counts.values()) != counts["mended"]:
        raise typer.Exit(Exit.FAILED)


async def _collect_findings(settings: "Settings", *, mend: bool, as_text: bool) -> list["Finding"]:
    """Compare, and print each difference at once.

    Raises:
        Unreachable: something that is compared cannot be reached.
    """
    from elcano.graphs.errors import ElcanoError
    from elcano.operations.reconcile.installation import open_installation
    from elcano.operations.reconcile.reconciliation import compare_everything as compare
    from elcano.storage.health import STORE_ERRORS, store_trouble

    findings = []
    try:
        async with open_installation(settings) as installation:
            async for one in compare(installation, mend=mend):
                findings.append(one)
                if as_text:
                    print_finding(one)
    except ElcanoError as error:
        raise Unreachable(f"not everything was compared: {error}") from error
    except STORE_ERRORS as error:
        raise Unreachable(f"not everything was compared: {store_trouble(error) or error}") from error
    return findings


def print_finding(one: "Finding") -> None:
    """Print a difference, and below it what becomes of it."""
    difference = one.difference
    done = {"found": "--mend would", "mended": "mended:", "failed": "not mended:", "left": "to do by hand:"}
    what = one.error if one.outcome == "failed" else difference.action
    print_printable(f"{difference.run_id or difference.tenant}: {difference.text}")
    print_printable(f"    {done[one.outcome]} {what}")


def _as_json(one: "Finding") -> dict[str, Any]:
    difference = one.difference
    named = {name: getattr(difference, name) for name in ("kind", "tenant", "run_id", "text", "action")}
    return {**named, "outcome": one.outcome, "error": one.error}


def _summarize_counts(counts: Counter[str], *, mend: bool) -> str:
    found = sum(counts.values())
    if not found:
        return "The store, the objects and Temporal agree."
    summary = f"{found} difference{'s' if found > 1 else ''}"
    if not mend:
        return f"{summary}; nothing was changed: `elcano reconcile --mend` mends {counts['found']} of them."
    rest = found - counts["mended"]
    return f"{summary}, {counts['mended']} mended{f'; {rest} need you, see above' if rest else ''}."
