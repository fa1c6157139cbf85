"""What is wrong with what a random run left behind: did its budget hold, did it report, did it end once."""

from collections import Counter

from elcano.graphs.contracts import UsageQuestion
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.step_rows import StepRow
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchiveCall
from elcano.graphs.state.budget import Usage, microusd_from_usd, sum_usages
from tests.folding import list_step_rows
from tests.workflow.scenarios import Charge, Scenario

EXITS = frozenset(exit_id for mode in MODES.values() for graph in mode.all_graphs() for exit_id in graph.exit_nodes)

Finding = tuple[str, str]
"""Its kind for the tally, and all about it for a person."""


def audit(scenario: Scenario, number: int) -> list[Finding]:
    """Everything that is wrong with what a scenario left."""
    about = f"scenario {number} ({scenario.mode}, chain {scenario.chain}, {scenario.limits!r})"
    root = scenario.archived.get(scenario.run_id)
    reports = 0 if root is not None and root.run.status == "failed" else 1
    if len(scenario.published) != reports or root is None or scenario.result is None:
        return [("report", f"{about}: {len(scenario.published)} reports, archived {sorted(scenario.archived)}")]
    found: list[Finding] = []
    unpaid = any(charge.refused for charge in _own(scenario, scenario.run_id) if charge.node in EXITS)
    if reports and scenario.published[0].draft is None and not (scenario.failing or scenario.down or unpaid):
        found.append(("report", f"{about}: nobody wrote the report, and no call had failed"))
    if not scenario.failing and scenario.result.failure is not None:
        found.append(("report", f"{about}: nothing had failed, but the run did: {scenario.result.failure!r}"))
    for run_id, kept in scenario.archived.items():
        found += [
            (kind, f"{about}, {run_id}: {text}")
            for kind, text in (
                *_events(kept),
                *_charges(scenario, kept),
                *_steps(scenario, kept),
                *_research(scenario, kept),
                *_requests(scenario, kept),
            )
        ]
    found += [(kind, f"{about}: {text}") for kind, text in _whole(scenario)]
    return found


def _events(kept: ArchiveCall) -> list[Finding]:
    found = []
    if [event.seq for event in kept.events] != list(range(1, len(kept.events) + 1)):
        found.append(("numbers", f"numbered {[event.seq for event in kept.events]}"))
    terminal = [event.terminal for event in kept.events]
    if terminal.count(True) != 1 or not terminal[-1]:
        found.append(("terminal", f"ended by {[event.type for event in kept.events if event.terminal]}"))
    return found


def _own(scenario: Scenario, run_id: str) -> list[Charge]:
    """What the agents of one run used, in the order of the calls."""
    return [*scenario.charges.get(run_id, {}).values()]


def _spent(kept: ArchiveCall) -> tuple[int, int]:
    """Tokens and money that a run says it used, with its branches."""
    data = kept.events[-1].data
    tokens, cost = data["tokens"], data["cost_microusd"]
    assert isinstance(tokens, int)
    assert isinstance(cost, int)
    return tokens, cost


def _children(scenario: Scenario, run_id: str) -> list[ArchiveCall]:
    return [kept for child, kept in scenario.archived.items() if child.rpartition(".")[0].rpartition(".")[0] == run_id]


def _charges(scenario: Scenario, kept: ArchiveCall) -> list[Finding]:
    """A run used what the ledger has of it and of its branches, to the token, with what it gave up or tried in vain."""
    used = scenario.used(UsageQuestion(run_id=kept.run.run_id))
    written = (used.tokens, used.cost_microusd)
    return [] if _spent(kept) == written else [("usage", f"used {_spent(kept)}, and the ledger has {written}")]


def _steps(scenario: Scenario, kept: ArchiveCall) -> list[Finding]:
    """The list of its steps has each number once, no usage but that of the calls, and all of it."""
    assert kept.log is not None
    found = []
    steps = [row for row in list_step_rows(kept.log, kept.events, going_on=False) if isinstance(row, StepRow)]
    if [row.number for row in steps] != list(range(1, kept.run.steps + 1)):
        found.append(("numbers", f"steps are numbered {[row.number for row in steps]}"))
    listed = sum_usages(row.usage for row in steps)
    if (listed.tokens, listed.cost_microusd) != _spent(kept):
        found.append(("usage", f"the steps used {listed!r}, the run {_spent(kept)}"))
    for row in steps:
        calls = scenario.charges.get(kept.run.run_id, {})
        own = sum_usages(charge.usage for (step, _, _), charge in calls.items() if step == row.number)
        if row.kind == "agent" and row.usage.tokens != own.tokens:
            found.append(("usage", f"step {row.number} used {row.usage!r}, and its calls {own!r}"))
    return found


def _limit(kept: ArchiveCall, gauge: str) -> float | None:
    found: Json = kept.run.budget[gauge]
    assert isinstance(found, dict)
    limit = found["limit"]
    assert limit is None or isinstance(limit, int | float)
    return limit


def _limits(kept: ArchiveCall) -> tuple[float, float | None]:
    tokens, dollars = _limit(kept, "tokens"), _limit(kept, "cost_usd")
    assert tokens is not None
    return tokens, None if dollars is None else microusd_from_usd(dollars)


def _research(scenario: Scenario, kept: ArchiveCall) -> list[Finding]:
    """No research call begins once the research's share is used up, and only one call is made at the exit."""
    tokens, cost = _limits(kept)
    share = 1 - scenario.limits.reserve
    spent = Usage()
    found = []
    own = _own(scenario, kept.run.run_id)
    for charge in own:
        beyond = spent.tokens > tokens * share or (cost is not None and spent.cost_microusd > cost * share)
        if charge.node not in EXITS and beyond:
            found.append(("overspend", f"{charge.node} at step {charge.step} after {spent!r}"))
        spent += charge.usage
    if len({charge.step for charge in own if charge.node in EXITS}) > 1:
        found.append(("overspend", f"several calls at the exit: {own}"))
    return found


def _requests(scenario: Scenario, kept: ArchiveCall) -> list[Finding]:
    """No request begins once the limit is used up, at an exit no more than before it: only the last goes beyond it."""
    tokens, cost = _limits(kept)
    branches = [_spent(child) for child in _children(scenario, kept.run.run_id)]
    lump = Usage(input_tokens=sum(one for one, _ in branches), cost_microusd=sum(one for _, one in branches))
    own = _own(scenario, kept.run.run_id)
    found = []
    spent = Usage()
    for charge in own:
        if charge.node in EXITS:  # they have all ended by then
            spent, lump = spent + lump, Usage()
        for number, request in enumerate(charge.requests, start=1):
            if spent.tokens >= tokens or (cost is not None and spent.cost_microusd >= cost):
                found.append(("overspend", f"request {number} of {charge.node}, step {charge.step}, after {spent!r}"))
            spent += request
    return found


def _whole(scenario: Scenario) -> list[Finding]:
    """Branches keep together within what their run had left, but for what each had in flight; counters hold."""
    root = scenario.archived[scenario.run_id]
    found = []
    branches = _children(scenario, scenario.run_id)
    before = sum_usages(charge.usage for charge in _own(scenario, scenario.run_id) if charge.node not in EXITS)
    share = 1 - scenario.limits.reserve
    in_flight = [0, 0]
    used = [0, 0]
    for branch in branches:
        for place, (spent, limit) in enumerate(zip(_spent(branch), _limits(branch), strict=True)):
            used[place] += spent
            in_flight[place] += 0 if limit is None else max(0, spent - int(limit))
    tokens, cost = _limits(root)
    if branches and used[0] > tokens * share - before.tokens + in_flight[0]:
        found.append(("overspend", f"the branches used {used[0]} tokens, {in_flight[0]} of them in flight"))
    if branches and cost is not None and used[1] > cost * share - before.cost_microusd + in_flight[1]:
        found.append(("overspend", f"the branches used {used[1]} microusd, {in_flight[1]} of them in flight"))
    twice = [one for one, count in Counter(scenario.begun).items() if count > 1]
    if twice:
        found.append(("twice", f"calls that were made twice under one id: {twice}"))
    if len({story for told in scenario.stories.values() for story in told}) > 1:
        found.append(("story", f"the channels tell different ends: {scenario.stories}"))
    if len(branches) > scenario.limits.sections:
        found.append(("limit", f"{len(branches)} sections"))
    for kept in scenario.archived.values():
        if kept.run.iterations > (_limit(kept, "iterations") or 0) or kept.run.steps > (_limit(kept, "steps") or 0):
            found.append(("limit", f"{kept.run.run_id}: {kept.run.iterations} iterations, {kept.run.steps} steps"))
    assert scenario.result is not None
    if (scenario.result.usage.tokens, scenario.result.usage.cost_microusd) != _spent(root):
        found.append(("usage", f"the result says {scenario.result.usage!r}, the last event {_spent(root)}"))
    return found
