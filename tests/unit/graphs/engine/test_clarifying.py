"""A run that asks back is held until its questions are answered or skipped, once."""

from elcano.graphs.added_steps import add_clarifying_step, without_clarifying_step
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.steering import AnswerQuestions, hold_for_answers
from elcano.graphs.mode_choice import MODES, can_choose_mode
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.state import ResearchState
from elcano.subjects.research.agents.clarifier import QuestionsBack, ask_back

GRAPH = add_clarifying_step(MODES["simple"])
QUESTIONS = QuestionsBack.model_validate(
    {
        "questions": [
            {"question": "For  whom?", "options": ["Adults", "Adults", "Children", *"abcdef"], "recommended": "Old"},
            {"question": " "},
            {"question": "For whom?"},
            {"question": "Since when?", "options": ["always"]},
            *({"question": f"And {number}?" * 200} for number in range(3)),
        ]
    }
)


def asking() -> Run:
    run = build_initial_run(GRAPH, ask_back(ResearchState(question="What dose?"), QUESTIONS), Limits())
    return hold_for_answers(run)


def refusal(run: Run, **answers: str) -> str:
    return AnswerQuestions(answers=answers).refusal(GRAPH, run, "") or ""


def test_what_is_asked_has_a_form_that_can_be_answered() -> None:
    first, second, *others = asking().state.questions
    assert (first.question, first.recommended) == ("For whom?", "Adults")
    assert first.options == ("Adults", "Children", "a", "b", "c")
    assert (second.id, second.options, second.recommended) == ("q2", (), "")
    assert [one.id for one in others] == ["q3", "q4"]


def test_questions_are_answered_once() -> None:
    run = asking()
    assert run.hold is not None
    assert run.hold.detail == "waiting for answers to 4 questions"
    assert refusal(run, q1="Adults", q9="x") == "the run did not ask q9: its questions are q1, q2, q3, q4"
    stopping = run.model_copy(update={"stopping": Ending(kind="stopped")})
    assert refusal(stopping, q1="Adults") == "the run was stopped and goes to its report"
    assert not refusal(run, q1="Adults")
    answered = AnswerQuestions(answers={"q1": " Adults\n", "q2": "x" * 500}).apply(run)
    assert answered.hold is None
    assert answered.state.question == f"What dose? (Adults; {'x' * 79}\u2026)"
    assert answered.state.background.count("\n- ") == 2
    assert refusal(answered, q1="Children") == "its questions were answered or skipped already"
    assert hold_for_answers(answered) is answered


def test_skipped_questions_leave_no_trace_in_the_question() -> None:
    skipped = AnswerQuestions().apply(asking())
    assert (skipped.hold, skipped.state.question, skipped.state.background) == (None, "What dose?", "")
    assert [one.answer for one in skipped.state.questions] == [""] * 4


def test_the_step_that_asks_changes_nothing_else() -> None:
    assert refusal(build_initial_run(GRAPH, ResearchState(question="What?"), Limits())).startswith(
        "the run asks nothing"
    )
    for mode in MODES.values():
        assert without_clarifying_step(add_clarifying_step(mode)) == mode
    assert can_choose_mode(add_clarifying_step(MODES["auto"]))
    assert not can_choose_mode(GRAPH)
