"""Teams by the real agents: which words of the judge stand in the next prompts, and how the last draft is shown."""

import json
from pathlib import Path

import pytest

from elcano.activities.agents.prompt_parts import NOT_SHOWN, by_keys, fit_last_draft
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Claim, ReportDraft
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.plan import CriterionVerdict, SectionResult, build_unjudged_criteria
from elcano.subjects.teams.agents.team_judge import FEEDBACK_CHARACTERS, MOST_MISSING, TeamJudgeInput, resolve_answer
from elcano.subjects.teams.hierarchical import HIERARCHICAL
from elcano.subjects.teams.reducers import TeamAssessment
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.model import ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.source import ScriptedSource

TEXTS = {
    "price": "The quagga pump costs 12 euro in May 2026, says its maker.",
    "maker": "The quagga pump is made by Hydra in Graz since 2019.",
    "noise": "A quagga is an extinct animal, and no pump.",
}
QUESTION = "What does the quagga pump cost?"
FEEDBACK = "The draft names no maker: look for who makes the quagga pump. " + "Say also since when it is made. " * 20
OUTLINE = {
    "report_title": "The quagga pump",
    "report_outline": [
        {"title": "Price", "key_question": "What does the quagga pump cost?"},
        {"title": "Maker", "key_question": "Who makes the quagga pump?"},
    ],
}


def of(model: ScriptedModel, kind: str, question: str = QUESTION) -> list[TaskEnvelope]:
    return [task for task in model.tasks if task.kind == kind and task.question == question]


def judging(**said: object) -> ScriptedModel:
    """A model whose judge says this of every first draft and is content with the second."""

    def judge(task: TaskEnvelope) -> JsonObject:
        answer: JsonObject = json.loads(json.dumps({"sufficient": False, **said}))
        return answer if task.iteration == 1 else {"sufficient": True}

    def select(task: TaskEnvelope) -> JsonObject:
        return {"tasks": [{"source": "library", "query": "pump maker Hydra Graz"}]}

    return ScriptedModel({"team_judge": judge, "planner": OUTLINE, "tool_selector": select})


async def run(model: ScriptedModel | None, folder: Path, source: ScriptedSource | None = None) -> ResearchOutcome:
    library = source or ScriptedSource("library", TEXTS, answers={QUESTION: ["price"]})
    return await run_research(QUESTION, folder=folder, sources=[library], model=model, mode="hierarchical")


def outcomes(came: ResearchOutcome) -> BranchOutcomes:
    return BranchOutcomes.of(came.journal.run.state.outputs["teams"])


async def test_the_words_of_the_judge_stand_in_the_next_prompts_of_its_team(tmp_path: Path) -> None:
    model = judging(feedback=FEEDBACK, missing=["maker of the quagga pump"], next_search_queries=["quagga pump maker"])
    came = await run(model, tmp_path)
    first, second = of(model, "drafter")
    assert "feedback" not in first.given
    assert second.given["feedback"] == FEEDBACK.strip()
    (draft,) = second.sections
    assert {cited.evidence for claim in draft.claims for cited in claim.citations} <= {
        one.key for one in second.evidence
    }
    assert [cited.quote for claim in draft.claims for cited in claim.citations] == [TEXTS["price"]]
    assert len(second.evidence) > len(first.evidence), "what was searched for by the feedback is there"
    (chosen,) = of(model, "tool_selector")
    assert chosen.gap == "maker of the quagga pump"
    assert chosen.suggested_queries == ("quagga pump maker",)
    assert chosen.conversation[-1].judgement.startswith("The draft names no maker")
    judged = of(model, "team_judge")
    assert [task.given.get("feedback") for task in judged] == [None, FEEDBACK.strip()]
    assert [task.max_iterations for task in judged] == [3, 3]
    assert all(task.sections[0].claims for task in judged)
    assert came.journal.run.ending is None
    assert came.report.partial is None


async def test_the_lead_joins_what_the_teams_handed_in(tmp_path: Path) -> None:
    model = judging(feedback="More.")
    came = await run(model, tmp_path)
    joined = [task for task in model.tasks if task.kind == "long_writer_section"]
    assert [task.sections[0].title for task in joined] == ["Price", "Maker"]
    assert all(task.sections[0].claims for task in joined)
    assert {one.status for one in outcomes(came).branches} == {"drafted"}
    assert came.report.references


async def test_a_hundred_kilobytes_of_feedback_are_cut_before_anybody_is_told(tmp_path: Path) -> None:
    model = judging(feedback="no! " * 25_000, missing=["x" * 3_000] * 30, next_search_queries=["y" * 900] * 30)
    came = await run(model, tmp_path)
    second = of(model, "drafter")[1]
    assert len(str(second.given["feedback"])) <= FEEDBACK_CHARACTERS + 1
    (chosen,) = of(model, "tool_selector")
    assert len(chosen.gap) < 500
    assert came.journal.run.ending is None
    assert all(len(event.message) <= 501 for event in came.journal.events)


async def test_who_finds_nothing_ends_without_a_draft_that_claims_anything(tmp_path: Path) -> None:
    library = ScriptedSource("library", TEXTS)
    library.error = SourceUnavailable("the library is closed")
    came = await run(judging(feedback="Nothing was found."), tmp_path, library)
    assert {one.status for one in outcomes(came).branches} == {"unanswered"}
    assert not came.report.references


@pytest.mark.of_plugins("rules")
async def test_without_a_model_teams_are_judged_by_rules_and_it_says_so(tmp_path: Path) -> None:
    came = await run(None, tmp_path)
    branches = outcomes(came).branches
    assert branches
    assert all(str(one.values["feedback"]).startswith("Judged by rules, without a language model.") for one in branches)
    assert {one.draft is not None for one in branches} == {True}
    lead = [entry for entry in came.journal.entries if isinstance(entry, StepCompleted) and entry.node == "lead"]
    assert len(lead) == 1
    assert came.report.unverified == ()


def verdict(number: int, *, met: bool, criterion: str = "") -> CriterionVerdict:
    return CriterionVerdict(number=number, met=met, criterion=criterion, evidence=("e1",) if met else ())


GIVEN = TeamJudgeInput(question=QUESTION, criteria=build_unjudged_criteria(["names the price", "names the maker"]))
KEYS = {"e1": "doc:price"}


def test_a_draft_does_not_suffice_while_a_criterion_is_not_met() -> None:
    said = TeamAssessment(sufficient=True, criteria=(verdict(1, met=True), verdict(2, met=False), verdict(9, met=True)))
    found = resolve_answer(said, GIVEN, KEYS)
    assert not found.sufficient
    assert found.feedback == "names the maker", "who says nothing has said what is not met"
    assert [one.evidence for one in found.criteria] == [("doc:price",), ()]


@pytest.mark.parametrize(
    ("said", "feedback"),
    [
        (TeamAssessment(sufficient=False), ""),
        (TeamAssessment(sufficient=False, feedback=" \n ", missing=("the  maker", "", "the maker")), "the maker"),
        (TeamAssessment(sufficient=False, feedback="Mend it.", missing=("maker",)), "Mend it."),
        (TeamAssessment(sufficient=True, feedback="Well done.", missing=("nothing",)), "Well done."),
    ],
)
def test_feedback_is_never_empty_where_it_is_known_what_is_missing(said: TeamAssessment, feedback: str) -> None:
    found = resolve_answer(said, GIVEN.model_copy(update={"criteria": ()}), {})
    assert found.feedback == feedback
    assert len(found.missing) <= (0 if said.sufficient else MOST_MISSING)


def claim(number: int) -> Claim:
    quote = f"{number} " + "long words " * 40
    return Claim(text=quote, citations=(Citation(evidence=f"doc:{number}", quote=quote),))


def test_the_last_draft_takes_a_quarter_of_the_room_at_most_and_says_what_is_left_out() -> None:
    draft = ReportDraft(title="T", key_findings=tuple(claim(number) for number in range(20)), limitations=("Open.",))
    result = SectionResult(title="T", key_question=QUESTION, draft="hash")
    for room in (0, 100, 1_000, 4_000, 100_000):
        ((section,), taken) = fit_last_draft((result,), (draft,), room)
        assert taken <= room // 4
        assert len(section.claims) + section.left_out == 20
        assert section.limitations == ("Open.",)
    ((nothing,), _) = fit_last_draft((result,), (None,), 1_000)
    assert nothing.claims == ()


def test_the_last_draft_cites_by_the_keys_of_the_passages_beside_it() -> None:
    draft = ReportDraft(title="T", key_findings=(claim(1), claim(2)))
    sections, _ = fit_last_draft((SectionResult(title="T", key_question=QUESTION, draft="hash"),), (draft,), 10_000)
    (section,) = by_keys(sections, {"e7": "doc:2"})
    assert [one.citations[0].evidence for one in section.claims] == [NOT_SHOWN, "e7"]


def test_agents_that_are_not_of_teams_answer_as_before() -> None:
    """A plain answer is there for each agent of the mode, so that it can be tried without a script."""
    agents = {"drafter", "team_judge", "tool_selector", "planner"}
    named = {node.agent for graph in HIERARCHICAL.all_graphs() for node in graph.nodes if node.kind == "agent"}
    assert named == {*agents, "long_writer"}
    for kind in agents:
        assert build_plain_answer(TaskEnvelope(kind=kind, question=QUESTION))
