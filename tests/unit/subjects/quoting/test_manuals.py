"""Which sentence of a manual answers, by where it stands; and that nothing is quoted where none does."""

from collections.abc import Sequence

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.report.report import ReportDraft
from elcano.subjects.quoting.report_writing import write_report


def envelope(question: str, items: Sequence[tuple[str, str]]) -> TaskEnvelope:
    evidence = tuple(
        EvidenceItem(
            key=f"e{number}",
            title=heading.split(" > ")[0],
            heading=heading,
            locator=f"page{number}.html",
            text=text,
        )
        for number, (heading, text) in enumerate(items, start=1)
    )
    return TaskEnvelope(kind="writer", question=question, evidence=evidence)


def quoted(draft: ReportDraft) -> list[str]:
    return [claim.text for claim in draft.claims]


def answers(question: str, *items: tuple[str, str]) -> list[str]:
    return quoted(write_report(envelope(question, items)))


def test_a_short_note_answers_that_has_all_words_of_the_question_apart() -> None:
    lime = ("Hard water", "Lime in hard water shortens the life of a kettle, and descaling it prevents that.")
    calm = ("Calm kettle", "The Calm kettle boils a litre of water in five minutes.")
    assert answers("What does lime do in a kettle?", calm, lime) == [lime[1]]


def test_what_a_manual_only_mentions_is_refused() -> None:
    mention = ("Format > Details", "Some of the information is replicated here where that is of use to the reader.")
    other = ("Setup > Ferries", "You can set up a ferry by filling its tank with oil and calling the captain.")
    draft = write_report(envelope("How do I set up replication?", [mention, other]))
    assert (draft.answered, quoted(draft)) == (False, [])


def test_who_asks_how_reads_what_to_type() -> None:
    text = "You can tell the ferry to wait by sending the harbour one line:\n\n$ ferry wait --hours 2"
    said = answers(
        "How do I make a ferry wait?", ("Ferry > Waiting", text), ("Ferry > Fares", "A ferry has fares, too.")
    )
    assert said == [text]


def test_names_of_constants_are_no_sentence() -> None:
    names = ("Constants", "- FERRY_ENGINE_START_DELAY\n\n- FERRY_ENGINE_STOP_DELAY")
    assert answers("What is a ferry engine?", names, names) == []


@pytest.mark.parametrize(
    "text", ["", " ", "# \n\n-", ":" * 5_000, "a_" * 3_000, "- " * 3_000, "é" * 4_000, "\u202e\0x:"]
)
def test_whatever_stands_below_a_heading_is_read(text: str) -> None:
    task = envelope("How do I make a ferry wait in the harbour?", [("Ferry", text), ("Ferry", f"{text}:\n\n{text}")])
    assert write_report(task).quoted
