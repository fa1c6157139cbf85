"""How a model is named: `offline`, `provider:name`, or several of these separated by commas, tried in order.

Only the form is checked here, so that a run with a mistyped name is refused before it starts. Whether a key is set and
the provider knows the name is found out by whoever calls it.
"""

from difflib import get_close_matches
from typing import Final

OFFLINE: Final = "offline"
"""The extractive model: no key, no network, quotes only."""

PROVIDERS: Final = frozenset(
    {
        "alibaba",
        "anthropic",
        "azure",
        "bedrock",
        "cerebras",
        "cohere",
        "deepseek",
        "fireworks",
        "google",
        "google-cloud",
        "groq",
        "heroku",
        "huggingface",
        "mistral",
        "moonshotai",
        "nebius",
        "ollama",
        "openai",
        "openai-chat",
        "openai-responses",
        "openrouter",
        "ovhcloud",
        "sambanova",
        "together",
        "vercel",
        "vllm",
        "xai",
        "zai",
    }
)
"""Providers by pydantic-ai's names. `openai` is OpenAI's Responses API, `openai-chat` chat completions."""


def model_names(text: str) -> tuple[str, ...]:
    """The models of a fallback list, in the order in which they are tried; a single name is a list of one."""
    return tuple(name.strip() for name in text.split(","))


def model_fault(text: str) -> str | None:
    """What is wrong with a model's name and what to write instead; None if its form is right."""
    names = model_names(text)
    if OFFLINE in names[:-1]:
        return f"in {text!r} `offline` must come last: it always answers, so no model after it would be asked"
    for name in names:
        provider, separator, model = name.partition(":")
        if name == OFFLINE:
            continue
        if not separator or not model.strip():
            return f"{name!r} is not a model: write `offline` or `provider:name`, such as `openai:gpt-5.1`"
        if provider not in PROVIDERS:
            near = get_close_matches(provider, PROVIDERS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "one of: " + ", ".join(sorted(PROVIDERS))
            return f"{provider!r} in {name!r} is not a known provider; {hint}"
    return None
