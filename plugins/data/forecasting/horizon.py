"""Finds how many values to forecast: as requested, as far as back-tests allow, or usual for the frequency.

A back-test hides as many values as are forecast, twice, from different days on. So a horizon asks for a history, and
what is too short for it is refused with the number that it would take.
"""

from datetime import datetime
from typing import Final, NoReturn

from elcano.graphs.text import format_count
from elcano.plugins.data.forecast_models import LONGEST_HORIZON, ForecastInput
from elcano.plugins.data.forecasting.frequencies import PERIODS, parse_moment_cell
from elcano.plugins.data.forecasting.series import Series
from elcano.plugins.data.forecasting.series_columns import build_forecast_refusal

LEAST_KNOWN: Final = 8
"""Values that a model has to know before its first forecast."""
LEAST_SEASONS: Final = 2
"""Seasons that it has to know as well, where there are seasons."""
_MONTHS: Final = {"years": 12, "quarters": 3, "months": 1}
_HOURS: Final = {"weeks": 168, "days": 24, "hours": 1}
_STEP_MONTHS: Final = {"yearly": 12, "quarterly": 3, "monthly": 1}
_STEP_HOURS: Final = {"weekly": 168, "daily": 24, "hourly": 1}
_MONTH_HOURS: Final = 730.485
"""On average, for spans in months of series in weeks, days or hours."""


def season_of(made: Series, ahead: int) -> tuple[int, tuple[str, ...]]:
    """Values that make up a season, and a note if the usual season cannot be seen.

    A year of weeks takes more than two years; a shorter series in weeks is taken to have no season.
    """
    season = made.period.season
    if made.period.frequency == "weekly" and len(made.values) < LEAST_SEASONS * season + ahead + 1:
        return 1, ("Fewer than two years of weeks before the back-test, so yearly seasonality is ignored.",)
    if made.period.frequency in ("daily", "hourly"):
        return season, (f"Only {'weekly' if season == 7 else 'daily'} seasonality is modelled, not yearly.",)
    return season, ()


def least_known(season: int) -> int:
    """Values that a model has to know before its first forecast."""
    return max(LEAST_KNOWN, LEAST_SEASONS * season if season > 1 else 0)


def choose_horizon(made: Series, given: ForecastInput) -> tuple[int, int, tuple[str, ...]]:
    """Values ahead, values of a season, and notes.

    Raises:
        Refused: the history is too short, or the horizon too far or past.
    """
    asked = _compute_asked_steps(made, given)
    season, notes = season_of(made, asked or made.period.ahead)
    least, count = least_known(season), len(made.values)
    room = min((count - least - 1), LONGEST_HORIZON)
    if room < 1 or (asked or 0) > room:
        _raise_horizon_refusal(made, asked, least, season, room)
    if asked is not None:
        return asked, season, notes
    usual = made.period.ahead
    if usual <= room:
        return usual, season, notes
    return (
        room,
        season,
        (
            *notes,
            f"The series is short, so the forecast covers {format_count(room, made.period.one)} instead of {usual}.",
        ),
    )


def _raise_horizon_refusal(made: Series, asked: int | None, least: int, season: int, room: int) -> NoReturn:
    count, one, wanted = len(made.values), made.period.one, asked or 1
    if wanted > LONGEST_HORIZON:
        raise build_forecast_refusal(
            "horizon", f"{wanted:,} {one}s ahead are too many: at most {LONGEST_HORIZON:,} can be forecast."
        )
    needed = least + wanted + 1
    seasons = f" ({LEAST_SEASONS} seasons of {season})" if season > 1 else ""
    text = (
        f"the series has {count} values, but forecasting {format_count(wanted, one)} ahead needs at least "
        f"{needed}: {least}{seasons} to start from and {wanted + 1} to test on."
    )
    text += f" Ask for at most {format_count(room, one)}." if room >= 1 else ""
    raise build_forecast_refusal("too_short", text, needed=needed)


def _compute_asked_steps(made: Series, given: ForecastInput) -> int | None:
    if given.until:
        return _count_steps_until(made, given.until)
    if given.horizon is None:
        return None
    if given.span == "periods":
        return given.horizon
    frequency = made.period.frequency
    if frequency in _STEP_MONTHS:
        months = given.horizon * _MONTHS[given.span] if given.span in _MONTHS else None
        steps = (given.horizon * _HOURS[given.span] / _MONTH_HOURS if months is None else months) / _STEP_MONTHS[
            frequency
        ]
    else:
        hours = given.horizon * (_HOURS.get(given.span) or _MONTHS[given.span] * _MONTH_HOURS)
        steps = hours / _STEP_HOURS[frequency]
    return max(1, round(steps))


def _count_steps_until(made: Series, until: str) -> int:
    """Return the number of steps up to the end of the named period."""
    moment = parse_moment_cell(until)
    if moment is None:
        text = f"{until!r} is not a date: write `2027`, `2027-Q2`, `2027-06` or `2027-06-30`."
        raise build_forecast_refusal("horizon", text)
    end = _find_end_of_moment(moment.at, moment.form.name)
    last = made.moments[-1]
    steps = made.period.ordinal(end) - made.period.ordinal(last)
    while steps > 0 and steps <= LONGEST_HORIZON and made.ahead(steps)[-1] > end:
        steps -= 1
    if steps < 1:
        raise build_forecast_refusal(
            "horizon", f"the series already extends to {made.name(last)}: ask for a later date."
        )
    return steps


def _find_end_of_moment(at: datetime, form: str) -> datetime:
    """Return the last moment of the named period."""
    frequency = {"year": "yearly", "quarter": "quarterly", "month": "monthly", "week": "weekly", "date": "daily"}.get(
        form
    )
    if frequency is None:
        return at
    (period,) = (one for one in PERIODS if one.frequency == frequency)
    try:
        return period.after(at, 1, ends=False) - datetime.resolution
    except (OverflowError, ValueError):
        return datetime.max
