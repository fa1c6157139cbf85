"""The start of a run: the journal of a run that begins or resumes, and the input of each of its branches.

Pure; the counterpart of `finish`.
"""

from collections.abc import Iterable

from elcano.graphs.contracts import BranchOf
from elcano.graphs.engine.entries import BranchStart, Entry
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.step_function import advance_run
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.narration import narrate_run_start
from elcano.graphs.run_contracts import OpenBranch, ResearchInput
from elcano.graphs.spec.walks import part_name
from elcano.graphs.state.budget import MOST_SECONDS, Limits
from elcano.graphs.state.plan import build_unjudged_criteria, open_sections
from elcano.graphs.state.state import IterationData, ResearchState
from elcano.graphs.text import format_utc_day


def open_journal(asked: ResearchInput, now: float, *, led: bool = False) -> Journal:
    """Return a new journal, or the one that was carried over from the previous history.

    `led`: whether code chooses the way from node to node.
    """
    branch = asked.branch_of
    path, section = (branch.path, branch.section) if branch else ("", "")
    if asked.carried is not None:
        carried = Journal(asked.graph, asked.carried, path=path, section=section, led=led)
        if asked.carried.elapsed is not None:
            carried.resume_clock(asked.carried.elapsed, now)
        if asked.resumed_from is not None and asked.resumed_from.entry.why == "forked":
            carried.tell(narrate_run_start(asked.question, asked.mode), now)
        return carried
    return Journal.begin(
        asked.graph,
        first_state(asked),
        asked.limits,
        mode=asked.mode,
        now=now,
        rules=asked.rules,
        approve_plan=asked.approve_plan,
        experience=asked.experience,
        path=path,
        section=section,
        led=led,
    )


def first_state(asked: ResearchInput) -> ResearchState:
    """Build the state with which a run begins."""
    before = asked.follows
    return ResearchState(
        question=(before.in_context if before else "") or asked.question,
        background=asked.background,
        history=before.history if before else (),
        evidence=before.evidence if before and before.evidence else asked.evidence,
        instructions=asked.instructions,
        output_schema=asked.output_schema,
        review=asked.review,
        guidance=asked.guidance,
        language=asked.language,
        form=asked.form,
        criteria=build_unjudged_criteria(asked.criteria),
        conversation=(IterationData(number=1, beside=asked.beside),) if asked.beside else (),
        sources=asked.sources,
        databases=asked.databases,
        tool_servers=asked.tool_servers,
        barred=asked.barred,
        domain=asked.domain,
        domains=asked.domains,
        values=asked.values,
    )


def resolve_run_date(asked: ResearchInput, journal: Journal) -> str:
    """Return the date in UTC that agents are given, as `2026-11-22`: when the run, or a branch's parent run, began."""
    return asked.today or format_utc_day(journal.started_at)


def build_run_from_input(asked: ResearchInput) -> Run:
    """The run before its first step."""
    return build_initial_run(
        asked.graph,
        first_state(asked),
        asked.limits,
        asked.rules,
        approve_plan=asked.approve_plan,
        experience=asked.experience,
    )


def fold(asked: ResearchInput, entries: Iterable[Entry]) -> Run:
    """Apply entries to the input of a run, all of its log or the first part, and return the run."""
    run = build_run_from_input(asked)
    for entry in entries:
        run = advance_run(asked.graph, run, entry)
    return run


def build_branch_input(
    asked: ResearchInput, begun: BranchStart, limits: Limits, run: Run, today: str = ""
) -> ResearchInput:
    """Build the input of a branch of the run `asked`: a run of its own, with its own question and limits.

    Instructions, sources and the experience with models come from the state of its `run`, which may have been steered.
    `today` is the day that its run's agents are told.
    """
    outer, state = asked.branch_of, run.state
    return asked.model_copy(
        update={
            "run_id": branch_id(asked, begun),
            "question": begun.input.question,
            "background": begun.input.background,
            "instructions": compose_section_wish(asked.instructions, begun.input.wish, run),
            "guidance": state.guidance,
            "language": state.language,
            "form": begun.input.form,
            "criteria": begun.input.criteria,
            "evidence": begun.input.evidence,
            "beside": begun.input.beside,
            "today": today,
            "sources": state.sources,
            "databases": state.databases,
            "barred": {},
            "domain": state.domain,
            "domains": state.domains if state.domain else (),
            "experience": run.experience,
            "approve_plan": False,
            "review": False,
            "output_schema": {},
            "graph": asked.graph.branches[begun.branch],
            "limits": limits,
            "branch_of": BranchOf(
                run_id=outer.run_id if outer else asked.run_id,
                path=f"{outer.path}/{begun.parallel_path_id}" if outer else begun.parallel_path_id,
                section=begun.title,
                part=part_name(asked.graph, begun.branch),
            ),
            "carried": None,
            "resumed_from": None,
            "forked_from": None,
            "follows": asked.follows.for_branch() if asked.follows else None,
        }
    )


def compose_section_wish(instructions: str, own: str, run: Run) -> str:
    """Return the instructions for one section: its own part, or all of them, marked as meant for the whole report."""
    parts = len(open_sections(run.state.plan))
    if own or parts < 2 or not instructions:
        return own or instructions
    return f"Of the whole report, of which this is one of {parts} sections: {instructions}"


def branch_going_on(asked: ResearchInput, older: OpenBranch) -> ResearchInput:
    """Build the input of a branch that continues from the entries of an older one, within the limits of `asked`."""
    given, before = asked.limits, older.carried.run.budget
    limits = given.model_copy(
        update={
            "seconds": min(given.seconds + before.elapsed, MOST_SECONDS),
            "iterations": max(given.iterations, before.limits.iterations),
            "steps": max(given.steps, before.limits.steps),
        }
    )
    entry = older.resumed_from.entry.model_copy(update={"limits": limits})
    resumed_from = older.resumed_from.model_copy(update={"entry": entry})
    own = {
        "run_id": asked.run_id,
        "branch_of": asked.branch_of,
        "confidential": asked.confidential,
        "carried": older.carried,
        "resumed_from": resumed_from,
    }
    return older.asked.model_copy(update=own)


def branch_id(asked: ResearchInput, begun: BranchStart) -> str:
    """The run id of a branch, which says whose it is."""
    return f"{asked.run_id}.{begun.parallel_path_id}"
