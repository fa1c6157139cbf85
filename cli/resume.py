"""Commands that continue a run from an earlier point: resume it, roll it back, or start another one from its steps."""

from typing import Annotated, Any

from elcano.cli.options import (
    AddIterations,
    AddSeconds,
    AddSteps,
    AddTokens,
    AddUsd,
    AsJson,
    Background,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    GraphFile,
    Instructions,
    Key,
    Models,
    Reason,
    Run,
    Sources,
    StepNumber,
    drop_unset,
    load_graph_option,
    option,
    parse_models,
)
from elcano.cli.printing import print_json, print_line
from elcano.cli.requests import post_to_run


def resume(
    run: Run,
    tokens: AddTokens = None,
    usd: AddUsd = None,
    seconds: AddSeconds = None,
    iterations: AddIterations = None,
    steps: AddSteps = None,
    section: Annotated[list[str] | None, option("Title of a section to research further. Repeatable.")] = None,
    model: Models = None,
    source: Sources = None,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Resume a run that failed, was stopped or ended early; finished work is kept."""
    added = {"tokens": tokens, "cost_usd": usd, "seconds": seconds, "iterations": iterations, "steps": steps}
    body = {
        "reason": reason,
        "add": drop_unset(added),
        "model": parse_models(model),
        "sources": source,
        "sections": section,
    }
    _print_resumed(run, post_to_run(run, "resume", drop_unset(body), key), as_json=as_json)


def rollback(run: Run, step: StepNumber, reason: Reason = "", key: Key = "", as_json: AsJson = False) -> None:
    """Restore a run to its state before a step and continue from there."""
    body = drop_unset({"step": step, "reason": reason})
    _print_resumed(run, post_to_run(run, "rollback", body, key), as_json=as_json)


def fork(
    run: Run,
    step: StepNumber,
    question: Annotated[str, option("Ask this question instead.")] = "",
    background: Background = "",
    instructions: Instructions = "",
    guidance: Annotated[str, option("A further instruction for the agents.")] = "",
    graph: GraphFile = "",
    model: Models = None,
    source: Sources = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Start a run that reuses another run's steps before STEP, at no cost, and print its id."""
    body = {
        "step": step,
        "reason": reason,
        "question": question,
        "background": background,
        "instructions": instructions,
        "guidance": guidance,
        "graph": load_graph_option(graph),
        "model": parse_models(model),
        "sources": source,
        "budget": drop_unset({"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds}),
    }
    forked = post_to_run(run, "fork", drop_unset(body), key)
    print_json(forked) if as_json else print_line(forked["run_id"])


def _print_resumed(run: str, answer: dict[str, Any], *, as_json: bool) -> None:
    from elcano.graphs.text import format_count

    if as_json:
        print_json(answer)
        return
    kept = answer["kept"]
    sections = f", {format_count(kept['sections'], 'section')}" if kept["sections"] else ""
    cost = f" (US$ {kept['cost_usd']:.4f})" if kept["cost_usd"] else ""
    print_line(
        f"{run} continues at step {answer['step']}, {answer['node']}; {format_count(kept['steps'], 'step')}{sections} "
        f"and {format_count(kept['tokens'], 'token')}{cost} are kept; `elcano watch {run}` shows it"
    )
