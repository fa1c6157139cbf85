"""Which of two sentences with the question's words answers it."""

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.plugins.quoting.passages import material
from elcano.plugins.quoting.planning import anchor
from elcano.plugins.quoting.scoring import Candidate, candidates

QUESTION = "How do ferry engines work?"


def ranked(*items: tuple[str, str], question: str = QUESTION, background: str = "") -> list[Candidate]:
    """Candidates from passages given as title and text."""
    evidence = tuple(
        EvidenceItem(key=f"e{number}", title=title, locator="page.md", text=text)
        for number, (title, text) in enumerate(items, start=1)
    )
    given = material(TaskEnvelope(kind="writer", question=question, background=background, evidence=evidence))
    return candidates(given, given.terms, question, anchor(question, given))


def best(*texts: str, question: str = QUESTION, background: str = "") -> str:
    return ranked(*(("Page", text) for text in texts), question=question, background=background)[0].text


def test_who_only_repeats_the_question_tells_nothing() -> None:
    told = "Ferry engines burn heavy oil, turn a shaft and drive two large screws."
    assert best("The ferry has ferry engines.", told) == told


def test_repeating_a_word_in_one_sentence_earns_nothing() -> None:
    one, thrice = (
        ranked(("Page", "Ferry engines burn oil, coal, wood and gas.")),
        ranked(("Page", "Ferry engines burn ferry oil, ferry coal and gas.")),
    )
    assert thrice[0].score <= one[0].score


def test_a_page_called_after_the_subject_goes_first() -> None:
    text = "Large engines of a ferry burn heavy oil and turn a shaft."
    first, second = ranked(("Harbours", text), ("Ferry engines", text + " "))
    assert (first.passage, second.passage) == (1, 0)
    assert first.score > second.score


def test_a_subject_that_is_named_elsewhere_in_the_passage_counts_less() -> None:
    inside = "Ferry engines burn oil and turn a shaft."
    (near,) = [one for one in ranked(("Page", inside)) if one.text == inside]
    away = "Ferry is a word.\n\nTheir engines burn oil and turn a shaft."
    far = next(one for one in ranked(("Page", away)) if "Their" in one.text)
    assert near.score > far.score


def test_what_the_question_wants_is_heard_in_the_wording() -> None:
    why = "Why do ferry engines stop?"
    reason = "Ferry engines stop because cold oil blocks the long pipes."
    assert best("Ferry engines stop with cold oil in the long pipes.", reason, question=why) == reason


def test_a_list_answers_what_is_possible() -> None:
    listed = "Ferry engines can burn the following kinds of fuel:\n\n* heavy oil from a tank;\n\n* coal from a mine."
    text = "Ferry engines can burn many kinds of fuel from mines and tanks."
    assert best(text, listed, question="What can and cannot be burnt by ferry engines?") == listed


def test_a_section_prefers_what_speaks_of_the_question_that_it_is_a_part_of() -> None:
    aside = "Engines were painted green by hand in the old days."
    bearing = "Engines of a ferry take turns with sails in strong wind."
    context = "The whole question: How do ferry engines and sails share the work?"
    asked = "What should one know about engines?"
    alone = {one.text: one.score for one in ranked(("Page", aside), ("Page", bearing), question=asked)}
    beside = {
        one.text: one.score for one in ranked(("Page", aside), ("Page", bearing), question=asked, background=context)
    }
    assert beside[aside] < alone[aside]
    assert beside[aside] / beside[bearing] < alone[aside] / alone[bearing]


def test_code_is_quoted_to_who_asks_how_to_do_something() -> None:
    text = "You can tell the ferry to wait by sending the harbour one line:\n\n$ ferry wait --hours 2"
    assert [one.text for one in ranked(("Page", text), question="How do I make a ferry wait?")] == [text]
    assert ranked(("Page", text), question="Why does a ferry wait?") == []
