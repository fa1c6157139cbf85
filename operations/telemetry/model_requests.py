"""A span of every request to a model, as pydantic-ai makes them: which model was asked, and what it used."""

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import TracerProvider
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel

from elcano.activities.calls.models import Observe


def build_model_observer(provider: TracerProvider, *, contents: bool) -> Observe:
    """Build the observer with spans around the requests of a model; `contents`: include prompts and answers.

    Tokens are measured by the kernel, so the measurements of the library are left out.
    """
    how = InstrumentationSettings(
        tracer_provider=provider,
        meter_provider=NoOpMeterProvider(),
        include_content=contents,
        include_binary_content=False,
        include_model_request_parameters=False,
    )

    def observe(model: Model) -> Model:
        return InstrumentedModel(model, how)

    return observe
