"""Which of two sentences with the question's words answers it."""

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.subjects.quoting.passages import read_material
from elcano.subjects.quoting.sentence_choice import Candidate, score_sentences

QUESTION = "How do ferry engines work?"


def ranked(*items: tuple[str, str], question: str = QUESTION, background: str = "") -> list[Candidate]:
    """Candidates from passages given as title and text."""
    evidence = tuple(
        EvidenceItem(key=f"e{number}", title=title, locator="page.md", text=text)
        for number, (title, text) in enumerate(items, start=1)
    )
    given = read_material(TaskEnvelope(kind="writer", question=question, background=background, evidence=evidence))
    return score_sentences(given, question, given.terms)


def best(*texts: str, question: str = QUESTION, background: str = "") -> str:
    return ranked(*(("Page", text) for text in texts), question=question, background=background)[0].text


def test_repeating_a_word_in_one_sentence_earns_nothing() -> None:
    one, thrice = (
        ranked(("Page", "Ferry engines burn oil, coal, wood and gas.")),
        ranked(("Page", "Ferry engines burn ferry oil, ferry coal and gas.")),
    )
    assert thrice[0].score <= one[0].score


def test_code_is_quoted_with_the_words_that_announce_it() -> None:
    text = "You can tell the ferry to wait by sending the harbour one line:\n\n$ ferry wait --hours 2"
    assert [one.text for one in ranked(("Page", text), question="How do I make a ferry wait?")] == [text]
