"""The activity of looks: what the API asks outside any run, done by the function that the look names."""

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel
from temporalio import activity

from elcano.activities.calls.failures import classify_failure
from elcano.activities.calls.heartbeat import send_heartbeats
from elcano.activities.services import Services
from elcano.graphs.catalogue.looks import LOOK, LOOKS, LookCall
from elcano.graphs.registry import resolve_function


class LookActivities:
    """The activity `look`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @activity.defn(name=LOOK)
    async def look(self, call: LookCall) -> BaseModel:
        """Does one look.

        Raises:
            ApplicationError: there is no such look here, or what is looked at is away.
        """
        async with send_heartbeats():
            try:
                spec = LOOKS[call.look]
                run: Callable[[Services, Any], Awaitable[BaseModel]] = resolve_function(spec.run)
                return await run(self._services, spec.input.model_validate(call.asked))
            except Exception as error:
                raise classify_failure(error) from None
