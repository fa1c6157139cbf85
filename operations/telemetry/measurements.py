"""The instruments of this process, with labels of few values, and the recorder of what the kernel measures.

A label's value that a stranger chooses (a model, an agent of a graph) could make a series of its own each time. So each
label of a process has a limited number of values; those beyond are `other`. Tenants, users and runs are no labels.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import model_names
from elcano.measures import Measure
from elcano.operations.telemetry import names
from elcano.operations.telemetry.names import METRICS, Metric
from elcano.settings import Settings

MOST_VALUES: Final = 60
"""Values of one label that a process distinguishes, besides those that it knows from the start."""
LONGEST_VALUE: Final = 80
OTHER: Final = "other"

OF_MEASURE: Final[Mapping[Measure, Metric]] = {
    "tokens": names.TOKENS,
    "cost_usd": names.COST,
    "provider_wait": names.PROVIDER_WAIT,
    "provider_refusal": names.PROVIDER_REFUSALS,
    "citations": names.CITATIONS,
    "statements": names.STATEMENTS,
    "stream_lag": names.STREAM_LAG,
    "object_seconds": names.OBJECT_DURATION,
}


class BoundedValues:
    """The values of one label: those known from the start, and the first `MOST_VALUES` others."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = set(known)
        self._most = len(self._known) + MOST_VALUES
        self._lock = threading.Lock()

    def limit(self, value: str) -> str:
        """Return the value, or `other`."""
        if value in self._known:
            return value
        with self._lock:
            if len(value) > LONGEST_VALUE or not value.isprintable() or len(self._known) >= self._most:
                return OTHER
            self._known.add(value)
        return value


class Instruments:
    """All instruments, by the table in `names`."""

    def __init__(self, provider: MeterProvider, settings: Settings) -> None:
        meter = provider.get_meter(names.SCOPE)
        self._gauges: dict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
        self._recording: dict[str, Callable[[float, dict[str, str]], None]] = {}
        for metric in METRICS:
            name, unit, description = metric.name, metric.unit, metric.description
            match metric.kind:
                case "counter":
                    self._recording[name] = meter.create_counter(name, unit, description).add
                case "histogram":
                    self._recording[name] = meter.create_histogram(name, unit, description).record
                case "gauge":
                    meter.create_observable_gauge(name, [self._observe_gauge(metric)], unit, description)
        self._bounds = defaultdict(
            BoundedValues,
            mode=BoundedValues(MODES),
            agent=BoundedValues(AGENTS),
            name=BoundedValues((*AGENTS, *TOOLS)),
            model=BoundedValues(_list_configured_models(settings)),
            provider=BoundedValues(SOURCES),
        )

    def record(self, metric: Metric, value: float, labels: Mapping[str, str]) -> None:
        """Add to a counter, or record into a histogram."""
        self._recording[metric.name](value, self.bound_labels(labels))

    def set_gauge(self, metric: Metric, values: Mapping[tuple[str, ...], float]) -> None:
        """Replace all values of a gauge; each key has the values of the metric's labels, in their order."""
        self._gauges[metric.name] = {
            tuple(self.bound_labels(dict(zip(metric.labels, key, strict=True))).values()): value
            for key, value in values.items()
        }

    def bound_labels(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Return the labels with values of which there are few."""
        return {name: self._bounds[name].limit(value) for name, value in labels.items()}

    def _observe_gauge(self, metric: Metric) -> Any:
        def observe(options: CallbackOptions) -> Iterable[Observation]:
            for key, value in self._gauges[metric.name].items():
                yield Observation(value, dict(zip(metric.labels, key, strict=True)))

        return observe


class KernelRecorder:
    """Records the measures of the kernel; verdicts on citations are events of the current span too."""

    def __init__(self, instruments: Instruments) -> None:
        self._instruments = instruments

    def record(self, measure: Measure, value: float, labels: Mapping[str, str]) -> None:
        """Record one value."""
        self._instruments.record(OF_MEASURE[measure], value, labels)
        if measure in ("citations", "statements"):
            (verdict,) = labels.values()
            trace.get_current_span().add_event(
                names.EVALUATION_EVENT,
                {
                    names.EVALUATION_NAME: measure,
                    names.EVALUATION_SCORE: value,
                    names.EVALUATION_LABEL: verdict,
                },
            )


def measure_statements(instruments: Instruments) -> None:
    """Measure how long each statement takes in the database, for all engines of this process."""

    @event.listens_for(Engine, "before_cursor_execute")
    def begin(connection: Connection, *_: object) -> None:
        connection.info["elcano_began"] = time.monotonic()

    @event.listens_for(Engine, "after_cursor_execute")
    def end(connection: Connection, cursor: object, statement: str, *_: object) -> None:
        began = connection.info.pop("elcano_began", None)
        if began is not None:
            operation = statement[:20].lstrip("( \n").partition(" ")[0].lower()
            instruments.record(names.STORE_DURATION, time.monotonic() - began, {"operation": operation})


def _list_configured_models(settings: Settings) -> Iterable[str]:
    """List the models that the operator named."""
    for text in (settings.model, *settings.agent_models.values(), *settings.model_urls):
        yield from model_names(text)
