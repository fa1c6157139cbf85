"""Random runs: limits, agents and users of every kind, and the activities that play them.

Every choice comes from a seed and the place of the call, never from the order in which calls happen to arrive, so that
a scenario that fails can be run again.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from elcano.activities.agents.agent_activity import agent_activities
from elcano.activities.tools.tool_activities import tool_activities
from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    PUBLISH_REPORT,
    READ_USAGE,
    AgentCall,
    AgentResult,
    PublishCall,
    ToolCall,
    ToolResult,
    UsageQuestion,
)
from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchiveCall
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.state.budget import Estimate, Exhausted, Limits, TopUp, Usage, sum_usages
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.graphs.state.state import ReportRef
from elcano.testing.script import Script, make_progress_ledger

_QUIET = ApplicationErrorCategory.BENIGN
"""The worker does not log failures that are meant."""


@dataclass(frozen=True)
class Charge:
    """What one agent call used, whether it answered or failed."""

    step: int
    node: str
    requests: tuple[Usage, ...]
    """Of each request to its model, in their order."""
    refused: Exhausted | None = None
    """What was left of its allowance did not suffice for another request, though it had not come to an answer."""

    @property
    def usage(self) -> Usage:
        return sum_usages(self.requests)


@dataclass
class Scenario:
    """One random run, and everything that it made anybody do."""

    run_id: str
    rng: Random
    charges: dict[str, dict[tuple[int, str, int], Charge]] = field(default_factory=dict)
    """By run, branches included, and by step, node and try, in the order of the calls."""
    begun: list[tuple[str, str]] = field(default_factory=list)
    """Run and activity id of every call that was made."""
    ledger: dict[tuple[str, str], Usage] = field(default_factory=dict)
    """What every call of an agent used, by run and activity id, written down before it is told."""
    stories: dict[str, set[str]] = field(default_factory=dict)
    """How each channel says that the run ended."""
    published: list[PublishCall] = field(default_factory=list)
    archived: dict[str, ArchiveCall] = field(default_factory=dict)
    result: ResearchResult | None = None
    calls: int = 0
    now: asyncio.Event = field(default_factory=asyncio.Event)
    """The moment to stop has come."""

    def __post_init__(self) -> None:
        draw = self.rng
        self.mode, self.chain = draw.choice(
            [
                ("iterative", False),
                ("iterative", True),
                ("simple", False),
                ("deep", False),
                ("deep", True),
                ("magentic", False),
                ("magentic", True),
                ("hierarchical", False),
                ("hierarchical", True),
            ]
        )
        deep = self.mode in ("deep", "hierarchical")
        self.limits = Limits(
            tokens=int(10 ** (draw.uniform(4.3, 6.3) if deep else draw.uniform(3, 5.3))),
            cost_microusd=draw.choice([None, None, draw.randint(1, 20), draw.randint(20, 20_000)]),
            iterations=draw.randint(1, 6),
            steps=draw.choice([draw.randint(2, 30), 200]),
            stalls=draw.randint(1, 3),
            resets=draw.randint(0, 2),
            sections=draw.randint(1, 8),
            reserve=draw.choice([0.0, 0.15, 0.5]),
            when_exhausted=draw.choice(["finish", "finish", "pause"]),
        )
        self.patience = draw.randint(0, 3)
        """How often somebody tops it up when it pauses; then it is stopped."""
        self.complete_in = draw.choice([1, 2, 4, 99])
        self.planned = draw.randint(0, 10)
        self.unanswered = draw.choice([0.0, 0.0, 0.3, 1.0])
        """The share of drafts that answer nothing."""
        self.failing = draw.choice([0.0, 0.0, 0.05, 0.4])
        self.sizes = draw.choice([["none"], ["usual"], ["usual", "large"], ["none", "usual", "large", "absurd"]])
        self.down = draw.choice([0.0, 0.0, 0.02, 0.1])
        """The share of calls whose provider does not answer the first try, or the first two."""
        self.slow = draw.choice([0.0, 0.05, 0.3])
        """The share of calls that take long enough to be given up."""
        self.queried = draw.random() < 0.2
        """Whether it is asked for its end when it is over."""
        self.stop_at = draw.choice([None, None, None, draw.randint(1, 30)])

    @property
    def asked(self) -> ResearchInput:
        return ResearchInput(
            run_id=self.run_id,
            question="What is it?",
            mode=self.mode,
            graph=MODES[self.mode],
            limits=self.limits,
            sources=("library",),
        )

    def count(self) -> None:
        self.calls += 1
        if self.calls == self.stop_at:
            self.now.set()

    def draw(self, run_id: str, step: int, item: int = 0) -> Random:
        """The dice of one call: the same ones if it is tried again."""
        return Random(f"{self.limits}/{run_id.removeprefix(self.run_id)}/{step}/{item}")

    def charge(self, call: AgentCall, dice: Random) -> Charge:
        """One call: a request, and more of them where a form was wrong; the long writer makes one a section besides.

        As in earnest, a request is made if what is left of the allowance is at least what the one before it took. A
        long writer that may make no more of them has an answer all the same.
        """
        long = call.agent == "long_writer"
        wanted = dice.randint(1, 3) + (dice.randint(1, self.limits.sections) if long else 0)
        requests: list[Usage] = []
        refused: Exhausted | None = None
        while len(requests) < wanted and refused is None:
            last = requests[-1] if requests else Usage()
            least = Estimate(tokens=last.tokens, cost_microusd=last.cost_microusd)
            refused = call.allowance.less(sum_usages(requests)).refuses(least)
            if refused is None:
                requests.append(_usage(dice, dice.choice(self.sizes)))
        charge = Charge(call.step, call.node, tuple(requests), None if long and requests else refused)
        self.charges.setdefault(call.run_id, {})[call.step, call.node, _try()] = charge
        return charge

    def used(self, asked: UsageQuestion) -> Usage:
        """What the ledger has of an activity, or of a run with its branches."""
        return sum_usages(
            usage
            for (run_id, activity_id), usage in self.ledger.items()
            if (run_id == asked.run_id or run_id.startswith(f"{asked.run_id}.")) and asked.activity in ("", activity_id)
        )

    def more(self, pause: int) -> TopUp | None:
        """What somebody adds when the run pauses for this time, from 1; None: they stop it."""
        if pause > self.patience:
            return None
        dice = Random(f"{self.limits}/more/{pause}")
        return TopUp(
            tokens=dice.choice([0, 10, 5_000, 200_000]),
            cost_microusd=dice.choice([0, 100, 50_000]),
            iterations=dice.randint(0, 2),
            steps=dice.randint(1, 50),
        )

    def answer(self, name: str, given: JsonObject, dice: Random) -> JsonObject:
        script = Script(complete_in=self.complete_in)
        if name == "progress_ledger":
            speaker = dice.choice(["searcher", "searcher", "hypothesizer", "judge", "judge", "", "reporter"])
            told = f"part {dice.randint(1, 3)}"
            return make_progress_ledger(speaker, told, loop=dice.random() < 0.2, progress=dice.random() < 0.6)
        script.sections = tuple(f"topic {number}" for number in range(self.planned))
        answer = script.answer(name, given)
        if "artifact" in answer and dice.random() < self.unanswered:
            return {**answer, "answered": False, "claims": 0, "cited": 0, "evidence": []}
        return answer


def _usage(dice: Random, size: str) -> Usage:
    """What one request is reported to have used."""
    match size:
        case "none":
            return Usage()
        case "large":
            tokens, cost = dice.randint(5_000, 50_000), dice.randint(100, 5_000)
        case "absurd":
            tokens, cost = 10**10, 10**10
        case _:
            tokens, cost = dice.randint(50, 2_000), dice.randint(1, 50)
    return Usage(requests=1, input_tokens=tokens, output_tokens=tokens // 5, cost_microusd=cost)


def _try() -> int:
    """Which try of its step the running activity is: each has an id of its own (`0007-judge.3`)."""
    return int(activity.info().activity_id.partition(".")[2] or 1)


async def _take_time(dice: Random) -> None:
    """Works for a while, and can be given up meanwhile."""
    for _ in range(dice.randint(5, 30)):
        activity.heartbeat()
        await asyncio.sleep(0.03)


class Stage:
    """The activities of one worker, played for every scenario by its run id."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self._scenarios = {scenario.run_id: scenario for scenario in scenarios}

    def _of(self, run_id: str) -> Scenario:
        return self._scenarios[run_id.partition(".")[0]]

    @property
    def activities(self) -> Sequence[Callable[..., Any]]:
        async def run_agent(call: AgentCall) -> AgentResult:
            scenario = self._of(call.run_id)
            activity_id = activity.info().activity_id
            scenario.begun.append((call.run_id, activity_id))
            scenario.count()
            dice = scenario.draw(call.run_id, call.step)
            in_vain = dice.choice([1, 2]) if dice.random() < scenario.down else 0
            slow = dice.random() < scenario.slow
            charge = scenario.charge(call, dice)
            usage = scenario.ledger[call.run_id, activity_id] = charge.usage
            try:
                await (_take_time(dice) if slow else asyncio.sleep(0))
            except asyncio.CancelledError:
                if dice.random() < 0.5:  # it was cut off before it could say what it had used: the ledger knows
                    raise
                gone = FailureDetails(attempt=1, usage=usage)
                raise ApplicationError("given up", gone, type=FailureType.ABANDONED, non_retryable=True) from None
            if _try() <= in_vain:
                lost = FailureDetails(attempt=1, usage=usage)
                raise ApplicationError("503", lost, type=FailureType.PROVIDER, non_retryable=True, category=_QUIET)
            if charge.refused is not None:
                details = FailureDetails(attempt=1, usage=usage, exhausted=charge.refused)
                message = f"the budget of {charge.refused} does not allow another request"
                raise ApplicationError(message, details, type=FailureType.BUDGET, non_retryable=True, category=_QUIET)
            if dice.random() < scenario.failing:
                details = FailureDetails(attempt=dice.randint(1, 6), usage=usage)
                raise ApplicationError("no answer", details, type="Scripted", non_retryable=True, category=_QUIET)
            return AgentResult(output=scenario.answer(call.agent, call.input, dice), usage=usage, model="scripted")

        async def run_tool(call: ToolCall) -> ToolResult:
            scenario = self._of(call.run_id)
            scenario.begun.append((call.run_id, activity.info().activity_id))
            scenario.count()
            dice = scenario.draw(call.run_id, call.step, call.item + 1)
            if dice.random() < scenario.failing:
                raise ApplicationError("no such page", type="Scripted", non_retryable=True, category=_QUIET)
            output = scenario.answer(call.tool, call.input, dice)
            return ToolResult(output={**output, "evidence": []} if dice.random() < 0.1 else output)

        @activity.defn(name=READ_USAGE)
        async def read_usage(asked: UsageQuestion) -> Usage:
            return self._of(asked.run_id).used(asked)

        @activity.defn(name=PUBLISH_REPORT)
        async def publish_report(call: PublishCall) -> ReportRef:
            self._of(call.run_id).published.append(call)
            figures = {"words": 100, "references": 2, "verified": 2, "unverified": 0}
            return ReportRef(artifact="report", title="A report", answered=True, partial=None, **figures)

        @activity.defn(name=ARCHIVE_RUN)
        async def archive_run(call: ArchiveCall) -> None:
            self._of(call.run.run_id).archived[call.run.run_id] = call

        calls = [*agent_activities(run_agent), *tool_activities(run_tool)]
        return [*calls, read_usage, publish_report, archive_run]
