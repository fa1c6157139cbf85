"""The result of comparing two runs, `a` and `b`. In `added` and `removed`, `a` is the older one."""

from typing import Literal

from pydantic import Field

from elcano.graphs.contracts import RunStatus
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle.step_rows import StepKind, StepOutcome
from elcano.graphs.report.report import SupportCounts
from elcano.service.fields import Described


class RunFigures(Described):
    """One of the two runs."""

    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run."""
    question: str = Field(examples=["What is Rich?"])
    """The question."""
    status: RunStatus = Field(examples=["completed"])
    """Status of the run."""
    steps: int = Field(examples=[12])
    """Steps that ended."""
    iterations: int = Field(examples=[2])
    """Turns of the research loop."""
    evidence: int = Field(examples=[16])
    """Passages that it knows."""
    requests: int = Field(examples=[7])
    """Requests to models, with those of its sections."""
    tokens: int = Field(examples=[31_000])
    """Input and output tokens together."""
    cost_usd: float = Field(examples=[0.012])
    """US dollars."""
    seconds: float = Field(examples=[42.5])
    """Seconds of its own time, in which it neither paused nor waited for a worker."""


class Difference(Described):
    """Something that was asked for otherwise."""

    field: str = Field(examples=["limits.tokens"])
    """What: `question`, `sources`, `models.default`, `limits.tokens`, `graph.nodes.judge`."""
    a: Json = Field(default=None, examples=[100_000])
    """Value in the request of `a`; null if it has none."""
    b: Json = Field(default=None, examples=[200_000])
    """Value in the request of `b`; null if it has none."""


class StepBrief(Described):
    """A step in short."""

    number: int = Field(examples=[5])
    """Its number in its run."""
    node: str = Field(examples=["judge"])
    """The node."""
    kind: StepKind | None = Field(examples=["agent"])
    """The kind of its node."""
    iteration: int = Field(examples=[1])
    """The turn of the research loop."""
    outcome: StepOutcome = Field(examples=["completed"])
    """The outcome of the step."""
    tokens: int = Field(examples=[2_100])
    """Tokens that it used."""
    summary: str = Field(default="", examples=["Not enough yet"])
    """Its result in a sentence, or why it did not complete."""


class StepPair(Described):
    """A step of each run at the same node and in the same iteration, or a step that only one of them took."""

    a: StepBrief | None
    """The step of `a`; null: only `b` took it."""
    b: StepBrief | None
    """The step of `b`; null: only `a` took it."""
    same: bool
    """Both came to the same outcome with the same output."""


class StepsCompared(Described):
    """The steps at which the paths of two runs agree and diverge."""

    common: int = Field(examples=[4])
    """Number of leading steps with the same node, iteration, outcome and output."""
    pairs: tuple[StepPair, ...]
    """The steps behind these, in the order of both runs."""


class PlanCompared(Described):
    """Planned sections of both runs, by title; those dropped on request are not planned."""

    added: tuple[str, ...] = Field(examples=[["Costs"]])
    """Only `b` planned these."""
    removed: tuple[str, ...] = Field(examples=[["History"]])
    """Only `a` planned these."""
    both: tuple[str, ...] = Field(examples=[["Tables"]])
    """Both planned these, with the same question or another."""


class EvidenceBrief(Described):
    """A passage by reference."""

    id: str = Field(examples=["packages:rich#1"])
    """Its id."""
    title: str = Field(examples=["rich"])
    """Its document's title."""
    source: str = Field(examples=["packages"])
    """The source that it was found in."""


class EvidenceCompared(Described):
    """Passages that both runs found; of each list the first thousand."""

    only_a: tuple[EvidenceBrief, ...]
    """Only `a` knows these."""
    only_b: tuple[EvidenceBrief, ...]
    """Only `b` knows these."""
    both: tuple[EvidenceBrief, ...]
    """Both know these."""
    only_a_count: int = Field(examples=[3])
    """Passages that only `a` found."""
    only_b_count: int = Field(examples=[5])
    """Passages that only `b` found."""
    both_count: int = Field(examples=[11])
    """Passages that both found."""


class ClaimBrief(Described):
    """A claim of a report."""

    section: str = Field(examples=["Key findings"])
    """The heading that it is under."""
    text: str = Field(examples=["Rich can render tables."])
    """Its words."""
    evidence: tuple[str, ...] = Field(examples=[["packages:rich#1"]])
    """Ids of what it cites."""


class ClaimPair(Described):
    """A claim that is not the same in both reports."""

    how: Literal["added", "removed", "changed"] = Field(examples=["changed"])
    """`changed`: other words, another section, or other evidence."""
    a: ClaimBrief | None
    """The claim in `a`; null if it was added."""
    b: ClaimBrief | None
    """The claim in `b`; null if it was removed."""
    similarity: float = Field(examples=[0.82])
    """Similarity of the words: 1 if they are the same, 0 if there is only one."""


class ReferenceBrief(Described):
    """A document that a report refers to."""

    document: str = Field(examples=["packages:rich"])
    """Its canonical id."""
    title: str = Field(examples=["rich"])
    """Its title."""
    source: str = Field(examples=["packages"])
    """The source that it was found in."""


class ReportCompared(Described):
    """Comparison of two reports."""

    a_title: str = Field(examples=["Rich"])
    """The title of the report of `a`."""
    b_title: str = Field(examples=["Rich and its tables"])
    """The title of the report of `b`."""
    a_answered: bool = Field(examples=[True])
    """Whether the report of `a` answers its question."""
    b_answered: bool = Field(examples=[True])
    """Whether the report of `b` answers its question."""
    a_support: SupportCounts | None
    """Counts of supported statements of `a` among those that cite something; null if its report was not published."""
    b_support: SupportCounts | None
    """The same of `b`."""
    sections_added: tuple[str, ...] = Field(examples=[["Tables"]])
    """Headings that only `b` has."""
    sections_removed: tuple[str, ...] = Field(examples=[[]])
    """Headings that only `a` has."""
    claims: tuple[ClaimPair, ...]
    """Claims that are not the same in both, in the order of `b` and then of `a`."""
    claims_same: int = Field(examples=[6])
    """Claims that are the same in both."""
    references_added: tuple[ReferenceBrief, ...]
    """Documents that only `b` refers to."""
    references_removed: tuple[ReferenceBrief, ...]
    """Documents that only `a` refers to."""
    references_same: int = Field(examples=[3])
    """Documents that both refer to."""


class RunComparison(Described):
    """Two runs side by side."""

    a: RunFigures
    """The run that was asked about."""
    b: RunFigures
    """The run that it is compared with."""
    notes: tuple[str, ...] = Field(examples=[["b is still running: it is compared as it is at step 7"]])
    """Limits of this comparison."""
    asked: tuple[Difference, ...]
    """Differences between the requests."""
    plan: PlanCompared
    """Comparison of the plans; empty where a mode plans no sections."""
    steps: StepsCompared
    """Comparison of the steps."""
    evidence: EvidenceCompared
    """Comparison of the passages, including those of sections."""
    report: ReportCompared | None
    """Comparison of the reports; null unless both runs have written something."""
