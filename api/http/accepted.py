"""The response to a request that acts on a running run."""

from typing import Final

from pydantic import Field

from elcano.api.http.budgets import Described

RUN_ID: Final = "default-01kb1q3yw5v7c8m2n4p6r8t0vx"


class Accepted(Described):
    """The run accepted the request."""

    run_id: str = Field(examples=[RUN_ID])
    """The run."""
