"""Walking a graph in memory: the same engine and the same story, without durability. For tests and previews.

Invented answers let a graph be walked: for each agent and tool the least that its output model allows, and any
additions of the caller. They say that they are invented; what they lead to is what the graph does, not what research
would find.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from elcano.graphs.agents.definition import definition_of
from elcano.graphs.catalogue.agents import AGENTS, shape_of
from elcano.graphs.catalogue.tools import TOOLS, ItemOutcome, ItemOutcomes
from elcano.graphs.engine.entries import (
    BranchStart,
    Call,
    CallAgent,
    CallTool,
    ChooseNode,
    Entry,
    Finish,
    RunBranches,
    StepCompleted,
    StepFailed,
    Wait,
)
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle import finish as closing
from elcano.graphs.lifecycle import start_and_fold as opening
from elcano.graphs.lifecycle.event_texts import narrate_branch_end, narrate_branch_start, narrate_plan_cut
from elcano.graphs.lifecycle.fanout import FanOut
from elcano.graphs.lifecycle.handover import build_branch_outcome
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.rules import CHARACTERS_PER_TOKEN
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.schemas.shape import INVENTED, least_of
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Failure, FailureType

Performer: TypeAlias = Callable[[Call, float], Awaitable[Entry]]
"""Performs one call; the second argument is the seconds since the start of the run or branch."""


Watcher: TypeAlias = Callable[[ResearchInput, Journal], None]
"""Called with each run and branch that was walked to its end."""


def ignore_progress(asked: ResearchInput, journal: Journal) -> None:
    """Ignore the run; the default watcher."""


async def run_in_memory(
    asked: ResearchInput, perform: Performer, *, clock: Callable[[], float], watch: Watcher = ignore_progress
) -> Journal:
    """Walks the graph to its end, or to where it would wait. `clock` gives seconds since the epoch."""
    journal = opening.open_journal(asked, clock())
    while not isinstance(work := journal.next(clock()), Finish | Wait | ChooseNode):
        if isinstance(work, RunBranches):
            entry = await _walk_branches(asked, journal, work, perform, clock, watch)
        else:
            entry = await perform(work, journal.elapsed(clock()))
        journal.record(entry, clock())
    watch(asked, journal)
    return journal


async def _walk_branches(
    asked: ResearchInput,
    journal: Journal,
    work: RunBranches,
    perform: Performer,
    clock: Callable[[], float],
    watch: Watcher,
) -> Entry:
    """Start as many branches together as may run in parallel; in memory they are then walked one by one."""
    node = journal.graph.by_id[work.node]
    assert isinstance(node, ParallelNode)
    books = FanOut(node, work, journal.run)
    if books.cut:
        journal.tell(narrate_plan_cut(node, len(books.starts), len(work.branches)), clock())
    for first in range(0, len(books.starts), node.max_concurrency):
        begun: list[tuple[BranchStart, ResearchInput]] = []
        for start in books.starts[first : first + node.max_concurrency]:
            budget = journal.run.budget.at(journal.elapsed(clock()))
            finishing = budget.limits.model_copy(update={"when_exhausted": "finish"})  # no one tops up a branch here
            limits = books.begin(start, budget.model_copy(update={"limits": finishing}))
            if isinstance(limits, Limits):
                today = opening.resolve_run_date(asked, journal)
                branch = opening.build_branch_input(asked, start, limits, journal.run, today)
                begun.append((start, branch))
                journal.tell(narrate_branch_start(work.node, start, branch.run_id), clock())
        for start, branch in begun:
            walked = await run_in_memory(branch, perform, clock=clock, watch=watch)
            outcome = build_branch_outcome(
                start, closing.build_research_result(branch, walked, walked.run.failure, None)
            )
            books.end(start, outcome)
            journal.tell(narrate_branch_end(work.node, outcome), clock())
    return books.entry(journal.elapsed(clock()))


ANSWER_TOKENS: Final = 100
"""Output tokens of an invented call, so that budgets are visibly spent."""


class PreviewTooLong(Exception):
    """More was called than a preview may."""


class Answers:
    """Answers every call of a walk.

    Args:
        given: by node, what its visits answer, one after the other; the last is for all that follow. Each is laid over
            an invented answer, so that it need only say what matters.
        most: calls in all.
    """

    def __init__(self, given: Mapping[str, Sequence[JsonObject]], most: int) -> None:
        self._given = given
        self._left = most
        self._visits: Counter[str] = Counter()

    async def perform(self, call: Call, at: float) -> Entry:
        """The outcome of a call.

        Raises:
            PreviewTooLong: there were too many.
        """
        try:
            output = self._of_agent(call) if isinstance(call, CallAgent) else self._of_tool(call)
        except ValidationError as error:
            message = f"the answer that was given for it does not fit: {_format_first_error(error)}"
            failure = Failure(node=call.node, type=FailureType.INPUT_INVALID, message=message)
            return StepFailed(step=call.step, node=call.node, at=at, failure=failure)
        usage = Usage()
        if isinstance(call, CallAgent):
            sent = len(str(call.input)) // CHARACTERS_PER_TOKEN
            usage = Usage(requests=1, input_tokens=sent, output_tokens=ANSWER_TOKENS, estimated=True)
        return StepCompleted(step=call.step, node=call.node, at=at, output=output, usage=usage)

    def _of_agent(self, call: CallAgent) -> JsonObject:
        if call.own is not None:
            own = definition_of(call.agent, call.own).output
            return own.model_validate({**least_of(shape_of(call.own)), **self._next(call.node)}).model_dump(mode="json")
        model = AGENTS[call.agent].output
        fill = _FILLED.get(call.agent)
        made = {} if fill is None else fill(call.input)
        return model.model_validate({**build_minimal_answer(model), **made, **self._next(call.node)}).model_dump(
            mode="json"
        )

    def _of_tool(self, call: CallTool) -> JsonObject:
        items = tuple(
            ItemOutcome(index=index, input=one, output=self._found(call, one)) for index, one in enumerate(call.inputs)
        )
        return ItemOutcomes(items=items).model_dump(mode="json") if call.for_each else (items[0].output or {})

    def _found(self, call: CallTool, given: JsonObject) -> JsonObject:
        model = TOOLS[call.tool].output
        made = {"evidence": [_invent_passage(given)]} if "evidence" in model.model_fields else {}
        named = {name: given[name] for name in ("source", "query") if name in given and name in model.model_fields}
        return model.model_validate(
            {**build_minimal_answer(model), **made, **named, **self._next(call.node)}
        ).model_dump(mode="json")

    def _next(self, node: str) -> JsonObject:
        if self._left <= 0:
            raise PreviewTooLong
        self._left -= 1
        answers = self._given.get(node, ())
        visit = self._visits[node]
        self._visits[node] += 1
        return answers[min(visit, len(answers) - 1)] if answers else {}


def build_minimal_answer(model: type[BaseModel]) -> JsonObject:
    """The smallest answer that fits a model; what has a default is left out."""
    return {
        name: _build_minimal_value(field.annotation, field.metadata)
        for name, field in model.model_fields.items()
        if field.is_required()
    }


def _build_minimal_value(kind: Any, bounds: Sequence[object] = ()) -> Json:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if NoneType in parts else _build_minimal_value(parts[0])
    if origin is Literal:
        literal: Json = parts[0]
        return literal
    if origin in (tuple, list, frozenset, set):
        return [_build_minimal_value(parts[0]) for _ in range(_find_bound(bounds, "min_length"))]
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return build_minimal_answer(kind)
    if kind is str:
        return INVENTED
    if kind is bool:
        return False
    if kind in (int, float):
        return max(
            _find_bound(bounds, "ge"), _find_bound(bounds, "gt") + 1 if any(hasattr(one, "gt") for one in bounds) else 0
        )
    return {}


def _find_bound(bounds: Sequence[object], name: str) -> int:
    return max((getattr(one, name) for one in bounds if hasattr(one, name)), default=0)


def _invent_searches(given: JsonObject) -> JsonObject:
    sources = given.get("sources")
    source = sources[0] if isinstance(sources, list) and sources else "library"
    query = str(given.get("gap") or given.get("question") or INVENTED)
    return {"tasks": [{"source": source, "query": query[:200]}]}


def _invent_plan(given: JsonObject) -> JsonObject:
    question = str(given.get("question") or INVENTED)
    sections: list[Json] = [
        {"title": f"Part {number} {INVENTED}", "key_question": f"{question} ({number})"} for number in (1, 2)
    ]
    return {"report_outline": sections}


def _invent_turn(given: JsonObject) -> JsonObject:
    """Return one participant after the other; then always the last one, the reporter of the usual team."""
    team, number = given.get("participants"), given.get("iteration")
    names = list(team) if isinstance(team, dict) else []
    if not names or not isinstance(number, int):
        return {}
    instruction = f"Round {number} {INVENTED}"
    return {
        "progress": {"answer": True},
        "next_speaker": {"answer": names[min(number, len(names)) - 1]},
        "instruction": {"answer": instruction},
    }


_FILLED: Final = {"tool_selector": _invent_searches, "planner": _invent_plan, "progress_ledger": _invent_turn}
"""Agents whose least answer would end a walk where research only begins."""


def _invent_passage(given: JsonObject) -> JsonObject:
    source, query = str(given.get("source", "")), str(given.get("query", ""))
    named = f"{source}:{query}"[:300]
    return {
        "id": named,
        "source": source,
        "title": INVENTED,
        "locator": INVENTED,
        "excerpt": INVENTED,
        "characters": 400,
        "document": named,
    }


def _format_first_error(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False)[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
