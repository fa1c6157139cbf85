"""What to do about a model that refuses: which variable, which page, in a sentence for the person who can mend it.

Pages are the providers' own, as their consoles and manuals name them in 2026. A provider without an entry is named
without a page.
"""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from elcano.graphs.model_names import PROVIDERS

SET_ELSEWHERE: Final = "or choose another model with `ELCANO_MODEL` or the run's `model`"

Remedy: TypeAlias = Literal["key", "credit", "model", "request"]
"""What is wrong: the key, what its account may spend, the model's name, or the request itself."""


@dataclass(frozen=True)
class ProviderPages:
    """Where a provider keeps what may have to be mended."""

    keys: str
    billing: str
    models: str


PAGES: Final = {
    "openai": ProviderPages(
        keys="https://platform.openai.com/api-keys",
        billing="https://platform.openai.com/settings/organization/billing",
        models="https://platform.openai.com/docs/models",
    ),
    "anthropic": ProviderPages(
        keys="https://platform.claude.com/settings/keys",
        billing="https://platform.claude.com/settings/billing",
        models="https://platform.claude.com/docs/en/about-claude/models/overview",
    ),
    "google": ProviderPages(
        keys="https://aistudio.google.com/apikey",
        billing="https://ai.google.dev/gemini-api/docs/billing",
        models="https://ai.google.dev/gemini-api/docs/models",
    ),
    "mistral": ProviderPages(
        keys="https://console.mistral.ai/api-keys",
        billing="https://console.mistral.ai/billing",
        models="https://docs.mistral.ai/getting-started/models",
    ),
    "openrouter": ProviderPages(
        keys="https://openrouter.ai/settings/keys",
        billing="https://openrouter.ai/settings/credits",
        models="https://openrouter.ai/models",
    ),
    "groq": ProviderPages(
        keys="https://console.groq.com/keys",
        billing="https://console.groq.com/settings/billing",
        models="https://console.groq.com/docs/models",
    ),
    "deepseek": ProviderPages(
        keys="https://platform.deepseek.com/api_keys",
        billing="https://platform.deepseek.com/top_up",
        models="https://api-docs.deepseek.com/quick_start/pricing",
    ),
}
_LOCAL: Final = {"ollama": "`ollama pull` it where the server runs", "vllm": "see `/v1/models` of the server"}


HOSTS: Final = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}
"""Where providers are asked whose way of speaking other servers have, too."""


def format_remedy_advice(remedy: Remedy, provider: str, *, own_address: bool = False) -> str:
    """What to do, as the end of a sentence; `provider` by pydantic-ai's name.

    A server of one's own that speaks as the provider does is told of on none of the provider's pages.
    """
    pages = ProviderPages("", "", "") if own_address else PAGES.get(provider, ProviderPages("", "", ""))
    if remedy == "key":
        keys = [name for name in PROVIDERS.get(provider, ()) if not name.endswith("_URL")]
        variables = " or ".join(keys) or "the key"
        return (
            f"set {variables} to a key that holds{_format_page_hint(pages.keys)}, and start the workers again with it"
        )
    if remedy == "credit":
        return f"add credit or raise the limit{_format_page_hint(pages.billing)}, {SET_ELSEWHERE}"
    if remedy == "model":
        look = (
            _LOCAL.get("vllm" if own_address else provider) or f"see which there are{_format_page_hint(pages.models)}"
        )
        return f"correct its name, or the address it is asked at ({look}), {SET_ELSEWHERE}"
    return f"the same request can never be answered; choose another model{_format_page_hint(pages.models)}"


def _format_page_hint(page: str) -> str:
    return f" ({page})" if page else ""
