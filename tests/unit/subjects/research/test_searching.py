"""Whole runs with a scripted model: keys that last, junk that goes, gaps that are all searched for, calls that are
left out; and what comes of models that answer badly."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

from elcano.graphs.agents.definition import get_definition
from elcano.graphs.agents.envelope import CriterionItem, OfferedSource, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.plan import Criterion, CriterionVerdict
from elcano.graphs.state.state import IterationData, ToolCallRecord
from elcano.subjects.research.agents.judge import JudgeAssessment, JudgeInput, choose_searches, resolve_answer
from elcano.testing.model import Answers, ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.source import ScriptedSource

QUESTION = "When does the harbour open?"
TEXTS = {
    "opening": "The harbour does open at nine.",
    "closing": "The harbour is closed at eight.",
    "bread": "When the baker does bake, the bread is good.",
    "toll": "A toll of two crowns is due.",
    "winter": "Nobody sails in winter.",
    "tide": "Tides come twice a day.",
}
CRITERIA = ("names the hour", "names the toll")


def harbour(**more: str) -> ScriptedSource:
    return ScriptedSource("log", TEXTS | more)


def key_of(task: TaskEnvelope, title: str) -> str:
    return next((item.key for item in task.evidence if item.title == title), "none")


def thinks(*queries: str, gaps: tuple[str, ...] = (), complete_in: int = 9, **more: Json) -> "Mapping[str, Answers]":
    """A model that says in one answer what it thinks, what is missing and what to search."""

    def think(task: TaskEnvelope) -> JsonObject:
        tasks: list[Json] = [{"source": "log", "query": query} for query in queries]
        complete = task.iteration >= complete_in
        return {
            "thought": "So it stands.",
            "research_complete": complete,
            "outstanding_gaps": [*gaps],
            "tasks": tasks,
            **more,
        }

    return {"thinking": think}


def judges(**more: Json) -> JsonObject:
    return {"sufficient": False, "confidence": 0.5, "recommendation": "continue", "reasoning": "Not yet.", **more}


async def run(
    folder: Path,
    answers: "Mapping[str, Answers]",
    *,
    mode: str = "iterative",
    source: ScriptedSource | None = None,
    limits: Limits | None = None,
) -> tuple[ResearchOutcome, ScriptedModel, ScriptedSource]:
    searched = source or harbour()
    model = ScriptedModel(answers)
    came = await run_research(QUESTION, folder=folder, sources=[searched], model=model, mode=mode, limits=limits)
    return came, model, searched


def kinds(model: ScriptedModel) -> list[str]:
    return [task.kind for task in model.tasks]


def assert_keys_last(model: ScriptedModel) -> None:
    titles = defaultdict(set)
    for task in model.tasks:
        for item in (*task.evidence, *task.uncited):
            titles[item.key].add(item.title)
    assert all(len(named) == 1 for named in titles.values()), titles


@pytest.mark.parametrize("mode", ["iterative", "deep", "deep_brief", "hierarchical", "simple"])
async def test_a_passage_has_one_key_in_all_prompts_of_a_run(tmp_path: Path, mode: str) -> None:
    outline: list[Json] = [
        {"title": one, "key_question": f"What of the {one}?"} for one in ("toll", "winter", "tides come")
    ]
    answers: dict[str, Answers] = {
        "planner": {"report_title": "T", "report_outline": outline},
        "judge": lambda task: judges(beside=[key_of(task, "bread")], next_search_queries=["toll", "winter"]),
        **thinks("toll is due", "winter sails", "tides", gaps=("the toll",)),
    }
    came, model, _ = await run(tmp_path, answers, mode=mode)
    assert came.journal.run.failure is None
    assert_keys_last(model)
    assert len({item.key for task in model.tasks for item in task.evidence}) >= 4


async def test_one_call_says_where_it_stands_what_is_missing_and_what_to_search(tmp_path: Path) -> None:
    answers = {**thinks("toll is due", gaps=("the toll",), complete_in=2), "judge": judges()}
    _, model, source = await run(tmp_path, answers)
    assert kinds(model) == ["thinking", "judge", "thinking", "writer"]
    assert source.queries == [QUESTION, "toll is due"]


async def test_a_thought_alone_leaves_gaps_and_searches_to_their_agents(tmp_path: Path) -> None:
    _, model, _ = await run(tmp_path, {"thinking": {"thought": "Hm."}})
    assert kinds(model)[:4] == ["thinking", "knowledge_gap", "tool_selector", "judge"]


async def test_the_queries_of_the_judge_are_searched_without_another_thought(tmp_path: Path) -> None:
    def judge(task: TaskEnvelope) -> JsonObject:
        queries: list[Json] = ["winter sails", "due  IS toll"] if task.iteration == 1 else ["toll is due"]
        return judges(next_search_queries=queries)

    answers = {**thinks("toll is due", gaps=("the toll",), complete_in=3), "judge": judge}
    came, model, source = await run(tmp_path, answers)
    assert kinds(model) == ["thinking", "judge", "judge", "thinking", "writer"], "what was searched before is dropped"
    assert source.queries == [QUESTION, "toll is due", "winter sails"]
    second = came.journal.run.state.conversation[1]
    assert [(call.query, call.chosen, call.new) for call in second.tool_calls] == [("winter sails", True, 1)]


async def test_the_last_searches_of_the_judge_are_made_and_go_to_the_writer(tmp_path: Path) -> None:
    def judge(task: TaskEnvelope) -> JsonObject:
        verdicts: list[Json] = [
            {"number": 1, "met": True, "evidence": [key_of(task, "opening")]},
            {"number": 2, "met": False},
        ]
        return judges(recommendation="synthesize", next_search_queries=["winter sails"], criteria=verdicts)

    answers = {**thinks("toll is due", gaps=("the toll",), criteria=[*CRITERIA]), "judge": judge}
    came, model, source = await run(tmp_path / "last", answers)
    assert kinds(model) == ["thinking", "judge", "writer"]
    assert source.queries == [QUESTION, "toll is due", "winter sails"]
    asked, writer = model.tasks[1:]
    assert "are the last" in get_definition("judge").asks.instructions_for(asked)
    assert "winter" in {item.title for item in writer.evidence}
    assert [one.met for one in writer.criteria] == [True, None], "the last searches may have met the second"
    assert came.journal.run.ending is None
    enough = {**answers, "judge": lambda task: judge(task) | {"sufficient": True, "criteria": []}}
    _, _, source = await run(tmp_path / "enough", enough)
    assert source.queries == [QUESTION, "toll is due"]


async def test_what_suffices_after_the_question_alone_is_searched_once_more_by_other_names(tmp_path: Path) -> None:
    enough = judges(sufficient=True, recommendation="synthesize", next_search_queries=["winter sails", "zeppelins"])
    given = JudgeInput(question=QUESTION, sources=("docs",), max_iterations=3)
    said = JudgeAssessment.model_validate(enough)
    for queries, chosen in (((QUESTION,), ["winter sails"]), ((QUESTION, "toll is due"), []), ((), [])):
        calls = tuple(ToolCallRecord(source="docs", query=query) for query in queries)
        asked = given.model_copy(update={"conversation": (IterationData(number=1, tool_calls=calls),)})
        assert [one.query for one in choose_searches(said, asked)] == chosen
    unmet = said.model_copy(update={"criteria": (CriterionVerdict(number=1, criterion="the hour", met=False),)})
    given = asked.model_copy(update={"criteria": (Criterion(text="the hour"),)})
    searches = resolve_answer(unmet, given, {}).searches
    assert [one.query for one in searches] == ["winter sails", "zeppelins"], "it does not suffice"
    alone = asked.model_copy(update={"max_iterations": None})
    assert choose_searches(said, alone) == (), "another node searches"


def test_a_judge_names_a_criterion_only_where_it_is_given_none() -> None:
    bare = TaskEnvelope(kind="judge", question=QUESTION)
    by_rubric = bare.model_copy(update={"given": {"rubric": {}}})
    told: JsonObject = {"number": 1, "met": True, "criterion": "the hour"}
    for task in (bare, by_rubric, bare.model_copy(update={"sources": (OfferedSource(name="log"),)})):
        given = task.model_copy(update={"criteria": (CriterionItem(number=1, text="names the hour"),)})
        models = [get_definition("judge").asks.answer_for(one) for one in (task, given)]
        assert ["'criterion'" in str(one.model_json_schema()) for one in models] == [True, False]
        assert all(one.model_validate(judges(criteria=[told])).criteria[0].met for one in models)


async def test_the_judge_is_not_asked_again_when_its_searches_find_nothing(tmp_path: Path) -> None:
    answers = {**thinks("toll is due", gaps=("the toll",)), "judge": judges(next_search_queries=["zeppelins"])}
    came, model, source = await run(tmp_path, answers)
    assert kinds(model) == ["thinking", "judge", "writer"]
    assert source.queries == [QUESTION, "toll is due", "zeppelins"]
    assert came.journal.run.ending is None


async def test_a_deep_run_judges_each_section_once_unless_the_judge_wants_to_see_more(tmp_path: Path) -> None:
    outline: list[Json] = [
        {"title": title, "key_question": f"What of the {title}?", "criteria": [f"names the {title}"]}
        for title in ("toll", "tides")
    ]
    queries: list[Json] = ["winter sails"]
    once: dict[str, Answers] = {
        "planner": {"report_title": "Harbour", "report_outline": outline},
        "judge": judges(recommendation="synthesize", next_search_queries=queries),
    }
    _, model, _ = await run(tmp_path / "once", once, mode="deep")
    expected = {"planner": 1, "judge": 2, "long_writer_section": 2, "long_writer_summary": 1}
    assert Counter(kinds(model)) == expected

    def judge(task: TaskEnvelope) -> JsonObject:
        return judges(recommendation="continue" if task.iteration == 1 else "synthesize", next_search_queries=queries)

    _, model, _ = await run(tmp_path / "again", once | {"judge": judge}, mode="deep")
    assert Counter(kinds(model)) == expected | {"judge": 4}


async def test_the_judge_names_the_sources_to_search_where_there_are_several(tmp_path: Path) -> None:
    def judge(task: TaskEnvelope) -> JsonObject:
        enough = task.iteration > 1
        named = judges(next_search_queries=["winter sails"], search_in=["Trials (documents)", "nowhere"])
        return named | ({"recommendation": "synthesize"} if enough else {})

    sources = [ScriptedSource(name, TEXTS) for name in ("log", "trials", "notes")]
    model = ScriptedModel({**thinks("toll is due", gaps=("the toll",)), "judge": judge})
    await run_research(QUESTION, folder=tmp_path, sources=sources, model=model, mode="iterative")
    asked = next(task for task in model.tasks if task.kind == "judge")
    assert [one.name for one in asked.sources] == ["log", "trials", "notes"]
    assert ["winter sails" in source.queries for source in sources] == [False, True, False]
    judging = get_definition("judge").asks
    assert "search_in" in judging.answer_for(asked).model_json_schema()["properties"]
    alone = asked.model_copy(update={"sources": ()})
    assert "search_in" not in judging.answer_for(alone).model_json_schema()["properties"]
    assert "Search in" not in judging.instructions_for(alone)


def test_a_judge_that_names_no_source_searches_all_that_take_words() -> None:
    given = JudgeInput(question=QUESTION, sources=("log", "notes", "page"))
    said = JudgeAssessment.model_validate(judges(next_search_queries=["toll", "", "x" * 400], search_in=["nowhere"]))
    found = [(one.source, one.query) for one in choose_searches(said, given)]
    assert found == [("log", "toll"), ("notes", "toll"), ("log", "x" * 300), ("notes", "x" * 300)]
    assert choose_searches(said.model_copy(update={"recommendation": "synthesize"}), given) == ()
    assert choose_searches(said, JudgeInput(question=QUESTION)) == (), "another node searches"


async def test_a_section_with_criteria_begins_with_its_judge(tmp_path: Path) -> None:
    outline: list[Json] = [
        {"title": "Hours", "key_question": "When does it open?", "criteria": ["names the hour"]},
        {"title": "Toll", "key_question": "What toll is due?"},
    ]
    answers: dict[str, Answers] = {
        "planner": {"report_title": "Harbour", "report_outline": outline},
        "judge": judges(recommendation="synthesize"),
        **thinks("winter sails", gaps=("winter",)),
    }
    _, model, _ = await run(tmp_path / "two", answers, mode="deep")
    assert [task.question for task in model.tasks if task.kind == "thinking"] == ["What toll is due?"]
    assert kinds(model).count("judge") == 2
    _, model, _ = await run(tmp_path / "one", answers, mode="deep", limits=Limits(iterations=1))
    assert kinds(model).count("thinking") == 2, "a judge could not have anything searched"
    assert "judge" not in kinds(model)


async def test_every_gap_gets_a_search_in_the_same_turn(tmp_path: Path) -> None:
    gaps = ("What is the toll", "Sails in winter", "Tides of the day")
    answers = {**thinks("toll is due", gaps=gaps), "judge": judges(recommendation="synthesize")}
    _, model, source = await run(tmp_path, answers)
    assert source.queries == [QUESTION, "toll is due", *gaps[1:]]
    (judged,) = (task for task in model.tasks if task.kind == "judge")
    assert judged.conversation[-1].gaps == gaps
    separate: dict[str, Answers] = {
        "thinking": {"thought": "Hm."},
        "knowledge_gap": {"research_complete": False, "outstanding_gaps": [*gaps]},
        "tool_selector": {"tasks": [{"source": "log", "query": "winter", "closes": 2}]},
        "judge": judges(recommendation="synthesize"),
    }
    _, _, source = await run(tmp_path / "separate", separate)
    assert source.queries == [QUESTION, "winter", gaps[0], gaps[2]]


async def test_gaps_in_another_language_are_searched_for_and_the_run_goes_on(tmp_path: Path) -> None:
    gaps = ("Was kostet die Einfahrt?", "冬の航海", "")
    came, _, source = await run(tmp_path, {**thinks(gaps=gaps), "judge": judges()})
    assert source.queries == [QUESTION, *gaps[:2]]
    assert came.report.references


async def test_what_is_beside_the_question_is_shown_no_more(tmp_path: Path) -> None:
    def judge(task: TaskEnvelope) -> JsonObject:
        verdict: JsonObject = {"number": 1, "met": True, "evidence": [key_of(task, "opening")]}
        named: list[Json] = [key_of(task, title) for title in ("bread", "opening")]
        return judges(criteria=[verdict], beside=[*named, "e99", "nonsense"])

    answers = {**thinks("toll is due", gaps=("the toll",), complete_in=2, criteria=[*CRITERIA]), "judge": judge}
    came, model, _ = await run(tmp_path, answers)
    first, *_, writer = model.tasks
    assert {"bread", "opening"} <= {item.title for item in first.evidence}
    shown = {item.title for item in writer.evidence}
    assert "bread" not in shown
    assert {"opening", "closing", "toll"} <= shown, "what meets a criterion is never beside the question"
    state = came.journal.run.state
    assert len(state.beside) == 1
    assert len(state.useful_evidence) == len(state.evidence) - 1


async def test_a_model_that_finds_everything_beside_the_question_leaves_the_nearest(tmp_path: Path) -> None:
    def judge(task: TaskEnvelope) -> JsonObject:
        return judges(beside=[item.key for item in task.evidence])

    answers = {**thinks("toll", "winter", gaps=("the toll",)), "judge": judge}
    came, model, _ = await run(tmp_path, answers)
    assert kinds(model) == ["thinking", "judge", "writer"]
    assert len(model.tasks[-1].evidence) == 3
    assert came.report.partial

    def judge_sure(task: TaskEnvelope) -> JsonObject:
        met: JsonObject = {"number": 1, "met": True, "evidence": [task.evidence[0].key]}
        return judge(task) | {"sufficient": True, "criteria": [met]}

    sure = {**answers, "judge": judge_sure}
    _, model, _ = await run(tmp_path / "sure", sure)
    assert len(model.tasks[-1].evidence) == len(model.tasks[1].evidence), "who has enough has named nothing"


async def test_a_question_that_nothing_answers_ends_after_one_turn(tmp_path: Path) -> None:
    source = ScriptedSource("log", {"bread": TEXTS["bread"], "toll": TEXTS["toll"]})
    answers: dict[str, Answers] = {
        **thinks("toll of two", gaps=("the hour",)),
        "judge": lambda task: judges(beside=[item.key for item in task.evidence]),
        "writer": {"title": "No answer", "answered": False, "limitations": ["No passage found says when it opens."]},
    }
    came, model, _ = await run(tmp_path, answers, source=source)
    assert kinds(model) == ["thinking", "judge", "writer"]
    assert not came.report.answered
    assert came.journal.run.ending is not None
    assert came.journal.run.ending.kind == "stalled"


async def test_the_last_searches_of_a_judge_are_made_though_those_before_found_nothing(tmp_path: Path) -> None:
    answers: dict[str, Answers] = {
        **thinks("toll of two", gaps=("the hour",)),
        "judge": lambda task: judges(
            recommendation="synthesize",
            next_search_queries=["winter sails"],
            beside=[item.key for item in task.evidence],
        ),
    }
    _, model, source = await run(tmp_path, answers)
    assert kinds(model) == ["thinking", "judge", "writer"]
    assert source.queries[-1] == "winter sails"


async def test_three_of_two_hundred_passages_reach_the_writer(tmp_path: Path) -> None:
    junk = {f"junk{number}": f"The harbour of page {number} " + "was seen " * 150 for number in range(200)}
    telling = {f"telling{number}": f"Telling: it does open at {number}." for number in range(3)}
    source = ScriptedSource("log", {**junk, **telling}, answers={QUESTION: [*list(junk)[:190], *telling, *junk]})

    def judge(task: TaskEnvelope) -> JsonObject:
        met: list[Json] = [item.key for item in task.evidence if item.title in telling]
        verdict: JsonObject = {"number": 1, "met": bool(met), "evidence": met}
        return judges(criteria=[verdict], beside=[item.key for item in task.evidence if item.title in junk])

    answers = {
        **thinks("telling open", "page seen", gaps=("the hour",), criteria=["names the hour"]),
        "judge": judge,
    }
    _, model, _ = await run(tmp_path, answers, source=source)
    writer = model.tasks[-1]
    assert {item.title for item in writer.evidence} == set(telling)


async def test_the_judge_is_not_asked_in_the_last_iteration(tmp_path: Path) -> None:
    answers = {**thinks("toll is due", gaps=("the toll",)), "judge": judges()}
    came, model, _ = await run(tmp_path, answers, limits=Limits(iterations=1))
    assert kinds(model) == ["thinking", "writer"]
    assert came.journal.run.ending is not None
    assert came.journal.run.ending.kind == "iterations"


async def test_sections_begin_with_what_the_survey_found_and_are_written_once(tmp_path: Path) -> None:
    outline: list[Json] = [
        {"title": "Hours", "key_question": "When does it open?", "criteria": ["names the hour"]},
        {"title": "Toll", "key_question": "What toll is due?"},
    ]

    def judge(task: TaskEnvelope) -> JsonObject:
        verdict: JsonObject = {"number": 1, "met": True, "evidence": [key_of(task, "opening")]}
        return judges(criteria=[verdict], recommendation="synthesize", beside=[key_of(task, "bread")])

    answers: dict[str, Answers] = {
        "planner": {"report_title": "Harbour", "report_outline": outline},
        "judge": judge,
        **thinks("winter sails", gaps=("winter",)),
    }
    came, model, source = await run(tmp_path, answers, mode="deep")
    assert kinds(model).count("long_writer_section") == 2
    assert "writer" not in kinds(model)
    assert {QUESTION, "When does it open?", "What toll is due?"} <= set(source.queries)
    for task in (task for task in model.tasks if task.kind == "thinking"):
        assert {"opening", "closing"} <= {item.title for item in task.evidence}
    hours = next(task for task in model.tasks if task.kind == "long_writer_section")
    (section,) = hours.sections
    assert [(one.text, one.met, one.evidence) for one in section.criteria] == [
        ("names the hour", True, (key_of(hours, "opening"),))
    ]
    assert section.notes == ("Not yet.",)
    assert hours.evidence[0].title == "opening", "what meets a criterion comes first"
    assert "bread" not in {item.title for item in hours.evidence if item.text}
    assert {one.title for one in came.journal.run.state.plan} == {"Hours", "Toll"}
    assert came.report.answered


async def test_models_are_told_what_applies_and_not_where_passages_stand(tmp_path: Path) -> None:
    answers = {**thinks("toll is due", gaps=("the toll",)), "judge": judges()}
    _, model, _ = await run(tmp_path, answers)
    assert all(not item.locator and not item.heading for task in model.tasks for item in task.evidence)

    thinking, judge = get_definition("thinking").asks, get_definition("judge").asks
    task = next(task for task in model.tasks if task.kind == "thinking")
    assert "is an address" in thinking.all_instructions
    assert "is an address" not in thinking.instructions_for(task)
    assert "rubric" not in judge.instructions_for(task)
    written = next(task for task in model.tasks if task.kind == "writer")
    writer = get_definition("writer").asks
    assert "larger report" not in writer.instructions_for(written)
    assert "larger report" in writer.instructions_for(written.model_copy(update={"title": "Toll"}))
    assert "scores" not in judge.answer_for(task).model_json_schema()["properties"]
