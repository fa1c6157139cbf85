"""Forecasts: the request, the result, and the reason for a refusal.

A forecast always comes with what it would have been worth before: the error of its model where the history was
known, besides that of repeating the last season. A series that cannot be forecast is refused with its reason, as an
answer that the next node can read; nothing is mended unless it was asked for.
"""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.tools import GivesEvidence
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.text import ensure_list, format_count, shorten_text
from elcano.subjects.data.tables import ResultDigest

Frequency: TypeAlias = Literal["yearly", "quarterly", "monthly", "weekly", "daily", "hourly"]
ModelName: TypeAlias = Literal["seasonal_naive", "theta", "ets", "arima"]
Span: TypeAlias = Literal["periods", "years", "quarters", "months", "weeks", "days", "hours"]
"""The unit of a horizon. `periods`: the steps of the series itself."""
RefusalReason: TypeAlias = Literal[
    "empty",
    "truncated",
    "columns",
    "not_moments",
    "time_zones",
    "missing_values",
    "not_numbers",
    "not_finite",
    "duplicates",
    "irregular",
    "constant",
    "too_short",
    "too_long",
    "horizon",
    "no_model",
    "too_slow",
]

LEVELS: Final = (80, 95)
"""The levels of the intervals, in percent."""
LONGEST_HORIZON: Final = 1_000
MODEL_WORDS: Final[dict[ModelName, str]] = {
    "seasonal_naive": "repeating the last season",
    "theta": "Theta (AutoTheta)",
    "ets": "exponential smoothing (AutoETS)",
    "arima": "ARIMA (AutoARIMA)",
}


class ForecastInput(Frozen):
    """A series in a stored result, and how far it is to be continued."""

    artifact: str = Field(min_length=1, max_length=100)
    """The artifact hash of a `ResultTable` of this tenant."""
    time_column: str = Field(default="", max_length=300)
    """Its name; empty: the one column that holds moments."""
    value_column: str = Field(default="", max_length=300)
    """Its name; empty: the one other column that holds numbers."""
    horizon: int | None = Field(default=None, ge=1, le=100_000)
    """Number of `span`s ahead; None: what is usual for its frequency, or less if the series is short."""
    span: Span = "periods"
    until: str = Field(default="", max_length=40)
    """Instead of a horizon: up to the end of a moment, as `2027`, `2027-Q2`, `2027-06` or `2027-06-30`."""
    models: tuple[ModelName, ...] = Field(default=("seasonal_naive", "theta", "ets", "arima"), min_length=1)
    """Models to choose from."""
    seconds: float = Field(default=15.0, ge=1, le=600, allow_inf_nan=False)
    """For everything together. ARIMA is left out when they do not suffice."""


class ForecastRefusal(Frozen):
    """Why there is no forecast."""

    reasons: Annotated[tuple[RefusalReason, ...], Field(min_length=1)]
    """All that were found at once, each once."""
    message: str
    """The error, its place and its remedy, in sentences."""
    needed: int | None = None
    """For a series that is too short: how many values it needs."""
    moments: tuple[str, ...] = ()
    """The first moments that are missing, or there more than once."""
    lasting: bool = True
    """False: the same call may do better when the machine is less busy."""


NAMED: Final = 12
"""Number of times and rows that are named; the others are counted."""
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


class IntervalCheck(Frozen):
    """Number of values in the interval where the history was known."""

    level: int
    """The claimed level, in percent."""
    covered: int
    count: int
    """The number of values in the back-test."""


class ModelScore(Frozen):
    """Score of a model in the back-test, all origins together; its figures are None if it was left out."""

    model: ModelName
    smape: float | None = None
    """Symmetric mean absolute percentage error, 0 to 200."""
    mase: float | None = None
    """Mean absolute error, in units of that of repeating the last season within the history; None as well if that
    had no error."""
    mae: float | None = None
    """Mean absolute error, in the unit of the values."""
    mae_by_origin: tuple[float, ...] = ()
    """The same at each origin by itself."""
    intervals: tuple[IntervalCheck, ...] = ()
    left_out: str = ""
    """Why it does not count, as a clause without a full stop."""


class ForecastDigest(Frozen):
    """The state's summary of a forecast."""

    table: ResultDigest
    """Its points, as a result of its own: moment, `forecast`, `low_80`, `high_80`, `low_95`, `high_95`."""
    history: str
    """The artifact hash of the `ResultTable` that it continues."""
    time_column: str
    value_column: str
    frequency: Frequency
    season: int = Field(ge=1)
    """Values that make up a season; 1: it was taken to have none."""
    observations: int
    first: str
    last: str
    """The last moment of the history that counts."""
    horizon: int
    """Values ahead."""
    model: ModelName
    reason: str
    """Why it was chosen, in a sentence with figures."""
    scores: tuple[ModelScore, ...]
    """The scores of every requested model."""
    origins: tuple[str, ...]
    """The last moments that the models knew in the back-test."""
    intervals: tuple[IntervalCheck, ...]
    """The intervals of the chosen model."""
    notes: tuple[str, ...] = ()
    """Values left out, filled or assumed, in sentences; shown next to the answer."""
    chart: str = ""
    """The artifact hash of its drawing as a Vega-Lite dict: history, forecast and bands."""


class ForecastWish(Frozen):
    """The wishes for a forecast that a question states; its fields are those of `ForecastInput`."""

    horizon: int | None = None
    """None: it does not say."""
    span: Span = "periods"
    until: str = ""


class ForecastOutput(GivesEvidence):
    """A forecast, or why there is none: one of the two. A refusal is no failure of the node: the next one reads it."""

    forecast: ForecastDigest | None = None
    refused: ForecastRefusal | None = None
    told: str = ""
    """The same in sentences, for the writer of the answer."""


_STEPS = {
    "yearly": "year",
    "quarterly": "quarter",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "hourly": "hour",
}


def describe_forecast(digest: ForecastDigest) -> str:
    """A forecast in sentences, without its points: these are cells of its table."""
    checks = " and ".join(describe_interval_check(check) for check in digest.intervals)
    sentences = [
        f"{digest.value_column} by {digest.time_column} is {digest.frequency}: "
        f"{format_count(digest.observations, 'value')} "
        f"from {digest.first} to {digest.last}.",
        f"It was forecast {format_count(digest.horizon, _STEPS[digest.frequency])} ahead by "
        f"{MODEL_WORDS[digest.model]}.",
        digest.reason,
        f"In the back-test, from {' and '.join(digest.origins)} on, {checks}.",
        *(f"{MODEL_WORDS[score.model]} was left out: {score.left_out}." for score in digest.scores if score.left_out),
        *digest.notes,
    ]
    return " ".join(sentences)


def describe_interval_check(check: IntervalCheck) -> str:
    """Describe the accuracy of an interval, in a clause."""
    share = 100 * check.covered / check.count
    return f"the {check.level} % interval covered {check.covered} of {check.count} values ({share:.0f} %)"


def summarize_forecast(output: JsonObject) -> tuple[str, JsonObject]:
    """A `ForecastOutput` in one sentence, and its figures."""
    refusal, digest = output.get("refused"), output.get("forecast")
    if isinstance(refusal, dict):
        return f"No forecast: {refusal.get('message')}", {"refused": refusal.get("reasons")}
    if not isinstance(digest, dict):
        return "No forecast", {}
    scores = [score for score in ensure_list(digest.get("scores")) if isinstance(score, dict)]
    errors = {str(score.get("model")): score.get("smape") for score in scores}
    model, horizon = str(digest.get("model")), digest.get("horizon")
    naive, own = errors.get("seasonal_naive"), errors.get(model)
    steps = _STEPS.get(str(digest.get("frequency")), "step")
    text = f"{horizon} {steps}s ahead of {digest.get('value_column')} by {model}"
    if isinstance(own, float):
        text += f": off by {own:.1f} % in the back-test"
    if isinstance(naive, float) and model != "seasonal_naive":
        text += f", repeating the last season by {naive:.1f} %"
    return text, {"model": model, "horizon": horizon, "smape": own, "smape_naive": naive}
