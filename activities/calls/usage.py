"""What calls of a model really used, from its own responses, also of a run that failed; what guards further ones.

Prices are those of genai-prices, rounded up to a millionth of a dollar. Where a provider reports no usage, characters
/ 4 is taken and marked as an estimate.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.usage import RequestUsage

from elcano.graphs.contracts import AgentCall
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.rules import CHARACTERS_PER_TOKEN, PROMPT_TOKENS
from elcano.graphs.state.budget import Allowance, Estimate, Exhausted, Usage, microusd_from_usd, sum_usages
from elcano.storage.store import TenantStore

MOST_TOKENS: Final = 100_000_000
"""Maximum tokens of one request; a larger report is invalid."""


class SpendingGuard(Protocol):
    """Lets requests to models pass, beside the budget of their run: such as a quota (`Plugin.spending_guards`)."""

    async def claim(self, store: TenantStore, call: AgentCall, claim: str, estimate: Estimate) -> None:
        """Let the next request of a conversation pass, which is taken to use `estimate`.

        What the call used before is in the ledger, or claimed by another of its conversations. A second claim of the
        same name replaces the first.

        Raises:
            BudgetExhausted: it may not be made; the run then reports what it has.
            ModelBusy: it may be made later.
        """
        ...

    async def release(self, store: TenantStore, call: AgentCall, claims: Sequence[str]) -> None:
        """Drop claims: what their conversations used is in the ledger."""
        ...


def usage_of(messages: Sequence[ModelMessage]) -> Usage:
    """The usage of all responses among `messages`."""
    return sum_usages(
        _of_response(message, messages[:position])
        for position, message in enumerate(messages)
        if isinstance(message, ModelResponse)
    )


def broken_off(response: ModelResponse, before: Sequence[ModelMessage]) -> Usage:
    """Return the usage of an answer that broke off: an estimate by its length, or the provider's report if higher."""
    least = _estimate_request_usage(response, before)
    reported = response.usage
    used = RequestUsage(
        input_tokens=max(least.input_tokens, reported.input_tokens),
        output_tokens=max(least.output_tokens, reported.output_tokens),
    )
    return _of_response(replace(response, usage=used), before).model_copy(update={"estimated": True})


def _estimate_request_usage(response: ModelResponse, before: Sequence[ModelMessage]) -> RequestUsage:
    return RequestUsage(
        input_tokens=estimated_tokens(sum(_count_message_characters(message) for message in before)),
        output_tokens=estimated_tokens(_count_message_characters(response)),
    )


def last_written(messages: Sequence[ModelMessage]) -> int:
    """Tokens of the last response, its thoughts too, as its provider counted them; 0 if it did not or there is none."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    return responses[-1].usage.output_tokens if responses else 0


def _of_response(response: ModelResponse, before: Sequence[ModelMessage]) -> Usage:
    reported = response.usage
    tokens = reported.input_tokens + reported.output_tokens
    estimated = bool(reported.unmeasured_requests) or not 0 < tokens <= MOST_TOKENS
    if estimated:
        reported = _estimate_request_usage(response, before)
    cost = _compute_cost_microusd(replace(response, usage=reported))
    return Usage(
        requests=1,
        input_tokens=reported.input_tokens,
        output_tokens=reported.output_tokens,
        cost_microusd=cost or 0,
        unpriced_requests=int(cost is None),
        estimated=estimated,
    )


def _compute_cost_microusd(response: ModelResponse) -> int | None:
    """Millionths of a dollar; None if there is no known price."""
    if response.provider_name == OFFLINE:
        return 0
    if response.model_name is None:
        return None
    try:
        return microusd_from_usd(response.cost().total_price)
    except LookupError:
        return None


def _count_message_characters(message: ModelMessage) -> int:
    if isinstance(message, ModelRequest):
        parts = sum(len(str(getattr(part, "content", ""))) for part in message.parts)
        return parts + len(message.instructions or "")
    return sum(
        len(part.args_as_json_str() if isinstance(part, ToolCallPart) else part.content)
        for part in message.parts
        if isinstance(part, ToolCallPart | TextPart | ThinkingPart)
    )


def estimated_tokens(characters: int) -> int:
    """Estimate the tokens of this many characters."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def prompt_tokens(prompt: str) -> int:
    """Estimate the tokens of a user prompt, including the instructions and the output schema around it."""
    return PROMPT_TOKENS + estimated_tokens(len(prompt))


def too_little(call: AgentCall, left: Allowance, least: Estimate, refused: Exhausted) -> str:
    """Why a request was not made, for the person who may raise the limit."""
    if refused == "tokens":
        rest = f"{left.tokens:,} tokens are left, and another request takes at least {least.tokens:,}"
    else:
        rest = f"{left.cost_microusd:,} millionths of a dollar are left of the cost that is allowed"
        rest += f", and another request takes about {least.cost_microusd:,}" if least.cost_microusd else ""
    return f"the budget of {refused} does not allow another request of {call.agent!r}: {rest}"
