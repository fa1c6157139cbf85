"""Plans without a model: the question's own parts first, and never a section on something else."""

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.subjects.quoting.planning import parse_question, plan_report
from elcano.subjects.research.agents.planner import ReportPlanSection

QUESTION = "How does Temporal survive a crash?"


def item(number: int, heading: str, text: str, title: str = "Handbook") -> EvidenceItem:
    return EvidenceItem(key=f"e{number}", title=title, heading=heading, locator="page.md", text=text)


def planned(question: str, *items: EvidenceItem, most: int = 8) -> tuple[ReportPlanSection, ...]:
    return plan_report(
        TaskEnvelope(kind="planner", question=question, evidence=items, max_sections=most)
    ).report_outline


def titles(sections: tuple[ReportPlanSection, ...]) -> list[str]:
    return [section.title for section in sections]


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        (QUESTION, "iterative"),
        ("pancakes", "iterative"),
        ("How does it survive a crash, and how are activities retried?", "deep"),
        ("What does Temporal offer: workflows, activities and schedules?", "deep"),
        ("Compare SQLite and PostgreSQL", "deep"),
        ("Give me an overview of durable execution", "deep"),
        ("Analyse the market for pancakes", "deep"),
    ],
)
def test_breadth_asks_for_deep_research(question: str, mode: str) -> None:
    assert parse_question(TaskEnvelope(kind="input_parser", question=question)).research_mode == mode


def test_a_question_is_parsed_into_its_names_and_parts() -> None:
    parsed = parse_question(
        TaskEnvelope(kind="input_parser", question="What is Temporal Cloud and how does  it retry?")
    )
    assert parsed.original_query == "What is Temporal Cloud and how does  it retry?"
    assert parsed.improved_query == "What is Temporal Cloud and how does it retry?"
    assert parsed.key_entities == ("Temporal", "Cloud", "retry")
    assert parsed.research_questions == ("What is Temporal Cloud", "how does it retry")


@pytest.mark.parametrize("question", [QUESTION, "pancakes"])
def test_without_evidence_the_question_is_the_only_section(question: str) -> None:
    (only,) = planned(question)
    assert only.title.casefold() == question.rstrip("?").casefold()
    assert only.key_question == question


def test_each_of_six_parts_is_a_section_that_names_the_subject() -> None:
    question = (
        "What is Temporal, how does it replay, how are activities retried, when do timers fire, "
        "who operates the server and why is history kept?"
    )
    sections = planned(question, item(1, "", "Temporal keeps history."))
    assert len(sections) == 6
    assert all("temporal" in section.key_question.lower() for section in sections)
    assert len(planned(question, most=4)) == 4


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("To whom do retries belong, and when is a budget checked?", "when is a budget checked?"),
        ("How does Temporal retry, and when is a budget checked?", "Temporal: when is a budget checked?"),
    ],
)
def test_a_part_with_a_subject_of_its_own_is_asked_for_alone(question: str, asked: str) -> None:
    found = [item(1, "", "Retries belong to Temporal.", "Retries"), item(2, "", "A budget is checked.", "Budgets")]
    assert planned(question, *found)[1].key_question == asked


def test_a_list_after_a_colon_is_the_outline() -> None:
    sections = planned(
        "What does Temporal offer: workflows, activities and schedules?", item(1, "", "Temporal is fine")
    )
    assert titles(sections)[1:] == ["Workflows", "Activities", "Schedules"]
    assert sections[2].key_question == "What should one know about activities (Temporal)?"


def test_headings_that_share_a_word_fill_up_the_outline_once_each() -> None:
    text = "Temporal workers survive a crash of the machine. After a crash Temporal replays the history."
    sections = planned(
        QUESTION,
        item(1, "Handbook > Crash recovery", text),
        item(2, "Handbook > 3. Crash Recovery", text),
        item(3, "Handbook > Recovery after a crash", text),
        item(4, "Handbook > Workers > Crashing on purpose", text),
        item(5, "Handbook > Timeouts", text),
        item(6, "Handbook > Contributing", text),
    )
    assert titles(sections) == [QUESTION.rstrip("?"), "Crash recovery", "Crashing on purpose"]
    assert all("Temporal" in section.key_question for section in sections)
    assert sections[2].key_question == "What should one know about Crashing on purpose (Temporal)?"


def test_a_heading_on_something_else_is_no_section() -> None:
    sections = planned(
        QUESTION,
        item(
            1,
            "Handbook > Crash recovery",
            "Temporal's workers survive a crash of theirs. Workflows of Temporal survive a crash as well.",
        ),
        item(2, "Cooking > Pancakes in a crash course", "Pancakes survive a crash course in cooking."),
        item(3, "Handbook > Weather", "Temporal was not made for the weather."),
    )
    assert titles(sections) == [QUESTION.rstrip("?"), "Crash recovery"]


def test_a_heading_without_sentences_on_the_question_is_no_section() -> None:
    sections = planned(
        QUESTION, item(1, "Handbook > Crash recovery", "Temporal is fine. Timers fire when they are due.")
    )
    assert titles(sections) == [QUESTION.rstrip("?")]


def test_doings_in_a_row_are_no_sections() -> None:
    question = "What speeds up reading and writing files?"
    assert titles(planned(question)) == [question.rstrip("?")]


def test_sections_are_told_the_question_that_they_are_a_part_of() -> None:
    several, one = "What is a queue, and what is a worker?", "What is a queue?"
    told = [plan_report(TaskEnvelope(kind="planner", question=text)).background_context for text in (several, one)]
    assert told == [f"The whole question: {several}", ""]


def test_what_is_done_to_a_thing_is_no_subject_of_the_next_part() -> None:
    found = planned(
        "What survives when a worker is killed, and how is money counted?",
        item(
            1, "Killed workers", "When a worker is killed, its calls go on. What was killed survives. Killed, killed."
        ),
        item(2, "Money", "Money is counted in millionths of a dollar by each worker."),
    )
    assert not any("Killed:" in f"{one.title} {one.key_question}" for one in found)
