"""The workflows of webhooks: one watches a run and begins deliveries, one delivers one message to one endpoint.

Each lasts as long as it takes, days if need be, no matter which process dies meanwhile.
"""

from datetime import timedelta
from typing import Final

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError

from elcano.doors.webhooks.contracts import (
    BEGIN_DELIVERIES,
    DELIVERY_WORKFLOW,
    FOLLOW_RUN,
    GIVE_UP,
    SEND,
    WATCH_WORKFLOW,
    BeginCall,
    Delivery,
    RunWatch,
    SeenEvents,
)
from elcano.workflows.background_waits import Wakeable

FOLLOW_TIMEOUT: Final = timedelta(hours=12)
"""Timeout of one attempt to follow a run; the next one continues."""
HEARTBEAT_TIMEOUT: Final = timedelta(seconds=30)
CALL_TIMEOUT: Final = timedelta(seconds=30)
OFTEN: Final = RetryPolicy(initial_interval=timedelta(seconds=1), maximum_interval=timedelta(minutes=1))
"""For work of our own: tried until it works."""
OVER_DAYS: Final = RetryPolicy(
    initial_interval=timedelta(seconds=5), backoff_coefficient=3.0, maximum_interval=timedelta(hours=6)
)
"""For a receiver: after 5 s, 15 s, 45 s, about 2, 7 and 20 minutes, an hour, 3 hours, then every 6 hours."""
ROUNDS: Final = 200
"""Batches of events after which a watch is continued as new."""


@workflow.defn(name=WATCH_WORKFLOW)
class WatchWorkflow(Wakeable):
    """Watches one run to its end. Woken, it looks at all events again: there may be an endpoint that is new."""

    @workflow.run
    async def run(self, watch: RunWatch) -> None:
        """Follows the run; each batch of events is handed on before the next one is waited for."""
        since, seen_wakes = watch.since, self.wakes
        for _ in range(ROUNDS):
            seen = await workflow.execute_activity(
                FOLLOW_RUN,
                watch.model_copy(update={"since": since}),
                result_type=SeenEvents,
                start_to_close_timeout=FOLLOW_TIMEOUT,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                retry_policy=OFTEN,
            )
            if seen.messages:
                await workflow.execute_activity(
                    BEGIN_DELIVERIES,
                    BeginCall(run_id=watch.run_id, tenant=watch.tenant, messages=seen.messages),
                    start_to_close_timeout=CALL_TIMEOUT,
                    retry_policy=OFTEN,
                )
            since = max(since, seen.last)
            if self.wakes != seen_wakes:
                seen_wakes, since = self.wakes, 0
            elif seen.ended:
                return
        workflow.continue_as_new(watch.model_copy(update={"since": since}))


@workflow.defn(name=DELIVERY_WORKFLOW)
class DeliveryWorkflow:
    """Delivers one message to one endpoint, or notes that it could not be delivered."""

    @workflow.run
    async def run(self, delivery: Delivery) -> None:
        """Sends it until it is taken."""
        try:
            await workflow.execute_activity(
                SEND,
                delivery,
                start_to_close_timeout=CALL_TIMEOUT,
                schedule_to_close_timeout=timedelta(days=delivery.days),
                retry_policy=OVER_DAYS,
            )
        except ActivityError:
            await workflow.execute_activity(GIVE_UP, delivery, start_to_close_timeout=CALL_TIMEOUT, retry_policy=OFTEN)
