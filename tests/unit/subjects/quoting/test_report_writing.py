"""Reports in quotations: literal, on the subject, and silent where the passages are."""

from importlib.metadata import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai import Agent
from pydantic_ai.models import Model

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope, render_task_prompt
from elcano.graphs.errors import ModelRefused
from elcano.graphs.report.report import Claim, ReportDraft
from elcano.subjects.quoting.model import ExtractiveModel
from elcano.subjects.quoting.report_writing import write_report
from elcano.subjects.quoting.sentence_choice import PER_PASSAGE
from elcano.subjects.research.agents.thinking import ThinkingOutput
from elcano.text.phrases import ENGLISH
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL

MANUAL = (
    "Widgets may have children. The method returns the list of all children of a widget. It is safe to call it often."
    "\n\nA dose of caution is needed when a widget is given to another thread."
)


def envelope(question: str, *texts: str) -> TaskEnvelope:
    items = [
        EvidenceItem(key=f"e{number}", title=f"Page {number}", locator="page.md", text=text)
        for number, text in enumerate(texts, start=1)
    ]
    return TaskEnvelope(kind="writer", question=question, evidence=tuple(items))


def claims(draft: ReportDraft) -> list[Claim]:
    return [*draft.key_findings, *(claim for section in draft.sections for claim in section.claims)]


def test_an_answer_is_quoted_with_its_passage() -> None:
    draft = write_report(envelope("How long should pancake batter rest?", TEMPORAL, PANCAKES))
    assert draft.answered
    assert draft.quoted
    first = draft.key_findings[0]
    assert first.text == "Let the batter rest for half an hour before baking."
    assert (first.citations[0].evidence, first.citations[0].quote) == ("e2", first.text)


def test_each_part_of_a_question_is_answered() -> None:
    question = "How does Temporal go on after a crash, and how are activities retried?"
    draft = write_report(envelope(question, TEMPORAL, PANCAKES))
    said = " ".join(claim.text for claim in claims(draft))
    assert "replays the history" in said
    assert "retried by the server" in said
    assert "Pancakes" not in said


@pytest.mark.parametrize(
    "question",
    ["How much ibuprofen is safe for children, and how often can it be given?", "What is the capital of France?"],
)
def test_a_question_on_another_subject_is_not_answered(question: str) -> None:
    draft = write_report(envelope(question, MANUAL, TEMPORAL, PANCAKES))
    assert not draft.answered
    assert claims(draft) == []
    assert draft.limitations[0] == ENGLISH.nothing_holds
    assert any("ibuprofen" in said or "france" in said for said in draft.limitations)


ATTEMPTS = "Retries end when their values are exhausted. The option `when_spent` has two values: `stop` and `wait`."


@pytest.mark.parametrize(
    ("question", "answered"),
    [
        ("Which values can when_spent have?", True),
        ("Which values can `WHEN_SPENT` have?", True),
        ("Which values can when_exhausted have?", False),
        ("Which values can be exhausted?", True),
    ],
)
def test_a_name_of_code_is_not_the_words_that_it_is_made_of(question: str, answered: bool) -> None:
    draft = write_report(envelope(question, ATTEMPTS, PANCAKES))
    assert draft.answered is answered
    assert bool(claims(draft)) is answered


def test_a_part_that_nothing_speaks_to_is_named() -> None:
    draft = write_report(envelope("How are failed activities retried, and which licence has Temporal?", TEMPORAL))
    assert draft.answered
    assert any("licence" in said for said in draft.limitations)


def test_a_part_is_answered_by_what_holds_most_of_it_not_of_all_parts() -> None:
    orlop = "Orlop carries the cargo of large ships. Install Bilge beside it for nice colours of the water in displays."
    bilge = (
        "Bilge turns pumps by steam which a hot boiler makes. Bilge also turns its shaft and pumps slowly in the cold."
    )
    task = envelope("How does Orlop carry cargo, and how does Bilge turn pumps?", orlop, bilge)
    weights = dict.fromkeys(("orlop", "carry", "cargo", "bilge", "turn", "pumps"), 3.0)
    (section,) = write_report(task.model_copy(update={"term_weights": weights})).sections
    assert section.heading == "How does Bilge turn pumps"
    assert [claim.citations[0].evidence for claim in section.claims] == ["e2"]


def test_a_passage_that_shares_some_words_with_the_question_is_not_related_to_its_answer() -> None:
    question = "How are failed activities retried by the server?"
    other = "The server of the restaurant retried the soup, and the activities of the evening began."
    draft = write_report(envelope(question, TEMPORAL, other))
    assert draft.answered
    assert draft.related == ()


def test_without_passages_nothing_is_claimed() -> None:
    draft = write_report(envelope("What is Temporal?"))
    assert (draft.answered, claims(draft), draft.related) == (False, [], ())


def test_what_is_said_twice_is_quoted_once() -> None:
    again = PANCAKES.replace("Pancakes", "Good pancakes")
    texts = [claim.text for claim in claims(write_report(envelope("What are pancakes made of?", PANCAKES, again)))]
    assert sum("flour" in text for text in texts) == 1


def test_a_sentence_that_leans_on_the_one_before_brings_it_along() -> None:
    text = "Ferry is a queue of messages. It keeps every message on disk until it was delivered."
    draft = write_report(envelope("Does Ferry keep messages on disk?", text))
    assert draft.key_findings[0].text == text


def test_other_subjects_with_the_same_words_are_not_quoted() -> None:
    ferry = "Ferry sends messages over the river. Configure Ferry in the harbour file before it leaves."
    other = "Environment variables configure the client. Set the environment variables before the client starts."
    draft = write_report(envelope("Which environment variables configure Ferry?", ferry, other))
    assert all(claim.citations[0].evidence == "e1" for claim in claims(draft))


@given(
    st.lists(st.text(alphabet=st.sampled_from("Temporal crash.\n-*`It"), max_size=200), max_size=4),
    st.text(alphabet=st.sampled_from("Temporal crash? and how "), max_size=60),
)
def test_whatever_is_given_every_claim_is_a_literal_quote(texts: list[str], question: str) -> None:
    _check(envelope(question or "?", *(text or "-" for text in texts)))


@pytest.mark.parametrize("package", ["temporalio", "pydantic", "httpx", "fastapi", "openai"])
@pytest.mark.parametrize("question", ["What is {} and how is it installed?", "How does {} handle errors and retries?"])
def test_real_readmes_are_quoted_literally(package: str, question: str) -> None:
    text = str(metadata(package).json["description"])
    pieces = [text[start : start + 1_500] for start in range(0, min(len(text), 30_000), 1_500)]
    draft = _check(envelope(question.format(package.title()), *pieces))
    for claim in claims(draft):
        assert "```" not in claim.text
        assert "img.shields.io" not in claim.text
        assert not claim.text.startswith(("#", "|"))


def _check(task: TaskEnvelope) -> ReportDraft:
    draft = write_report(task)
    texts = {item.key: item.text for item in task.evidence}
    for claim in claims(draft):
        (cited,) = claim.citations
        assert claim.text == cited.quote
        assert cited.quote in texts[cited.evidence]
    for found in (draft.key_findings, *(section.claims for section in draft.sections)):
        assert all(claim.citations for claim in found)
    counts = [claim.citations[0].evidence for claim in claims(draft)]
    assert all(counts.count(key) <= PER_PASSAGE for key in counts)
    assert set(draft.related) <= set(texts)
    assert write_report(task) == draft
    return draft


async def test_the_model_answers_by_tool_and_as_text() -> None:
    shown = render_task_prompt("Reflect.", TaskEnvelope(kind="thinking", question="Why?"))
    typed = await Agent(ExtractiveModel(), output_type=ThinkingOutput).run(shown)
    text = await Agent(ExtractiveModel()).run(shown)
    assert ThinkingOutput.model_validate_json(text.output) == typed.output


@pytest.mark.parametrize(
    "text",
    [
        "Hello, who are you?",
        render_task_prompt("Do it.", TaskEnvelope(kind="poet", question="A poem, please.")),
        'Do it.\n\n```json\n{"no": "envelope"}\n```',
    ],
)
async def test_the_model_refuses_to_chat(text: str) -> None:
    model: Model = ExtractiveModel()
    with pytest.raises(ModelRefused):
        await Agent(model).run(text)


def test_of_two_sources_of_one_text_the_one_without_markup_is_quoted() -> None:
    plain = "The batter rests in the pantry for half an hour before baking."
    marked = "The [batter](https://example.org/batter) rests in the pantry for half an hour before baking."
    for texts in ((plain, marked), (marked, plain)):
        draft = write_report(envelope("Where does the batter rest before baking?", *texts))
        assert [claim.text for claim in claims(draft)] == [plain]


def test_a_weak_finding_stands_alone_or_not_at_all() -> None:
    strong = "The batter of pancakes rests for half an hour because flour swells slowly."
    weak = "See the pantry, or rest and read this chapter."
    question = "Why does the batter of pancakes rest?"
    assert [claim.text for claim in write_report(envelope(question, strong, weak)).key_findings] == [strong]
