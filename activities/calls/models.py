"""Which model answers: a run's choice before the worker's setting, an agent's exception before the default.

Models are made once per name and shared by all calls. Provider SDKs make one HTTP request per call and never retry by
themselves; Temporal does. Keys are read by the providers from their usual variables.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.settings import ModelSettings

from elcano.activities.offline.model import ExtractiveModel
from elcano.graphs.contracts import ModelChoice
from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import OFFLINE, chosen_model, model_fault, model_names
from elcano.settings import Settings

SET_ELSEWHERE: Final = "or choose another model with `ELCANO_MODEL` or the run's `model`"

Resolve: TypeAlias = Callable[[ModelChoice, str, Settings], Model]
"""From a run's choice, an agent and the worker's settings to the model that answers: `resolve_model`, or a test's."""


def resolve_model(choice: ModelChoice, agent: str, settings: Settings) -> Model:
    """The model that `agent` calls in a run with this choice.

    Raises:
        ModelRefused: its name, its provider's key or its provider's package is missing; the text says what to do.
    """
    return _model(model_text(choice, agent, settings))


def model_text(choice: ModelChoice, agent: str, settings: Settings) -> str:
    """The name of the model, or the fallback list, before it is resolved."""
    return chosen_model(agent, choice, ModelChoice(default=settings.model, by_agent=settings.agent_models))


def may_answer_offline(text: str) -> bool:
    """Whether the extractive model is among the models that `text` names."""
    return OFFLINE in model_names(text)


def call_settings(settings: Settings) -> ModelSettings:
    """What every call is made with: one HTTP request, and a deadline for the whole of it."""
    return ModelSettings(max_retries=0, request_timeout=settings.model_timeout_seconds)


@lru_cache(maxsize=64)
def _model(text: str) -> Model:
    if (fault := model_fault(text)) is not None:
        raise ModelRefused(fault)
    models = [_single(name) for name in model_names(text)]
    return models[0] if len(models) == 1 else FallbackModel(models[0], *models[1:])


def _single(name: str) -> Model:
    if name == OFFLINE:
        return ExtractiveModel()
    try:
        return infer_model(name)
    except UserError as error:
        raise ModelRefused(f"The model {name!r} cannot be used: {error}; {SET_ELSEWHERE}.") from error
    except ImportError as error:
        raise ModelRefused(f"The model {name!r} needs a package: {error}; {SET_ELSEWHERE}.") from error
