"""What a run shows of itself in the Temporal UI: its stage as a search attribute, its place as details."""

from temporalio import workflow
from temporalio.common import SearchAttributeKey

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import OUTCOME_ATTRIBUTE, STAGE_ATTRIBUTE, ResearchInput, RunStatus, Stage
    from elcano.graphs.engine.commands import Work
    from elcano.graphs.journal.journal import Journal
    from elcano.graphs.spec.drawing import outline, with_place

_STAGE = SearchAttributeKey.for_keyword(STAGE_ATTRIBUTE)
_OUTCOME = SearchAttributeKey.for_keyword(OUTCOME_ATTRIBUTE)


class Shown:
    """Of one run."""

    def __init__(self, asked: ResearchInput, journal: Journal) -> None:
        self._asked = asked
        self._journal = journal
        self._outline = outline(asked.graph)
        self.stage: Stage = "researching"
        """As it is shown: a run that somebody paused is paused, whatever it was about."""
        self.beneath: Stage = "researching"
        """What it is about."""
        self.status: RunStatus = "running"

    def enter(self, stage: Stage) -> None:
        """The run is in this stage now; one that somebody paused is shown so until it goes on."""
        self.beneath = stage
        self.follow_pause()

    def follow_pause(self) -> None:
        """To be called when somebody may have paused the run, or let it go on."""
        stage: Stage = "paused" if self._journal.run.pause is not None else self.beneath
        if stage != self.stage:
            self.stage = stage
            workflow.upsert_search_attributes([_STAGE.value_set(stage)])

    def enter_work(self) -> None:
        """The run works: on its research, or on its report."""
        self.enter("writing" if self._journal.leaving else "researching")

    def end(self, status: RunStatus) -> None:
        """The run has ended so."""
        self.stage, self.status = "closed", status
        workflow.upsert_search_attributes([_STAGE.value_set("closed"), _OUTCOME.value_set(status)])

    def place(self, work: Work) -> None:
        """The node that is worked on, in the drawn graph; costs no event."""
        run = self._journal.run
        if self._journal.leaving and run.hold is None:
            self.enter("writing")
        workflow.set_current_details(
            f"**{self._asked.mode}**, step {run.step}, iteration {run.budget.iterations}, "
            f"{len(run.state.evidence)} passages, {run.budget.used.tokens} tokens\n\n"
            f"```\n{with_place(self._outline, work.node)}\n```"
        )
