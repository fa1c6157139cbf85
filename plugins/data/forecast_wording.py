"""Forecasts in words: the same figures everywhere, each interval with how well it would have held in the past."""

from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import ensure_list, format_count
from elcano.plugins.data.models.forecast import MODEL_WORDS, ForecastDigest, IntervalCheck

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
        f"It was continued for {format_count(digest.horizon, _STEPS[digest.frequency])} by "
        f"{MODEL_WORDS[digest.model]}.",
        digest.reason,
        f"In the back-test, from {' and '.join(digest.origins)} on, {checks}.",
        *(f"{MODEL_WORDS[score.model]} was left out: {score.left_out}." for score in digest.scores if score.left_out),
        *digest.notes,
    ]
    return " ".join(sentences)


def describe_interval_check(check: IntervalCheck) -> str:
    """What an interval was worth, in a clause."""
    share = 100 * check.covered / check.count
    return f"the {check.level} % interval held {check.covered} of {check.count} values ({share:.0f} %)"


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
