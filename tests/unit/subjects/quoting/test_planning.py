"""Parts of a question, gaps, searches and judgements of the extractive model."""

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, OfferedSource, PastIteration, PastSearch, TaskEnvelope
from elcano.subjects.quoting.passages import weigh_terms
from elcano.subjects.quoting.planning import plan_searches
from elcano.subjects.quoting.question_parts import list_compared, split_into_parts
from elcano.subjects.quoting.research_steps import describe_coverage, find_gaps, judge_evidence
from elcano.text.stems import content_words, find_word_stem, list_synonyms
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL

QUESTION = "How does Temporal survive a crash, and how are activities retried?"
WEIGHTS = {"temporal": 3.0, "survive": 5.0, "crash": 4.0, "activities": 2.0, "retried": 4.0}


def task(question: str = QUESTION, *texts: str, **more: object) -> TaskEnvelope:
    evidence = tuple(
        EvidenceItem(key=f"e{number}", title=f"Page {number}", locator="page.md", text=text)
        for number, text in enumerate(texts, start=1)
    )
    base = TaskEnvelope(kind="judge", question=question, evidence=evidence, term_weights=WEIGHTS)
    return TaskEnvelope.model_validate({**base.model_dump(), **more})


def searched(*queries: str, source: str = "docs") -> tuple[PastIteration, ...]:
    searches = tuple(PastSearch(source=source, query=query, found=1, new=1, failed=False) for query in queries)
    return (PastIteration(number=1, thought="", searches=searches, judgement=""),)


def test_what_was_said_meanwhile_is_a_gap_until_it_was_searched_for() -> None:
    said = "Look at the costs of hosting it."
    steered = task(QUESTION, TEMPORAL, sources=(OfferedSource(name="docs"),), guidance=("Be brief.", said))
    assert find_gaps(steered).outstanding_gaps[0] == said
    judged = judge_evidence(steered.model_copy(update={"new_evidence": 0}))
    assert (judged.sufficient, judged.recommendation) == (False, "continue")
    assert said in judged.reasoning
    chosen = plan_searches(steered.model_copy(update={"conversation": searched("temporal crash"), "gap": "temporal"}))
    assert [query.query for query in chosen.tasks] == ["temporal", "temporal look costs hosting", "temporal brief"]
    heeded = steered.model_copy(update={"conversation": searched("temporal look costs hosting", "temporal brief")})
    assert said not in find_gaps(heeded).outstanding_gaps
    assert judge_evidence(heeded.model_copy(update={"new_evidence": 0})).recommendation == "synthesize"


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (QUESTION, ("How does Temporal survive a crash", "how are activities retried")),
        ("What is a worker? When does it stop?", ("What is a worker", "When does it stop")),
        ("What is a queue, what is a worker and why are both needed?", ("What is a queue", "what is a worker")),
        (
            "What is the difference between asyncio, threads and processes in Python?",
            ("asyncio", "threads", "processes"),
        ),
        ("SQLite vs PostgreSQL for small shops", ("SQLite", "PostgreSQL")),
        ("Compare flour and eggs.", ("flour", "eggs")),
        ("How are salt and pepper stored?", ("How are salt and pepper stored",)),
        ("pancakes", ("pancakes",)),
        ("?", ("?",)),
    ],
)
def test_a_question_is_taken_apart(question: str, parts: tuple[str, ...]) -> None:
    assert split_into_parts(question) == parts


def test_a_question_that_no_mark_ends_is_read_once() -> None:
    """Read from each of its letters on, it would take longer than a test may."""
    assert split_into_parts("x" * 500_000) == ("x" * 500_000,)
    assert split_into_parts("?? What is a tide? and so on") == ("What is a tide",)


def test_question_words_tell_nothing() -> None:
    assert content_words("What are the main differences, and how does one use the workers' queues?") == (
        "workers",
        "queues",
    )


def test_words_of_one_kin_and_both_spellings_are_one() -> None:
    assert len({find_word_stem(word) for word in ("unsafe", "security", "malicious")}) == 1
    assert find_word_stem("serialised") == find_word_stem("serializing")
    assert find_word_stem("safe") != find_word_stem("clean")
    assert list_synonyms("cleanup") == ("clean", "cleans")
    assert list_synonyms("serialise") == ("serialize",)
    assert list_synonyms("queue") == ()


def test_forms_of_a_word_are_one() -> None:
    assert len({find_word_stem(word) for word in ("retry", "retries", "retried")}) == 1
    assert len({find_word_stem(word) for word in ("activity", "activities")}) == 1


def test_without_weights_from_a_source_rare_words_weigh_more() -> None:
    terms = weigh_terms("rare common absent", {}, [{"common", "rare"}, {"common"}, {"common"}])
    assert terms.weights["absent"] > terms.weights["rare"] > terms.weights["common"] > 0


def test_a_word_that_stands_for_its_kin_weighs_no_more_than_usual() -> None:
    terms = weigh_terms("unsafe harbours", {"unsafe": 9.0, "harbours": 3.0}, [])
    assert (terms.weights[find_word_stem("unsafe")], terms.weights[find_word_stem("harbours")]) == (6.0, 3.0)


def test_a_word_that_no_source_knows_weighs_as_much_as_the_rarest() -> None:
    terms = weigh_terms("known unknown", {"known": 2.0, "other": 7.0}, [])
    assert terms.weights[find_word_stem("unknown")] == 7.0


def test_the_first_searches_ask_for_the_question_and_its_parts() -> None:
    made = plan_searches(task(gap=QUESTION, sources=(OfferedSource(name="docs"), OfferedSource(name="wiki"))))
    assert [(one.source, one.query) for one in made.tasks] == [
        ("docs", "temporal survive crash activities retried"),
        ("wiki", "temporal survive crash activities retried"),
        ("docs", "temporal survive crash"),
        ("wiki", "temporal survive crash"),
        ("docs", "temporal activities retried"),
        ("wiki", "temporal activities retried"),
    ]


def test_the_first_searches_also_ask_in_other_words_and_beside_the_context() -> None:
    asked = task(
        "Why is it unsafe?",
        gap="Why is it unsafe?",
        background="Be brief.\nThe whole question: What is Temporal, and why is it unsafe?",
        sources=(OfferedSource(name="docs"),),
    )
    queries = [one.query for one in plan_searches(asked).tasks]
    assert queries[0] == "unsafe"
    assert any({"secure", "untrusted"} <= set(query.split()) for query in queries)
    assert "unsafe temporal" in queries
    assert not any("brief" in query for query in queries)


def test_later_searches_close_the_gap_and_repeat_nothing() -> None:
    begun = task(
        gap="how are activities retried: nothing on retried",
        sources=(OfferedSource(name="docs"),),
        conversation=searched("temporal survive crash"),
    )
    assert [one.query for one in plan_searches(begun).tasks] == ["temporal activities retried"]
    suggested = begun.model_copy(update={"suggested_queries": ("crash survive temporal", "backoff temporal")})
    assert [one.query for one in plan_searches(suggested).tasks] == ["temporal activities retried", "backoff temporal"]


def test_searches_for_a_gap_in_another_language_have_no_english_words() -> None:
    begun = task(
        "图灵机是什么\uff1f",
        gap="图灵机是什么: nothing on 图灵",
        sources=(OfferedSource(name="docs"),),
        conversation=searched("图灵机"),
    )
    assert [one.query for one in plan_searches(begun).tasks] == ["图灵机是什么: 图灵"]


def test_with_nothing_new_to_ask_no_search_is_planned() -> None:
    made = plan_searches(
        task(
            gap="how are activities retried?",
            sources=(OfferedSource(name="docs"),),
            conversation=searched("Retried activities of Temporal"),
        )
    )
    assert made.tasks == ()


def test_gaps_name_the_part_and_what_is_missing() -> None:
    nothing = find_gaps(task())
    assert nothing.outstanding_gaps == ("How does Temporal survive a crash?", "how are activities retried?")
    some = find_gaps(task(QUESTION, TEMPORAL))
    assert not some.research_complete
    assert some.outstanding_gaps == ("How does Temporal survive a crash: nothing on survive",)


def test_research_is_complete_when_all_parts_are_covered() -> None:
    assert find_gaps(task(QUESTION, TEMPORAL, "Temporal workflows survive a crash.")).research_complete


def test_the_judge_goes_on_while_something_is_missing_and_new_passages_arrive() -> None:
    judged = judge_evidence(task(QUESTION, PANCAKES, new_evidence=1))
    assert (judged.sufficient, judged.coverage, judged.recommendation) == (False, 0.0, "continue")
    assert judged.missing[0] == "survive"


def test_the_judge_gives_up_when_nothing_new_arrives() -> None:
    judged = judge_evidence(task(QUESTION, PANCAKES, new_evidence=0))
    assert (judged.sufficient, judged.recommendation) == (False, "synthesize")


def test_the_judge_suggests_what_was_not_searched_yet() -> None:
    judged = judge_evidence(
        task(QUESTION, "Temporal is fine.", new_evidence=1, conversation=searched("survive temporal"))
    )
    assert judged.next_search_queries[0].startswith("survive")
    assert "survive temporal" not in judged.next_search_queries


def test_thoughts_state_coverage_and_the_missing_words() -> None:
    assert "Nothing has been found" in describe_coverage(task()).thought
    assert "Nothing speaks yet to: survive." in describe_coverage(task(QUESTION, TEMPORAL)).thought
    assert describe_coverage(task(QUESTION, TEMPORAL)).thought.startswith("1 passage from 1 document holds ")
    assert describe_coverage(task(QUESTION, TEMPORAL, "Two.")).thought.startswith("2 passages from 2 documents hold ")
    assert judge_evidence(task(QUESTION, TEMPORAL)).reasoning.startswith("The passage found holds ")
    assert judge_evidence(task(QUESTION, TEMPORAL, "Two.")).reasoning.startswith("The passages together hold ")


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("What is the difference between flour and eggs?", ("flour", "eggs")),
        ("How do I choose between SQLite and PostgreSQL?", ("SQLite", "PostgreSQL")),
        ("How do I replicate between two servers and a laptop?", ()),
        ("Is there a relation between salt and age?", ()),
    ],
)
def test_things_are_compared_after_words_of_comparison_only(question: str, things: tuple[str, ...]) -> None:
    assert tuple(list_compared(question)) == things


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Which data types are there?", "data types"),
        ("How do handlers send records?", "handlers send records"),
    ],
)
def test_few_words_are_searched_with_those_beside_them(question: str, query: str) -> None:
    asked = task(question, gap=question, sources=(OfferedSource(name="docs"),))
    assert plan_searches(asked).tasks[0].query == query
