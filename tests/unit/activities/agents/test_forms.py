"""A request that was not answered as it was is made in another form, and by the next model of the list after that."""

from collections.abc import Iterable

import pytest

from elcano.activities.calls.request_forms import MOST_CUTS, PLAINER, SHORTER
from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.contracts import AgentResult
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Allowance
from elcano.graphs.state.failures import FailureType
from elcano.storage.store import Store
from tests.loopback import Asked, Reply
from tests.unit.activities.agents.asked import THOUGHT, answered, at, chat, ended, failed, named, refused, service
from tests.unit.activities.agents.material import call, passage, stored

pytestmark = pytest.mark.usefixtures("no_model_keys")

PASSAGES = tuple(passage(number, f"Passage {number} says this. " + "word " * 400) for number in range(1, 9))
WRITING = call("writer", {"question": "Why?", "evidence": [one.id for one in PASSAGES]})


TOO_LONG = refused(400, "context_length_exceeded")


def draft(*keys: str) -> dict[str, object]:
    claims = [{"text": "So it is.", "citations": [{"evidence": key, "quote": "says this"}]} for key in keys]
    return {"title": "Why", "key_findings": claims}


def shown(asked: Asked) -> TaskEnvelope:
    """What a model was shown."""
    prompts = [one["content"] for one in asked.json()["messages"] if one["role"] == "user"]
    task = parse_envelope(prompts[0])
    assert task is not None
    return task


def writers(asked: Iterable[Asked]) -> list[TaskEnvelope]:
    """What the writer was shown, without what it was given back to mend."""
    return [task for one in asked if (task := shown(one)).kind == "writer"]


def told(asked: Asked) -> str:
    """Instructions, as a model was given them."""
    return " ".join(str(one["content"]) for one in asked.json()["messages"] if one["role"] in ("system", "developer"))


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", PASSAGES, [stored(one) for one in PASSAGES])
    return store


async def written(store: Store, result: AgentResult) -> ReportDraft:
    text = await store.of("default").artifacts.get(str(result.output["artifact"]))
    assert text is not None
    return ReportDraft.model_validate_json(text)


async def test_a_prompt_that_is_too_long_is_halved_and_the_reader_is_told(store: Store) -> None:
    model = named("openai-chat")
    with service([TOO_LONG, chat(draft("e1", "e8"))]) as running:
        settings = at(running, "openai-chat")
        result = await answered(store, settings, model, WRITING)
        first, second = writers(running.asked)
        kept = {item.key for item in second.evidence}
        assert len(first.evidence) == len(PASSAGES)
        assert 0 < len(kept) < len(PASSAGES)
        assert second.evidence_left_out == len(PASSAGES) - len(kept)
        report = await written(store, result)
        assert any(f"{second.evidence_left_out} of the passages found" in one for one in report.limitations)
        # what it was not shown it cannot cite: the key stays, and the check of citations will say so
        cited = [one.citations[0].evidence for one in report.key_findings]
        ids = {f"e{number}": one.id for number, one in enumerate(PASSAGES, start=1)}
        assert cited == [ids[key] if key in kept else key for key in ("e1", "e8")]
        # what a model has refused it is not sent again
        running.asked.clear()
        await answered(store, settings, model, WRITING)
        assert [len(task.evidence) for task in writers(running.asked)] == [len(kept)]


async def test_a_conversation_that_became_too_long_says_nothing_of_its_prompt(store: Store) -> None:
    model = named("openai-chat")
    with service([chat({"title": 7}), TOO_LONG, chat(draft("e1"))]) as running:
        settings = at(running, "openai-chat")
        await answered(store, settings, model, WRITING)
        assert len(shown(running.asked[-1]).evidence) < len(PASSAGES)
        running.asked.clear()
        await answered(store, settings, model, WRITING)
        assert [len(shown(one).evidence) for one in running.asked] == [len(PASSAGES)]


async def test_what_no_model_takes_is_a_failure_of_its_own(store: Store) -> None:
    with service([TOO_LONG]) as running:
        failure, details = await failed(store, at(running, "openai-chat"), named("openai-chat"), WRITING)
    assert (failure.type, failure.non_retryable) == (FailureType.PROMPT_TOO_LONG, True)
    sizes = [len(shown(one).evidence) for one in running.asked]
    assert sizes == sorted(sizes, reverse=True)
    assert 2 <= len(sizes) <= MOST_CUTS + 1
    assert details.usage.requests == 0


async def test_the_next_model_is_shown_the_whole_again(store: Store) -> None:
    small, large = named("openai-chat", "small"), named("openai-chat", "large")

    def answering(asked: Asked) -> Reply:
        return TOO_LONG if asked.json()["model"].startswith("small") else chat(draft("e1"))

    with service(answering) as running:
        result = await answered(store, at(running, "openai-chat"), f"{small},{large}", WRITING)
    last = running.asked[-1]
    assert (last.json()["model"], len(shown(last).evidence)) == (large.partition(":")[2], len(PASSAGES))
    assert not (await written(store, result)).limitations


async def test_an_answer_that_was_cut_off_is_asked_for_again_shorter_and_with_more_room(store: Store) -> None:
    with service([ended("length", "", (100, 2_000)), chat(THOUGHT)]) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    first, second = running.asked
    assert SHORTER not in told(first)
    assert SHORTER in told(second)
    assert "max_completion_tokens" not in first.json()
    assert second.json()["max_completion_tokens"] == 8_000
    assert (result.usage.requests, result.usage.output_tokens) == (2, 2_010)
    assert shown(first) == shown(second)


TABLE = "| x | y | z |\n|---|---|---|\n| 1 [a] | 2 [a] | 3 [a] |"
SHORT = f"{TABLE}\n| Total | 3 [a]"
CITED = [{"mark": "a", "evidence": "e1", "quote": "says this"}]


@pytest.mark.parametrize(("reason", "rows"), [("length", TABLE), ("stop", SHORT), ("tool_calls", SHORT)])
async def test_the_last_row_of_an_answer_that_can_be_read_is_left_out_only_if_the_model_reached_its_limit(
    store: Store, reason: str, rows: str
) -> None:
    answer = chat({"title": "Why", "key_findings": SHORT, "citations": CITED}, reason=reason)
    with service(lambda _: answer) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"), WRITING)
    assert [one.text for one in (await written(store, result)).key_findings] == [rows]


@pytest.mark.parametrize(("reason", "last"), [("length", "Said [a] it has not."), ("stop", "This it says [a].")])
async def test_a_repair_within_which_the_model_reached_its_limit_is_not_taken(
    store: Store, reason: str, last: str
) -> None:
    texts = ["So it has not [a].", "Said [a] it has not."]
    wrong = [one | {"quote": "not at all"} for one in CITED]
    mended = [
        {"id": n, "text": text, "citations": CITED} for n, text in ((1, "So it says [a]."), (2, "This it says [a]."))
    ]

    def answering(asked: Asked) -> Reply:
        if shown(asked).kind == "reviser":
            return chat({"blocks": mended}, reason=reason)
        return chat({"title": "Why", "key_findings": "\n\n".join(texts), "citations": wrong})

    with service(answering) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"), WRITING)
    assert [one.text for one in (await written(store, result)).key_findings] == ["So it says [a].", last]


async def test_a_model_that_may_not_write_so_much_is_asked_without(store: Store) -> None:
    replies = [ended("length", "", (100, 2_000)), refused(400, "invalid_value"), chat(THOUGHT)]
    with service(replies) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    assert result.output == THOUGHT
    assert ["max_completion_tokens" in one.json() for one in running.asked] == [False, True, False]
    assert SHORTER in told(running.asked[-1])


async def test_more_room_is_asked_for_only_within_the_allowance(store: Store) -> None:
    asked = call("thinking", {"question": "Why?"}).model_copy(update={"allowance": Allowance(tokens=7_000)})
    with service([ended("length", "", (100, 2_000)), chat(THOUGHT)]) as running:
        await answered(store, at(running, "openai-chat"), named("openai-chat"), asked)
    assert 2_000 < running.asked[1].json()["max_completion_tokens"] < 7_000 - 2_100


async def test_nothing_is_asked_again_that_the_allowance_does_not_pay(store: Store) -> None:
    asked = call("thinking", {"question": "Why?"}).model_copy(update={"allowance": Allowance(tokens=2_500)})
    with service([ended("length", "", (400, 2_050)), chat(THOUGHT)]) as running:
        failure, details = await failed(store, at(running, "openai-chat"), named("openai-chat"), asked)
    assert failure.type == FailureType.BUDGET
    assert len(running.asked) == 1
    assert details.usage.tokens == 2_450


@pytest.mark.parametrize(
    "withheld",
    [ended("content_filter", ""), ended("content_filter", "half an answer")],
    ids=["nothing", "a part"],
)
async def test_a_withheld_answer_is_asked_for_in_plainer_words(store: Store, withheld: Reply) -> None:
    with service([withheld, chat(THOUGHT)]) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    assert result.output == THOUGHT
    assert [PLAINER in told(one) for one in running.asked] == [False, True]


async def test_an_empty_answer_is_told_to_the_model_in_the_same_conversation(store: Store) -> None:
    with service([ended("stop", ""), chat(THOUGHT)]) as running:
        result = await answered(store, at(running, "openai-chat"), named("openai-chat"))
    assert result.output == THOUGHT
    assert len(running.asked[1].json()["messages"]) > len(running.asked[0].json()["messages"])
