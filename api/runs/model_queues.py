"""Where a run's calls of models wait: in the queue of their provider where its rate is set, else in that of all.

The workflow has to know when it makes a call, and knows no settings, so it is told when it starts. Whoever names a
provider that no worker calls is told before the run, instead of by a run that waits for one.
"""

import asyncio

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.api.runs.model_keys import field_of
from elcano.api.temporal.client import Temporal
from elcano.graphs.checks.callees import list_callees
from elcano.graphs.contracts import ModelChoice
from elcano.graphs.model_names import chosen_model, provider_of, with_own
from elcano.graphs.providers import model_queue
from elcano.graphs.run_contracts import ResearchInput
from elcano.settings import Settings


async def assign_model_queues(asked: ResearchInput, temporal: Temporal, settings: Settings) -> ResearchInput:
    """The same input, which says of each agent whose provider's queue its calls wait in.

    Raises:
        RequestInvalid: workers run, and none of them calls a provider that is needed.
        TemporalUnavailable: the server does not answer.
    """
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    called = {
        (agent, model): provider
        for agent, own, model in list_callees(asked.graph)
        if (provider := provider_of(model or chosen_model(agent, with_own(asked.models, agent, own), server)))
        in settings.model_rates
    }
    if called and await temporal.worker_polls():  # else the run waits for any worker, as every run does
        served = dict.fromkeys(called.values())
        polled = await asyncio.gather(*(temporal.queue_is_polled(model_queue(provider)) for provider in served))
        idle = {provider for provider, there in zip(served, polled, strict=True) if not there}
        faults = {
            (field_of(agent, asked.models, model), provider): FieldFault(
                field=field_of(agent, asked.models, model),
                message=f"no worker calls models of {provider!r}: none polls the task queue {model_queue(provider)!r}. "
                "Set the provider's key where a worker runs and start that again, or choose another model",
            )
            for (agent, model), provider in called.items()
            if provider in idle
        }
        if faults:
            raise RequestInvalid(list(faults.values()))
    waiting = {model or agent: provider for (agent, model), provider in called.items()}
    return asked.model_copy(update={"model_providers": waiting})
