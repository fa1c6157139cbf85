"""What real answers of providers come to, read by each provider's own client: nothing is imitated but the network."""

from typing import NamedTuple

import pytest

from elcano.graphs.state.failures import FailureType
from elcano.storage.store import Store
from tests.loopback import RECORDED, recorded
from tests.unit.activities.agents.asked import at, failed, named, service

pytestmark = pytest.mark.usefixtures("no_model_keys")


class Came(NamedTuple):
    """What comes of one recorded answer, given to each request."""

    type: str
    said: str = ""
    asked: int = 1
    """Requests that are made."""
    usage: tuple[int, int] = (0, 0)
    """Input and output tokens of all of them."""
    wait: float | None = None


CUT = "was cut off before its answer was complete"
NO_FORM = "gave no answer in the form that was asked for"
CASES = [
    ("openai-chat", "openai/error_401_invalid_key.json", Came(FailureType.MODEL_REFUSED, "OPENAI_API_KEY")),
    ("openai-chat", "openai/error_404_model.json", Came(FailureType.MODEL_REFUSED, "there is no such model")),
    ("openai", "openai/error_404_model.json", Came(FailureType.MODEL_REFUSED, "see `/v1/models` of the server")),
    ("openai-chat", "openai/error_429_request_too_large.json", Came(FailureType.PROMPT_TOO_LONG, "Limit 400000")),
    # all 50 tokens were thought: they are paid for, and the second request asks for less and gives more room
    ("openai-chat", "openai/chat_length_empty_content.json", Came(FailureType.MODEL_CUT_OFF, CUT, 2, (26, 100))),
    ("openai-chat", "openai/chat_refusal.json", Came(FailureType.MODEL_DECLINED, "I can't assist", 2, (128, 26))),
    ("openai-chat", "openai/chat_structured_output.json", Came(FailureType.MODEL_OUTPUT, NO_FORM, 3, (276, 45))),
    ("openai-chat", "openai/chat_tool_call.json", Came(FailureType.MODEL_OUTPUT, "get_user_country", 3, (204, 36))),
    ("openai", "openai/responses_incomplete_max_tokens.json", Came(FailureType.MODEL_CUT_OFF, CUT, 2, (28, 100))),
    ("openai", "openai/responses_tool_call.json", Came(FailureType.MODEL_OUTPUT, "get_capital", 3, (120, 54))),
    ("anthropic", "anthropic/error_400_prompt_too_long.json", Came(FailureType.PROMPT_TOO_LONG, "200016 tokens")),
    ("anthropic", "anthropic/error_401.json", Came(FailureType.MODEL_REFUSED, "ANTHROPIC_API_KEY")),
    ("anthropic", "anthropic/message_max_tokens.json", Came(FailureType.MODEL_CUT_OFF, CUT, 2, (30, 100))),
    (
        "anthropic",
        "anthropic/message_parallel_tool_use.json",
        Came(FailureType.MODEL_OUTPUT, "retrieve_entity_info", 3, (1_269, 606)),
    ),
    # Retry-After stands beside a good answer, and means nothing
    (
        "anthropic",
        "anthropic/message_structured_with_rate_headers.json",
        Came(FailureType.MODEL_OUTPUT, NO_FORM, 3, (666, 117)),
    ),
    (
        "openai-chat",
        "other_llm/azure_content_filter_no_message.json",
        Came(FailureType.MODEL_DECLINED, "content_filter", 2, (30, 38)),
    ),
    ("google", "other_llm/gemini_429_quota.json", Came(FailureType.PROVIDER, "your current quota", wait=55)),
    ("openai-chat", "other_llm/gemini_429_quota.json", Came(FailureType.PROVIDER, "your current quota", wait=55)),
    # 35 and 12 are told, 109 in all: the 62 that were thought stand in the total alone
    (
        "openai-chat",
        "other_llm/gemini_compatible_tool_call_without_id.json",
        Came(FailureType.MODEL_OUTPUT, "get_current_time", 3, (3 * 35, 3 * 74)),
    ),
    ("openai-chat", "other_llm/openrouter_429_upstream.json", Came(FailureType.PROVIDER, "Provider returned error")),
    ("mistral", "openai/error_401_invalid_key.json", Came(FailureType.MODEL_REFUSED, "MISTRAL_API_KEY")),
]
NAMES = {"anthropic": "claude-3-5-haiku", "google": "gemini-2.5-flash", "mistral": "mistral-small"}
"""Models whose answers their clients do not insist on streaming."""


@pytest.mark.parametrize(("provider", "name", "came"), CASES, ids=lambda value: str(value).rpartition("/")[2][:40])
async def test_what_comes_of_a_recorded_answer(
    store: Store, monkeypatch: pytest.MonkeyPatch, provider: str, name: str, came: Came
) -> None:
    reply = recorded(name)
    with service([reply]) as running:
        settings = at(running, provider)
        failure, details = await failed(store, settings, named(provider, NAMES.get(provider, "gpt-4o")))
    assert failure.type == came.type
    assert came.said in failure.message
    assert len(running.asked) == came.asked
    assert (details.usage.input_tokens, details.usage.output_tokens) == came.usage
    assert details.retry_after == came.wait
    assert details.usage.requests == (came.asked if came.usage != (0, 0) else 0)
    assert not details.usage.estimated
    (line,) = await store.of("default").ledger.entries("run-1")
    assert line.usage == details.usage


def test_every_recorded_refusal_of_a_model_is_in_the_table() -> None:
    recorded("openai/chat_refusal.json")  # skips where there are none
    folders = [RECORDED / kind for kind in ("openai", "anthropic", "other_llm")]
    found = {f"{one.name}/{path.name}" for one in folders for path in one.glob("*.json")}
    assert found == {name for _, name, _ in CASES}
