"""A run between two steps, as one frozen value, what expressions see of it, and the base of what can be asked of it."""

from collections.abc import Collection, Mapping
from itertools import takewhile, zip_longest
from typing import ClassVar, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.errors import InputInvalid
from elcano.graphs.expressions.evaluation import Scale, ValueTooLarge
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.rules import Rules, get_newest_rules_number, get_rules
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.budget import Budget, Experience, Limits
from elcano.graphs.state.events import EventType
from elcano.graphs.state.failures import Ending, FailedTries, Failure, Hold, WaitingCall
from elcano.graphs.state.state import IterationData, ResearchState

NONE: Final = Experience()
"""The experience of a new run: it has called no agent."""

Approval: TypeAlias = Literal["not needed", "needed", "asked", "given", "refused"]
"""Whether the plan needs approval before its sections are researched, and the decision."""

VIEW_NAMES: Final = (*ResearchState.model_fields, "budget", "stalled", "failure")
"""The names that expressions can read everywhere, in the order of the view; within a `for_each` also `item` and
`index`."""


class TakenEdge(Frozen):
    """The edge by which a run came to its node."""

    step: int
    """The step that it leads to."""
    from_node: str
    to_node: str
    by: Literal["choice", "condition", "default", "error"]
    """Reason for the choice: `choose`, its condition, nothing (the sequential edge), or a failure."""
    label: str = ""
    named: str = ""
    """The result of `choose`, if it names none of the node's edges."""


class Run(Frozen):
    """A run between two steps."""

    state: ResearchState
    budget: Budget
    node: str
    """The node that comes next."""
    ending: Ending | None = None
    """Set once the run is on its way out early."""
    stopping: Ending | None = None
    """Set by a request to end the run, until it leaves for its exit."""
    hold: Hold | None = None
    """Set while the run waits; of a call that was tried unsuccessfully until it is answered."""
    pause: Hold | None = None
    """Set while the run is paused, whatever else it waits for."""
    calls: tuple[WaitingCall, ...] = Field(default=(), exclude_if=lambda calls: not calls)
    """Calls of the current step that need approval, decided or not."""
    trying: bool = False
    """The held call is being made again."""
    tried: FailedTries | None = None
    """Set once the call of its node was tried unsuccessfully, until the node is done with."""
    routing: bool = False
    """The node that the run is at is done; only the way on from it is open."""
    code_routed: bool = False
    """Whether code, not the graph's edges, chooses the next node."""
    taken: TakenEdge | None = None
    """The last edge taken; None at the entry."""
    approval: Approval = "not needed"
    failure: Failure | None = None
    """Set if the run cannot end well: its exit failed, or nothing can continue."""
    finished: bool = False
    weights: dict[str, int] = {}
    """Bytes of each field of the state as `weight` counts them, kept up by the engine."""
    work: int = 0
    """Units that expressions used since the last call (see `evaluation`): nodes without calls have to end as well."""

    going_back: int | None = None
    """Set by a request to roll the run back to before this step, until that is done."""
    undone_to: int = 0
    """The highest event number emitted when the run was last resumed or rolled back; 0 if it never was. Branches that
    start after that have it in their ids, which distinguishes them from earlier ones."""
    experience: Experience = Experience()
    """Usage of its calls so far."""
    rules: int = 1
    """The number of the rules that it goes by."""

    def knowing(self, state: ResearchState, wrote: str | None = None) -> "Run":
        """The run with another state, weighed; `wrote`: the only node whose output may be another one.

        Raises:
            InputInvalid: a part of it weighs more than a state may, or cannot be written down.
        """
        heavier = reweigh_state(self.weights, self.state, state, self.figures.state_bytes, wrote)
        return self.model_copy(update={"state": state, "weights": heavier})

    @property
    def figures(self) -> Rules:
        """The rules that it goes by."""
        return get_rules(self.rules)

    @property
    def paused(self) -> Ending | None:
        """The ending of the run if it is stopped while it waits for a top-up."""
        return self.hold.ending if self.hold is not None else None

    @property
    def choosing(self) -> bool:
        """Whether its node is done and the caller has to choose the next one."""
        return self.code_routed and self.routing and self.hold is None and self.pause is None

    @property
    def step(self) -> int:
        """The number of the step that comes next, from 1."""
        return self.budget.steps + 1


def build_initial_run(
    graph: ResearchGraph,
    state: ResearchState,
    limits: Limits,
    number: int | None = None,
    *,
    approve_plan: bool = False,
    experience: Experience = NONE,
) -> Run:
    """Build a run before its first step, by the rules of this number or the newest; its first iteration has begun.

    `approve_plan`: it waits for approval before it researches the sections of its plan. `experience`: the parent run's,
    for a branch.
    """
    number = get_newest_rules_number() if number is None else number
    budget = Budget(limits=limits, iterations=1)
    known = weigh_state(state, get_rules(number).state_bytes)
    return Run(
        state=state,
        budget=budget,
        node=graph.entry_node,
        approval="needed" if approve_plan else "not needed",
        weights=known,
        experience=experience,
        rules=number,
    )


def build_expression_view(run: Run, names: Collection[str]) -> JsonObject:
    """Build the view of expressions: fields of the state by name, `budget`, whether it is `stalled`, its `failure`."""
    found: JsonObject = run.state.model_dump(mode="json", include=set(names))
    if "budget" in names:
        found["budget"] = run.budget.view()
    if "stalled" in names:
        found["stalled"] = has_stalled(run.state, run.figures)
    if "failure" in names:
        latest = run.state.failures[-1:]
        found["failure"] = latest[0].model_dump(mode="json") if latest else None
    return found


def weigh_state(state: ResearchState, most: int) -> dict[str, int]:
    """Bytes of each field of a state, as `weight` counts them, of which none may have over `most`.

    Raises:
        InputInvalid: one is more than a state may hold, or could not be written down.
    """
    return {name: _weigh_value(getattr(state, name), most) for name in ResearchState.model_fields}


def reweigh_state(
    known: Mapping[str, int], before: ResearchState, after: ResearchState, most: int, wrote: str | None = None
) -> dict[str, int]:
    """Return the weights of the state `after`, given the weights `before`: only what was replaced is weighed.

    Of outputs only that of the node that `wrote` is looked at: there is one of every node, and each step writes one.

    A run that is older than a field was weighed by another program, so all of it is weighed anew.

    Raises:
        InputInvalid: see `weigh_state`.
    """
    if known.keys() != ResearchState.model_fields.keys():
        return weigh_state(after, most)
    heavier = dict(known)
    for name in known:
        old, new = getattr(before, name), getattr(after, name)
        if name == "outputs" and wrote is not None:
            old, new = _pick_output(before, wrote), _pick_output(after, wrote)
        if old is not new:
            heavier[name] += _compute_growth(old, new, most)
    return heavier


def _pick_output(state: ResearchState, node: str) -> JsonObject:
    return {node: state.outputs[node]} if node in state.outputs else {}


def _weigh_value(value: object, most: int) -> int:
    try:
        return Scale(most).weigh(value).bytes
    except ValueTooLarge as error:
        raise InputInvalid("state", f"what the state would hold {error}") from error


def _compute_growth(before: object, after: object, most: int) -> int:
    """Parts that are the same object weigh the same."""
    if before is after:
        return 0
    if isinstance(before, dict) and isinstance(after, dict):
        added = sum(_weigh_value(name, most) for name in after.keys() - before.keys())
        removed = sum(_weigh_value(name, most) for name in before.keys() - after.keys())
        changed = [(old, new) for name, new in after.items() if (old := before.get(name, _NOTHING)) is not new]
        changed += [(old, _NOTHING) for name, old in before.items() if name not in after]
        return added - removed + sum(_compute_growth(old, new, most) for old, new in changed)
    if isinstance(before, tuple) and isinstance(after, tuple):
        both = zip_longest(before, after, fillvalue=_NOTHING)
        return sum(_compute_growth(one, two, most) for one, two in both if one is not two)
    return (0 if after is _NOTHING else _weigh_value(after, most)) - (
        0 if before is _NOTHING else _weigh_value(before, most)
    )


_NOTHING: Final = object()


def has_stalled(state: ResearchState, figures: Rules) -> bool:
    """Return whether the latest iterations brought nothing that helps: no passages, known ones, or ones off topic."""
    latest = state.conversation[-figures.stall_iterations :]
    if len(latest) < figures.stall_iterations:
        return False
    turn = latest[-1]
    if turn.number == 1 and not any(call.chosen for call in turn.tool_calls):
        return False  # other words may find what the question's own did not
    beside = state.beside
    return all(id in beside for turn in latest for id in _list_counted_findings(turn))


def _list_counted_findings(turn: IterationData) -> tuple[str, ...]:
    """List the findings of an iteration; with chosen searches, those of these."""
    if not any(call.chosen for call in turn.tool_calls):
        return turn.findings
    made = takewhile(lambda call: not call.chosen, turn.tool_calls)
    return turn.findings[sum(call.new for call in made) :]


class ControlAction(Frozen):
    """A request to a run in progress, as data, and what each has to say about itself.

    A new action is a class with a `kind` of its own that `Action` in `control_actions.py` names, and a body in
    `service/control/actions.py` that `CONTROLS` lists; the event of `describe` has a type of `graphs/state/events.py`,
    an existing or a new one. It stands in the log of a run, so an action that was ever accepted has to be applied
    in the same way for as long as there are runs: it is a pure function of the run, and its fields keep their names.
    """

    halts: ClassVar[bool] = False
    """Whether it interrupts or ends the run: a run that is resumed or rolled back drops it if nothing follows it in the
    log, so that the run is not halted again."""
    too_late: ClassVar[str]
    """Message for a run that writes its report or has ended, after a semicolon: `there is nothing to pause`."""

    def refusal(self, graph: ResearchGraph, run: Run, owner: str) -> str | None:
        """Explain why the run refuses it; None if it does not.

        Args:
            graph: The graph of the run.
            run: The run before the action.
            owner: For a section that is asked by itself: the id of the run that it belongs to; else empty.
        """
        return None

    def apply(self, run: Run) -> Run:
        """Return the run after the action; other state is set with `run.knowing(state)`, which checks its size."""
        raise NotImplementedError

    def answer(self, graph: ResearchGraph, run: Run) -> Json:
        """Return the part of the client's answer that its request does not have; `run` is the run after the action.

        An object is merged into the answer model of the body; anything else is read by its `build_answer`.
        """
        return None

    def describe(self, run: Run) -> tuple[EventType, str, JsonObject]:
        """Return the type, the text and the data of the event that reports it; `run` is the run after the action.

        The text says first what was asked, and after a colon in which words: who asked is put before the colon.
        """
        raise NotImplementedError
