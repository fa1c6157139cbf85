"""What happens to each run, as data: drawn from the seed and the run's number alone, before anything is started.

So a run of a seed can be made again alone, with the same disturbances at the same places of its story.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Frozen
from tests.chaos.storm import tables
from tests.chaos.storm.tables import Way

Target: TypeAlias = Literal["worker", "api", "temporal", "model", "postgres"]
FaultKind: TypeAlias = Literal["429", "500", "cut", "garbage", "unparsable", "hang", "slow"]
CommandKind: TypeAlias = Literal["signal", "reset-calls", "pause-calls", "pause-run"]
WishKind: TypeAlias = Literal["none", "top-up", "stop", "pause", "steer", "cancel", "resume", "rollback", "fork"]

TARGETS: Final[tuple[Target, ...]] = ("worker", "worker", "worker", "api", "temporal", "temporal", "model")
"""The worker three times: it is where most can go wrong."""
FAULTS: Final[tuple[FaultKind, ...]] = ("429", "500", "cut", "hang", "slow")
WRONG_FORMS: Final[tuple[FaultKind, ...]] = ("garbage", "unparsable")
"""At most one of them a run: a model that answers in the wrong form twice fails a call, as it should."""
WISHES: Final[tuple[WishKind, ...]] = (*("none",) * 6, "top-up", "stop", "pause", "pause", "steer", "cancel")
COMMANDS: Final[tuple[CommandKind, ...]] = ("signal", "reset-calls", "pause-calls", "pause-run")
LATE_WISHES: Final[tuple[WishKind, ...]] = ("resume", "rollback", "fork")
"""Asked for when the run has ended, or of `resume` when it was stopped."""

OF_LOOPS: Final = (*("iterative",) * 3, "deep", "deep", "deep_brief", "simple", "auto")
"""The modes of the first storms: by them a seed does what it did then."""
OF_TEAMS: Final = ("magentic", "magentic", "hierarchical", "hierarchical", "analysis")
MODES: Final = (*OF_LOOPS, *OF_TEAMS, "literature_review", "data", "data", "data", "data")
GROUPS: Final[Mapping[str, Sequence[str]]] = {"loops": OF_LOOPS, "teams": OF_TEAMS}
WAYS: Final[tuple[Way, ...]] = (
    *("query", "mended", "vain", "sheets", "documents", "paths", "patient"),
    *("series", "reads", "writes", "writes"),
)

STALLS: Final = (6.0, 20.0)
"""Seconds for which a worker stands still, at least and at most: none of its calls may be made again for that."""
SHORT_STOPS: Final = (1.0, 6.0)
"""Of everything else."""

PLENTY: Final = 5_000_000
"""Tokens that no run uses up."""


class Script(Frozen):
    """What is researched. Runs with the same script have the same twin."""

    mode: str
    use_graph: bool
    turns: int
    """Iterations until the research is complete."""
    sections: int
    """Of a deep run; 0: one loop."""
    tight: bool = False
    """Its tokens do not suffice: it pauses until a client tops it up."""
    way: Way | None = None
    """Of a question to databases: how it goes."""

    @property
    def name(self) -> str:
        """Names the script, and is a name that a model can have."""
        way = "graph" if self.use_graph else "chain"
        more = "-tight" if self.tight else f"-{self.way}" if self.way else ""
        return f"{self.mode}-{way}-{self.turns}-{self.sections}{more}"

    @property
    def question(self) -> str:
        """What is asked; the scripted model reads from it what to answer."""
        if self.way is not None:
            return tables.question(self.way, self.sections)
        if self.mode == "analysis":
            return f"What does the log say of fruit against scurvy? ({self.turns} turns)"
        sections = f", {self.sections} sections" if self.sections else ""
        return f"What does the log of the voyage say? ({self.turns} turns{sections})"

    @property
    def sources(self) -> tuple[str, ...]:
        """What it may search."""
        return ("log",) if self.way is None else tables.sources(self.way)

    @property
    def budget(self) -> dict[str, object]:
        """What it may spend, as a request says it."""
        tokens = PLENTY
        if self.tight:
            tokens = 36_000 if not self.sections else 60_000 + 45_000 * self.sections
        return {"tokens": tokens, "seconds": 1_800, "when_exhausted": "pause" if self.tight else "finish"}


class Disturbance(Frozen):
    """A process is killed, or stopped for a while."""

    target: Target
    how: Literal["kill", "stop"]
    at: float
    """When so much of the twin's story has been told, from 0 to 1."""
    later: float
    """Seconds after that."""
    seconds: float
    """How long it is stopped, or dead."""


class Fault(Frozen):
    """How the model answers one of a run's requests."""

    request: int
    """Which one, by number from 1."""
    kind: FaultKind


class Wish(Frozen):
    """What a client asks of the run."""

    kind: WishKind
    at: float
    """When so much of the twin's story has been told."""
    seconds: float = 0.0
    """How long a pause lasts."""
    step: float = 0.0
    """To which step it is taken back, as a share of all that it made."""


class Command(Frozen):
    """What an operator does to the run with Temporal's command line."""

    kind: CommandKind
    at: float
    """When so much of the twin's story has been told."""
    seconds: float
    """How long a pause lasts."""


NOTHING: Final = Wish(kind="none", at=0.0)


class Plan(Frozen):
    """One run of a seed."""

    seed: int
    number: int
    script: Script
    disturbances: tuple[Disturbance, ...] = ()
    faults: tuple[Fault, ...] = ()
    cuts: tuple[int, ...] = ()
    """After so many messages each the restless client hangs up and comes again; the last one holds to the end."""
    wish: Wish = NOTHING
    commands: tuple[Command, ...] = ()
    twin: bool = False
    """Nothing happens to it: the others with its script are compared with it."""
    fork: bool = False
    """It begins with the steps of the run of this number."""

    @property
    def name(self) -> str:
        """Of the run, and of the model that answers it."""
        if self.twin:
            return f"twin-{self.script.name}"
        return f"chaos-{self.seed}-{self.number}{'-fork' if self.fork else ''}"

    def told(self) -> str:
        """The plan in one line."""
        parts = [f"{one.how} {one.target} at {one.at:.0%} for {one.seconds:.1f} s" for one in self.disturbances]
        parts += [f"{one.kind} at request {one.request}" for one in self.faults]
        if self.wish.kind != "none":
            parts.append(f"{self.wish.kind} at {self.wish.at:.0%}")
        parts += [f"{one.kind} at {one.at:.0%}" for one in self.commands]
        parts.append(f"hang up {len(self.cuts)} times")
        return f"run {self.number}: {self.script.name}: {', '.join(parts)}"


def chosen(names: Sequence[str]) -> Sequence[str]:
    """Modes to draw from, of names of modes and of groups of them, each as often as it was named; all if none was.

    Raises:
        ValueError: there is no such mode.
    """
    modes = [mode for name in names for mode in GROUPS.get(name, (name,))]
    if unknown := sorted(set(modes) - set(MODES)):
        there = ", ".join(dict.fromkeys((*GROUPS, *MODES)))
        raise ValueError(f"no storm knows {', '.join(unknown)}; there are {there}")
    return modes or MODES


def plan(seed: int, number: int, *, postgres: bool = False, modes: Sequence[str] = MODES) -> Plan:
    """What happens to run `number` of `seed`, whose mode is one of `modes`, each as often as it stands there.

    With `postgres` the store is a process that can be killed too.
    """
    drawn = random.Random(f"{seed}/{number}")
    script = _script(drawn, modes)
    return Plan(
        seed=seed,
        number=number,
        script=script,
        disturbances=tuple(_disturbance(drawn, postgres) for _ in range(drawn.choice((0, 0, 1, 1, 1, 2)))),
        faults=_faults(drawn, script),
        cuts=tuple(drawn.randint(1, 12) for _ in range(drawn.randint(1, 8))),
        wish=_wish(drawn, script),
        commands=_commands(random.Random(f"{seed}/{number}/commands")),
    )


def killed(seed: int, number: int, target: Target, *, modes: Sequence[str] = MODES) -> Plan:
    """A run to which one thing happens: this is killed in the middle of it, and started again at once."""
    drawn = random.Random(f"{seed}/{number}/{target}")
    at = drawn.uniform(0.1, 0.8)
    only = Disturbance(target=target, how="kill", at=at, later=drawn.uniform(0.0, 0.2), seconds=0.0)
    return Plan(seed=seed, number=number, script=_script(drawn, modes), disturbances=(only,))


def _script(drawn: random.Random, modes: Sequence[str]) -> Script:
    mode = drawn.choice(modes)
    if mode == "data":
        way = drawn.choice(WAYS)
        paths = drawn.randint(2, 3) if way in ("paths", "patient") else 0
        return Script(mode=mode, use_graph=True, turns=1, sections=paths, way=way)
    deep = mode in ("deep", "deep_brief", "hierarchical") or (mode == "auto" and drawn.random() < 0.5)
    use_graph = mode in ("simple", "auto", *OF_TEAMS) or drawn.random() < 0.65
    tight = mode in ("iterative", "deep") and drawn.random() < 0.2
    return Script(
        mode=mode,
        use_graph=use_graph,
        turns=2 if tight and deep else drawn.randint(2, 3),
        sections=drawn.randint(2, 3) if deep else 0,
        tight=tight,
    )


def _disturbance(drawn: random.Random, postgres: bool) -> Disturbance:
    target = drawn.choice((*TARGETS, "postgres", "postgres") if postgres else TARGETS)
    how: Literal["kill", "stop"] = "kill" if drawn.random() < (0.5 if target == "worker" else 0.7) else "stop"
    if how == "stop":
        seconds = drawn.uniform(*(STALLS if target == "worker" else SHORT_STOPS))
    else:
        seconds = drawn.choice((0.0, 0.0, drawn.uniform(0.0, 3.0)))
    at, later = drawn.uniform(0.02, 0.95), drawn.uniform(0.0, 0.4)
    return Disturbance(target=target, how=how, at=at, later=later, seconds=seconds)


def _faults(drawn: random.Random, script: Script) -> tuple[Fault, ...]:
    last = 9 + 8 * script.sections if script.way is None else 5 + 2 * script.sections
    requests = drawn.sample(range(1, last), drawn.choice((0, 0, 1, 1, 2)))
    kinds: list[FaultKind] = [drawn.choice(FAULTS) for _ in requests]
    if kinds and not script.tight and drawn.random() < 0.4:  # what a wrong form costs would move where it pauses
        kinds[0] = drawn.choice(WRONG_FORMS)
    return tuple(Fault(request=request, kind=kind) for request, kind in zip(requests, kinds, strict=True))


def _commands(drawn: random.Random) -> tuple[Command, ...]:
    """Drawn apart from all else, so that a seed does otherwise what it did before there were commands."""
    return tuple(
        Command(kind=drawn.choice(COMMANDS), at=drawn.uniform(0.05, 0.9), seconds=drawn.uniform(0.5, 4.0))
        for _ in range(drawn.choice((0, 1, 1, 2)))
    )


def _wish(drawn: random.Random, script: Script) -> Wish:
    kind = drawn.choice(WISHES)
    if drawn.random() < 0.2:
        kind = drawn.choice(LATE_WISHES)
    at = drawn.uniform(0.05, 0.9)
    seconds, step = drawn.uniform(0.3, 2.0), drawn.random()
    return Wish(kind="none" if script.tight else kind, at=at, seconds=seconds, step=step)
