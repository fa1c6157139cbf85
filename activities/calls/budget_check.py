"""The least that a request takes, and the message for one that the budget does not allow."""

from elcano.activities.calls.usage import estimated_tokens
from elcano.graphs.contracts import AgentCall
from elcano.graphs.rules import PROMPT_TOKENS
from elcano.graphs.state.budget import Allowance, Estimate, Exhausted


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
