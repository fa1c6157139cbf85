"""The judge agent: whether a careful report can be written now, in any field of knowledge."""

from collections.abc import Mapping, Sequence
from functools import cache
from operator import not_
from typing import Final, Literal

from pydantic import Field, create_model
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.agents.definition import AgentDefinition, Part, Question
from elcano.graphs.agents.digests import DIGEST_CHARACTERS, DIGESTED, digest_passages
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import BESIDE, CONTRADICTIONS, NAMING
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.plan import (
    MOST_CRITERIA,
    MOST_PASSAGES,
    Contradiction,
    CriterionVerdict,
    normalize_criteria,
    resolve_contradictions,
)
from elcano.graphs.state.rubric import (
    SCALE,
    NamesFound,
    Rubric,
    RubricScores,
    Score,
)
from elcano.graphs.text import ensure_list, format_count
from elcano.subjects.research.agents.loop_context import (
    ResearchContext,
    build_research_task,
    for_gap,
    lacks_criteria,
    needs_of,
    passages_of,
    resolve_beside,
)
from elcano.subjects.research.agents.rubric_check import apply_rubric
from elcano.subjects.research.agents.tool_selector import AgentTask, complete_tasks, normalize_source_name


class JudgeInput(ResearchContext):
    """The judge may also judge by the standards of a field."""

    gap: str = ""
    """The gap that this iteration searched for, shown in events; the model sees all gaps in the conversation."""
    rubric: Rubric | None = None
    """The standards of the question's field; None: no field's."""
    sources: tuple[str, ...] = ()
    """Sources in which its queries are searched; empty: another node decides that."""
    max_iterations: int | None = None
    """Iterations of a loop in which it may call its queries the last ones; None: it may not."""


class JudgeAssessment(Frozen):
    """Whether the evidence is enough to answer, for any field of knowledge."""

    sufficient: bool
    confidence: float = Field(ge=0, le=1)
    coverage: float = Field(default=0.0, ge=0, le=1)
    recommendation: Literal["continue", "synthesize"]
    missing: tuple[str, ...] = Field(default=(), max_length=10)
    next_search_queries: tuple[str, ...] = Field(default=(), max_length=5)
    search_in: SkipJsonSchema[tuple[str, ...]] = Field(default=(), exclude_if=not_)
    """Names of the sources to search, of a judge that is shown several; empty: all."""
    searches: SkipJsonSchema[tuple[AgentTask, ...]] = Field(default=(), exclude_if=not_)
    """The searches that its queries make, put here by code."""
    beside: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = Field(default=(), exclude_if=not_)
    reasoning: str = Field(min_length=1, max_length=2_000)
    criteria: tuple[CriterionVerdict, ...] = ()
    scores: SkipJsonSchema[tuple[Score, ...]] = ()
    names: SkipJsonSchema[tuple[NamesFound, ...]] = ()
    """By the rubric; hidden from a judge without one."""
    unscored: SkipJsonSchema[str] = ""
    """Why there are no scores, of a judge that can give none; hidden from models."""
    rubric: SkipJsonSchema[str] = ""
    """The name of the rubric that it was held against, put here by code."""
    lacking: SkipJsonSchema[tuple[str, ...]] = ()
    """What the rubric asks for and is not there, counted by code."""


class AssessmentWithSources(JudgeAssessment):
    """The same, of a judge that chooses sources."""

    search_in: tuple[str, ...] = Field(default=(), exclude_if=not_, description="Names; empty: all.")


class RubricAssessment(AssessmentWithSources):
    """The same, of a judge that has a rubric."""

    scores: tuple[Score, ...] = Field(default=(), description="One for each score of the rubric.")
    names: tuple[NamesFound, ...] = Field(default=(), description="What the rubric has named, by its kinds.")


INSTRUCTIONS: Final = f"""\
You judge whether the passages found, not what you know of the subject, are enough for a careful answer to the \
question, by the standards of its field.

- Criteria: for each of `criteria`, by its number, whether a passage that could be quoted meets it, and the keys of \
those that do.
- Coverage: the share of the question's parts that passages speak to. Confidence: how sure you are that a report from \
these alone would be right.
- Sufficient: every criterion is met, and every part of the question that matters has a passage.
- Recommendation: `synthesize` if sufficient, or if the last searches found nothing new on the question (of \
`new_evidence` passages); else `continue`.
- Missing: what no passage covers. Next search queries: one to three for that, of four to twelve names, technical \
terms and abbreviations of the sought passage; none that was made. If sufficient, none, or one by other names of its \
subject where only the question itself was searched.
{BESIDE}
{CONTRADICTIONS}
- Reasoning: two or three sentences, with keys of passages.
{DIGESTED}\
- Passages judged before that meet no criterion are left out.
"""

BY_RUBRIC: Final = f"""\
- Rubric: judge by the standards of the field in `given.rubric` as well. Give one score from 0 to {SCALE} for each of \
its `scores`, by its name, for what the passages show and nothing else, each with its reason and the keys of its \
passages; a subject that no passage touches scores 0. List what it has `names` for as the passages write it; name \
nothing that no passage names. What it says under `sufficient` and `instructions` counts as these lines do.
"""


def has_rubric(task: TaskEnvelope) -> bool:
    """Whether the judge is given a rubric."""
    return "rubric" in task.given


CHOOSING_SOURCES: Final = """\
- Search in: the names of those `sources` in which to search for what is missing.
"""


LAST_SEARCHES: Final = """\
- `synthesize` with queries: these are the last, and what they find goes to the writer. Prefer it to `continue`, \
unless what they find decides whether to search further.
"""


def list_needs(given: JudgeInput) -> Needs:
    """The passages found so far, and the sources if there is a choice."""
    return needs_of(
        given, offered=given.sources if len(given.sources) > 1 else (), searched=given.sources, digest=DIGEST_CHARACTERS
    )


def choose_searches(said: JudgeAssessment, given: JudgeInput) -> tuple[AgentTask, ...]:
    """Return the searches for the queries, in the sources that it names, that were not made before.

    Where passages suffice it is one query, of a loop in which only the question itself was searched: what the question
    calls by another name is not found by its words.
    """
    if said.recommendation != "continue" and given.max_iterations is None:
        return ()
    most = None
    if said.sufficient:
        asked = {call.query for turn in given.conversation for call in turn.tool_calls}
        most = 1 if asked == {given.question} else 0
    searched = [name for name in given.sources if name not in SOURCES or not SOURCES[name].by_address]
    named = {normalize_source_name(name) for name in said.search_in}
    chosen = [name for name in searched if normalize_source_name(name) in named] or searched
    tasks = [
        AgentTask(source=name, query=query[:300])
        for query in said.next_search_queries[:most]
        if query
        for name in chosen
    ]
    return complete_tasks(tasks, (), given.sources, given.conversation)


class NumberedVerdict(CriterionVerdict):
    """A verdict on a criterion that the judge is given: its number names it."""

    criterion: SkipJsonSchema[str] = ""


def choose_answer(task: TaskEnvelope) -> type[JudgeAssessment]:
    """Return the model of the answer."""
    model = RubricAssessment if has_rubric(task) else AssessmentWithSources if task.sources else JudgeAssessment
    return model if lacks_criteria(task) else _with_numbered_criteria(model)


@cache
def _with_numbered_criteria(model: type[JudgeAssessment]) -> type[JudgeAssessment]:
    return create_model(model.__name__, __base__=model, criteria=(tuple[NumberedVerdict, ...], ()))


def build_task(given: JudgeInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, and how much of the evidence is new."""
    new = len(given.conversation[-1].findings) if given.conversation else 0
    task = digest_passages(build_research_task("judge", given, loaded))
    turns = tuple(turn.model_copy(update={"thought": ""}) for turn in task.conversation)
    task = task.model_copy(
        update={
            "conversation": turns,
            "new_evidence": new,
            "sources": loaded.sources,
            "max_iterations": given.max_iterations,
        }
    )
    if not loaded.offline:
        task = leave_out_judged(task, given, loaded.shown.ids)
    if given.rubric is None:
        return task
    rubric: JsonObject = given.rubric.model_dump(mode="json", exclude_defaults=True)
    return task.model_copy(update={"given": {"rubric": rubric}})


def leave_out_judged(task: TaskEnvelope, given: JudgeInput, ids: Mapping[str, str]) -> TaskEnvelope:
    """`task` without passages that were judged before, but for those that meet a criterion or contradict others.

    All stay if there are no criteria, which say what matters, or no new passages.
    """
    last = max((place for place, turn in enumerate(given.conversation) if turn.judgement), default=None)
    new = set() if last is None else {id for turn in given.conversation[last + 1 :] for id in turn.findings}
    if not new or not task.criteria:
        return task
    named = {key for criterion in task.criteria for key in criterion.evidence}
    named |= {key for one in task.contradictions for key in one.evidence}
    shown = tuple(item for item in task.evidence if item.key in named or ids.get(item.key) in new)
    return task.model_copy(update={"evidence": shown})


def resolve_answer(said: JudgeAssessment, given: JudgeInput, ids: Mapping[str, str]) -> JudgeAssessment:
    """Return the verdict without contradictions, with passage ids in place of keys.

    A criterion is met only by passages that were shown. Passages suffice only if every criterion that was judged is
    met, and nothing lacks that a rubric asks for; where they suffice nothing is left to continue for, and where only
    the sufficiency was wrong there is.
    """
    most = len(given.criteria) or MOST_CRITERIA
    verdicts = tuple(by_ids(one, ids) for one in said.criteria if not given.criteria or 1 <= one.number <= most)[:most]
    scored = None
    if given.rubric is not None:
        scored = apply_rubric(given.rubric, said.scores, said.names, ids, said.unscored)
    lacking = scored.lacking if scored else ()
    sufficient = said.sufficient and all(one.met for one in verdicts) and not lacking
    recommendation = said.recommendation
    if said.sufficient:
        recommendation = "synthesize" if sufficient else "continue"
    verdict = said.model_copy(update={"sufficient": sufficient, "recommendation": recommendation})
    return verdict.model_copy(
        update={
            "criteria": verdicts,
            "searches": choose_searches(verdict, given),
            "beside": _resolve_beside(said, given, ids, verdicts),
            "contradictions": resolve_contradictions(said.contradictions, ids),
            "rubric": scored.rubric if scored else "",
            "scores": scored.scores if scored else (),
            "names": scored.names if scored else (),
            "unscored": scored.unscored if scored else "",
            "lacking": lacking,
        },
    )


def _resolve_beside(
    said: JudgeAssessment, given: JudgeInput, ids: Mapping[str, str], verdicts: Sequence[CriterionVerdict]
) -> tuple[str, ...]:
    """Ids of off-topic passages; none if the judge calls all of them that and enough all the same."""
    if said.sufficient and set(said.beside) >= ids.keys():
        return ()
    return resolve_beside(said.beside, ids, given, (id for verdict in verdicts for id in verdict.evidence))


def read_scores(output: JsonObject) -> RubricScores | None:
    """Return the scores by a rubric; None if no rubric was used.

    Raises:
        pydantic.ValidationError: it is no assessment.
    """
    said = JudgeAssessment.model_validate(output)
    if not said.rubric:
        return None
    return RubricScores(
        rubric=said.rubric, scores=said.scores, names=said.names, unscored=said.unscored, lacking=said.lacking
    )


def by_ids(verdict: CriterionVerdict, ids: Mapping[str, str]) -> CriterionVerdict:
    """A verdict with the ids of passages for their keys; a criterion is met only by passages that were shown."""
    evidence = tuple(dict.fromkeys(ids[key] for key in verdict.evidence if key in ids))[:MOST_PASSAGES]
    text = "".join(normalize_criteria([verdict.criterion]))
    return verdict.model_copy(
        update={"criterion": text, "met": verdict.met and bool(evidence), "evidence": evidence},
    )


def summarize_assessment(output: JsonObject) -> tuple[str, JsonObject]:
    """Its reasoning, how many criteria are met, and how it scored."""
    kept = ("sufficient", "confidence", "coverage", "recommendation", "missing")
    data: JsonObject = {name: output.get(name) for name in kept}
    data |= {"beside": beside} if (beside := output.get("beside")) else {}
    of_rubric = ("rubric", "scores", "names", "unscored", "lacking")
    data |= {name: value for name in of_rubric if (value := output.get(name))}
    verdicts = [one for one in ensure_list(output.get("criteria")) if isinstance(one, dict)]
    parts = []
    if verdicts:
        met = sum(one.get("met") is True for one in verdicts)
        parts.append(f"{met} of {format_count(len(verdicts), 'criterion', 'criteria')} met")
        data["criteria"] = [*verdicts]
    if contradictions := ensure_list(output.get("contradictions")):
        parts.append(format_count(len(contradictions), "contradiction"))
        data["contradictions"] = contradictions
    scores = [one for one in ensure_list(output.get("scores")) if isinstance(one, dict)]
    parts += [f"{one.get('name')} {one.get('score')}/{SCALE}" for one in scores]
    parts += ["not scored"] if output.get("unscored") else []
    head = ", ".join(["Judged", *parts])
    return f"{head}: {output.get('reasoning', '')}", data


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="judge",
    description="Judges whether the evidence is enough to answer.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Judge the evidence in this task envelope.",
        answer=JudgeAssessment,
        shown=build_task,
        ranks=False,
        parts=(
            Part(NAMING, lacks_criteria),
            Part(BY_RUBRIC, has_rubric),
            Part(CHOOSING_SOURCES, lambda task: bool(task.sources)),
            Part(LAST_SEARCHES, lambda task: task.max_iterations is not None),
        ),
        answers=choose_answer,
    ),
    input=JudgeInput,
    output=JudgeAssessment,
    starts="judging",
    completes="judge_complete",
    output_tokens=600,
    evidence_tokens=8_000,
    scored=read_scores,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: f"judging whether {passages_of(given)} will do{for_gap(given)}",
    summary=summarize_assessment,
)
