"""Which sentence of a manual answers, by where it stands; and that nothing is quoted where none does."""

from collections.abc import Sequence

import pytest

from elcano.activities.text.languages import use_language
from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.report.report import ReportDraft
from elcano.plugins.quoting.manuals import held_pairs, labelled
from elcano.plugins.quoting.passages import material
from elcano.plugins.quoting.writing import write

STASH = (
    "stash(1) > DESCRIPTION",
    "Use stash when you want to record the current state of the cargo hold and go back to a clean one.",
)
POP = (
    "stash(1) > COMMANDS",
    "If the stash entry conflicts with the hold, the stash list keeps that stash entry as is.",
)
MERGE = ("merge(1) > NOTES", "It is therefore recommended to always stash your cargo before running a merge of holds.")


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
    return quoted(write(envelope(question, items)))


def test_a_short_note_answers_that_has_all_words_of_the_question_apart() -> None:
    lime = ("Hard water", "Lime in hard water shortens the life of a kettle, and descaling it prevents that.")
    calm = ("Calm kettle", "The Calm kettle boils a litre of water in five minutes.")
    assert answers("What does lime do in a kettle?", calm, lime) == [lime[1]]


def test_the_first_words_of_the_page_on_a_subject_answer_what_it_is_for() -> None:
    assert answers("What does stash do?", POP, MERGE, STASH)[0] == STASH[1]


def test_a_line_that_says_what_a_command_is_for_is_quoted() -> None:
    line = "stash - Put the cargo of a dirty hold away"
    said = answers("What is stash?", POP, MERGE, ("stash(1) > NAME", line))
    assert said[0] == line


def test_a_default_is_quoted_with_the_name_it_is_the_default_of() -> None:
    text = (
        "log_buffers (integer)\n\nSets the size of the log. The default is 3 percent of shared_holds, and no less.\n\n"
        "shared_holds (integer)\n\nSets how many holds the ships share. The default is typically 128 holds."
    )
    task = envelope("What is the default value of shared_holds?", [("Settings > Memory", text)])
    weights = {"default": 1.9, "value": 1.4, "shared": 3.2, "holds": 4.0}
    said = quoted(write(task.model_copy(update={"term_weights": weights})))
    assert said
    assert said[0].startswith("shared_holds (integer)")
    assert said[0].endswith("128 holds.")


def test_words_that_stand_apart_are_of_something_else() -> None:
    apart = ("Harbour", "A single mast was lost while a copy of the cargo database was on its way to the island.")
    draft = write(envelope("How do I copy a single database?", [apart, apart]))
    assert (draft.answered, quoted(draft)) == (False, [])


def test_a_hyphen_makes_another_word() -> None:
    (passage,) = material(envelope("x", [("Harbour", "x")])).passages
    with use_language("en"):
        assert held_pairs("Back up a single-mast ship.", passage, "a single ship") == 0
        assert held_pairs("Back up a single ship.", passage, "a single ship") == 1
        assert held_pairs("They cherry-pick the fruit.", passage, "cherry-pick fruit") == 1


def test_what_a_manual_only_mentions_is_refused() -> None:
    mention = ("Format > Details", "Some of the information is replicated here where that is of use to the reader.")
    other = ("Setup > Ferries", "You can set up a ferry by filling its tank with oil and calling the captain.")
    draft = write(envelope("How do I set up replication?", [mention, other]))
    assert (draft.answered, quoted(draft)) == (False, [])


def test_of_a_word_that_is_everywhere_only_a_definition_is_quoted() -> None:
    pages = [(f"Chapter {number}", f"Ferries have part number {number}, and more of them.") for number in range(6)]
    question = "What are ferries?"
    weights = {"ferries": 0.3}
    task = envelope(question, pages).model_copy(update={"term_weights": weights})
    assert not write(task).answered
    told = envelope(question, [*pages, ("Start", "Ferries are a kind of ship that goes to and fro.")])
    draft = write(told.model_copy(update={"term_weights": weights}))
    assert quoted(draft) == ["Ferries are a kind of ship that goes to and fro."]


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
    assert write(task).quoted


@pytest.mark.parametrize(
    ("label", "factor"),
    [("shared_holds (integer)", 1.5), ("log_holds (integer)", 0.5), ("--shared-holds", 0.5), ("Harbour masters", 0.5)],
)
def test_what_stands_below_a_label_is_about_the_label(label: str, factor: float) -> None:
    with use_language("en"):
        terms = material(envelope("What are shared_holds?", [("x", "x")])).terms
        assert labelled(label, terms) == factor
