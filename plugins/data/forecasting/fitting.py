"""Messages to and from the forecasting process: each covers one model and several ends of the known values.

The two speak JSON lines, so a child that went wrong cannot make its parent run anything. A model that takes too long
ends by an alarm within the child; where there is none, or it is not heard, the parent ends the child.
"""

import contextlib
import json
import os
import select
import signal
import sys
import warnings
from collections.abc import Iterator
from datetime import datetime
from types import FrameType
from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text
from elcano.plugins.data.forecasting.forecast_models import CannotFit, ModelFit, build_forecaster
from elcano.plugins.data.models.forecast import ModelName

IDLE_SECONDS: Final = 600
"""A child that is not asked for so long ends and gives its memory back."""
REASON_CHARACTERS: Final = 300
READY: Final = b"ready\n"
_INSIST: Final = 0.5
"""Seconds between alarms: a library may have caught the first for its own."""


class FitRequest(Frozen):
    """One model, fitted to the first `end` values for each of `ends`."""

    model: ModelName
    values: tuple[float, ...]
    moments: tuple[datetime, ...]
    """Of the values, and `horizon` more."""
    season: int
    ends: tuple[int, ...]
    horizon: int
    seconds: float
    """For all fits together."""


class FitAnswer(Frozen):
    """A fit for each end, or why there is none."""

    fits: tuple[ModelFit, ...] = ()
    failed: str = ""
    """A clause without a full stop."""


class _Late(BaseException):
    """The alarm. No exception of a library, so that what catches those does not catch it."""


def fit_requested_model(request: FitRequest) -> FitAnswer:
    """The answer, by this process; however it fails, the model is left out and it says why."""
    try:
        with _limit_run_seconds(request.seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: what a fit is worth shows in the back-test
            model = build_forecaster(request.model)
            fits = tuple(
                model.forecast(
                    request.values[:end], request.moments[: end + request.horizon], request.season, request.horizon
                )
                for end in request.ends
            )
    except _Late:
        return FitAnswer(failed=describe_fit_timeout(request.seconds))
    except CannotFit as error:
        return FitAnswer(failed=str(error))
    except Exception as error:
        return FitAnswer(failed=shorten_text(f"it failed ({type(error).__name__}: {error})", REASON_CHARACTERS))
    return FitAnswer(fits=fits)


def describe_fit_timeout(seconds: float) -> str:
    """Why a model is left out that took longer."""
    return f"it took longer than the {seconds:.1f} s that there were for it"


@contextlib.contextmanager
def _limit_run_seconds(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: the parent ends the process
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _INSIST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def serve() -> None:
    """Run the child: import, report readiness, and answer requests until the input ends or none comes for too long."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not end up between the answers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import statsforecast.models  # noqa: F401  # now, so that no request waits for it
    answers.write(READY)
    answers.flush()
    while _wait_for_request() and (line := requests.readline()):
        answers.write(
            fit_requested_model(FitRequest.model_validate(json.loads(line))).model_dump_json().encode() + b"\n"
        )
        answers.flush()


def _wait_for_request() -> bool:
    """Whether a request came, or the end of the input, before the child is idle for too long."""
    if sys.platform == "win32":
        return True
    return bool(select.select([sys.stdin], [], [], IDLE_SECONDS)[0])
