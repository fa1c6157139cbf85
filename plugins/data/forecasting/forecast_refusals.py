"""How the parts of a forecast say that there is none."""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.plugins.data.models.forecast import ForecastRefusal, RefusalReason

NAMED: Final = 12
"""Of moments and rows, so many are named; the others are counted."""
MESSAGE_CHARACTERS: Final = 2_000
"""Names of columns may be long."""


class Refused(Exception):
    """This series is not forecast; `refusal` is the answer."""

    def __init__(self, refusal: ForecastRefusal) -> None:
        self.refusal = refusal.model_copy(update={"message": shorten_text(refusal.message, MESSAGE_CHARACTERS)})
        super().__init__(self.refusal.message)


def build_forecast_refusal(
    reason: RefusalReason, message: str, *, needed: int | None = None, moments: Iterable[str] = (), lasting: bool = True
) -> Refused:
    """One reason."""
    return Refused(
        ForecastRefusal(
            reasons=(reason,), message=message, needed=needed, moments=tuple(moments)[:NAMED], lasting=lasting
        )
    )


def format_first_names(names: Iterable[object]) -> str:
    """The first names with commas, and how many more there are."""
    every = [str(name) for name in names]
    more = len(every) - NAMED
    return ", ".join(every[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
