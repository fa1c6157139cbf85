"""Names of models: `offline`, `provider:name`, or several of these separated by commas, tried in order.

Only the form is checked here, so that a run with a mistyped name is refused before it starts. Code with access to the
environment checks the key, and the call itself shows whether the provider knows the name.
"""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.graphs.host_names import is_private_address
from elcano.graphs.plugin import find_model
from elcano.graphs.spec.own_agent import OwnAgent

OFFLINE: Final = "offline"
"""The extractive model: no key, no network, quotes only."""

OPENAI: Final = ("openai", "openai-chat", "openai-responses")
"""The providers whose models are OpenAI's, or those of a server that speaks as it does."""

PROVIDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "alibaba": ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY",),
    "azure-responses": ("AZURE_OPENAI_API_KEY",),
    "bedrock": (),
    "bedrock-mantle": (),
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("CO_API_KEY",),
    "crusoe": ("CRUSOE_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks": ("FIREWORKS_API_KEY",),
    "github-copilot": ("GITHUB_COPILOT_API_KEY", "GITHUB_COPILOT_API_TOKEN", "COPILOT_GITHUB_TOKEN"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "google-cloud": (),
    "groq": ("GROQ_API_KEY",),
    "heroku": ("HEROKU_INFERENCE_KEY",),
    "huggingface": ("HF_TOKEN",),
    "meta": ("META_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "moonshotai": ("MOONSHOTAI_API_KEY",),
    "nebius": ("NEBIUS_API_KEY",),
    "ollama": ("OLLAMA_BASE_URL",),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openai-chat": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openai-responses": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openrouter": ("OPENROUTER_API_KEY",),
    "ovhcloud": ("OVHCLOUD_API_KEY",),
    "sambanova": ("SAMBANOVA_API_KEY",),
    "snowflake": ("SNOWFLAKE_TOKEN",),
    "together": ("TOGETHER_API_KEY",),
    "vercel": ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
    "vllm": ("VLLM_BASE_URL",),
    "xai": ("XAI_API_KEY",),
    "zai": ("ZAI_API_KEY",),
}
"""The providers of language models by pydantic-ai's names, each with the variables that it reads.

A provider cannot be called without any of its variables; a server of your own needs no key, only its address. A
provider without variables here finds its credentials in other ways. `openai` is OpenAI's Responses API, `openai-chat`
chat completions. A test compares the table with the installed pydantic-ai.
"""

MODEL_HOSTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(OPENAI, "api.openai.com"),
    "alibaba": "dashscope-intl.aliyuncs.com",
    "anthropic": "api.anthropic.com",
    "cerebras": "api.cerebras.ai",
    "cohere": "api.cohere.com",
    "deepseek": "api.deepseek.com",
    "fireworks": "api.fireworks.ai",
    "google": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
    "moonshotai": "api.moonshot.ai",
    "nebius": "api.studio.nebius.com",
    "openrouter": "openrouter.ai",
    "sambanova": "api.sambanova.ai",
    "together": "api.together.xyz",
    "vercel": "ai-gateway.vercel.sh",
    "xai": "api.x.ai",
    "zai": "api.z.ai",
}
"""The hosts of providers that are asked at one address unless the operator sets another one."""


class ModelChoice(Frozen):
    """The models that answer: one for all agents, and exceptions by agent name. Empty: the worker's setting."""

    default: str = ""
    """`offline`, a provider string (`openai:gpt-5.1`), or several separated by commas: a fallback list."""
    by_agent: dict[str, str] = {}

    def find_model(self, agent: str) -> str:
        """The model, or the fallback list, of an agent: its own, or that for all; empty if neither is set."""
        return self._find_own(agent) or self.default

    def find_models(self, callees: Iterable[tuple[str, OwnAgent | None, str]]) -> list[str]:
        """The models of agents, custom or built in, whose nodes may name one; empty for those without any."""
        return [by_node or self.with_own(agent, own).find_model(agent) for agent, own, by_node in callees]

    def _find_own(self, agent: str) -> str:
        """The model for one agent alone; a custom agent is found without its version too."""
        return self.by_agent.get(agent) or self.by_agent.get(agent.partition("@")[0]) or ""

    def with_own(self, name: str, agent: OwnAgent | None) -> "ModelChoice":
        """The choice for a call of `name`: a custom agent's model takes precedence over that for all agents."""
        if agent is None or not agent.model or self._find_own(name):
            return self
        return self.model_copy(update={"by_agent": {**self.by_agent, name: agent.model}})


def chosen_model(agent: str, run: ModelChoice, server: ModelChoice) -> str:
    """The model, or the fallback list, that `agent` calls: a run's choice goes before the server's."""
    return run.find_model(agent) or server.find_model(agent)


def list_fallbacks(agents: Iterable[str], named: Iterable[str], server: ModelChoice) -> list[tuple[str, ...]]:
    """The fallback list of each agent: the one that is named for it, or the server's."""
    return [model_names(text or server.find_model(agent)) for agent, text in zip(agents, named, strict=True)]


def list_name_faults(choice: ModelChoice) -> dict[str, str]:
    """The faults of the models that a run names, by the field of its request."""
    named = {f"model.by_agent.{agent}": text for agent, text in choice.by_agent.items()}
    if choice.default:
        named["model.default"] = choice.default
    faults: dict[str, str] = {}
    for field, text in named.items():
        if (fault := model_fault(text)) is not None:
            faults[field] = fault
    return faults


def parse_model_provider(name: str) -> str:
    """The provider of a single model, by pydantic-ai's name."""
    return name.partition(":")[0]


def provider_of(text: str) -> str:
    """The provider of the first model of a fallback list, by pydantic-ai's name; empty for `offline`."""
    first = model_names(text)[0]
    return "" if first == OFFLINE else parse_model_provider(first)


def address_of(name: str, base_url: str, urls: Mapping[str, str]) -> str:
    """Return the address of the model `name` if it is not its provider's own; empty: it is.

    Args:
        name: a single model, `provider:name`.
        base_url: the address for the models of `openai`, `openai-chat` and `openai-responses`.
        urls: by a provider, or by the beginning of a model's name with its provider; the longest match takes precedence
            over the others, and all take precedence over `base_url`.
    """
    of_provider = parse_model_provider(name)
    fitting = [key for key in urls if (name.startswith(key) if ":" in key else key == of_provider)]
    if fitting:
        return urls[max(fitting, key=len)]
    return base_url if of_provider in OPENAI else ""


_SELF_HOSTED: Final = ("ollama", "vllm")


def is_free_of_charge(name: str, base_url: str, urls: Mapping[str, str], private_hosts: Collection[str]) -> bool:
    """Whether a model without a known price costs nothing: a plugin's own, or one of a server in a private network.

    `name`, `base_url` and `urls` are those of `address_of`, `private_hosts` those of `ELCANO_PRIVATE_HOSTS`.
    """
    if find_model(name) is not None:
        return True
    address = address_of(name, base_url, urls)
    if address:
        return is_private_address(address, private_hosts)
    return parse_model_provider(name) in _SELF_HOSTED


def model_names(text: str) -> tuple[str, ...]:
    """The models of a fallback list, in the order in which they are tried; a single name is a list of one."""
    return tuple(name.strip() for name in text.split(","))


def find_unknown_providers(names: Iterable[str], variable: str) -> str | None:
    """Explain unknown ones among providers that a setting names; None if all are known."""
    unknown = [name for name in names if name not in PROVIDERS]
    if not unknown:
        return None
    return f"`{variable}` names {', '.join(map(repr, unknown))}; there are: {', '.join(sorted(PROVIDERS))}"


def model_fault(text: str) -> str | None:
    """Explain the fault of a model's name and its correction; None if its form is right."""
    names = model_names(text)
    if OFFLINE in names[:-1]:
        return f"in {text!r} `offline` must come last: it always answers, so no model after it would be asked"
    for name in names:
        provider, separator, model = name.partition(":")
        if find_model(name) is not None:
            continue
        if name == OFFLINE:
            return f"`{OFFLINE}` is the model of the plugin `quoting`, which is left out: name a language model"
        if not separator or not model.strip():
            return f"{name!r} is not a model: write `offline` or `provider:name`, such as `openai:gpt-5.1`"
        if provider not in PROVIDERS:
            near = get_close_matches(provider, PROVIDERS, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "one of: " + ", ".join(sorted(PROVIDERS))
            return f"{provider!r} in {name!r} is not a known provider; {hint}"
    return None
