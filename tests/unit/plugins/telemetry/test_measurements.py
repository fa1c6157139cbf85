"""Labels have few values whatever strangers choose, and what the kernel measures arrives once."""

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import get_args

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, NumberDataPoint
from temporalio.runtime import (
    BUFFERED_METRIC_KIND_COUNTER,
    BUFFERED_METRIC_KIND_GAUGE,
    BUFFERED_METRIC_KIND_HISTOGRAM,
    BufferedMetricUpdate,
    MetricBuffer,
)

from elcano.measures import Measure, install_recorder, record_value
from elcano.plugins.telemetry import names
from elcano.plugins.telemetry.companion import Sum, SummedUpdates
from elcano.plugins.telemetry.measurements import (
    MOST_VALUES,
    OF_MEASURE,
    OTHER,
    BoundedValues,
    Instruments,
    KernelRecorder,
)
from elcano.settings import Settings


def read_points(reader: InMemoryMetricReader, metric: names.Metric) -> dict[tuple[str, ...], float]:
    data = reader.get_metrics_data()
    assert data is not None
    found = (
        point
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for one in scope.metrics
        if one.name == metric.name
        for point in one.data.data_points
        if isinstance(point, NumberDataPoint)
    )
    return {tuple(str((point.attributes or {})[label]) for label in metric.labels): point.value for point in found}


@pytest.fixture
def reader() -> InMemoryMetricReader:
    return InMemoryMetricReader()


@pytest.fixture
def instruments(reader: InMemoryMetricReader) -> Instruments:
    return Instruments(MeterProvider([reader]), Settings())


def test_a_label_has_a_limited_number_of_values() -> None:
    bounds = BoundedValues({"deep"})
    found = {bounds.limit(f"model-{number}") for number in range(10_000)}
    assert len(found) == MOST_VALUES + 1
    assert OTHER in found
    assert bounds.limit("deep") == "deep"
    assert bounds.limit("model-3") == "model-3"


@pytest.mark.parametrize("value", ["x" * 81, "a\nb", 'elcano_up{x="1"} 2\n', "\u202e"])
def test_a_value_that_is_no_name_is_other(value: str) -> None:
    assert BoundedValues().limit(value) == OTHER


def test_hostile_models_make_no_further_series(reader: InMemoryMetricReader, instruments: Instruments) -> None:
    recorder, chance = KernelRecorder(instruments), random.Random(1)
    for _ in range(3_000):
        labels = {"agent": f"agent{chance.random()}", "model": f"model{chance.random()}", "direction": "input"}
        recorder.record("tokens", 2, labels)
    points = read_points(reader, names.TOKENS)
    assert len({model for _, model, _ in points}) <= MOST_VALUES + 1
    assert len({agent for agent, _, _ in points}) <= MOST_VALUES + 1
    assert sum(points.values()) == 6_000


def test_the_kernel_records_into_the_instruments(reader: InMemoryMetricReader, instruments: Instruments) -> None:
    install_recorder(KernelRecorder(instruments))
    try:
        record_value("citations", 3, verdict="verified")
        record_value("citations", 1, verdict="unverified")
        record_value("citations", 2, verdict="verified")
    finally:
        install_recorder(None)
    record_value("citations", 50, verdict="verified")
    assert read_points(reader, names.CITATIONS) == {("verified",): 5, ("unverified",): 1}


def test_every_measure_of_the_kernel_has_a_metric() -> None:
    assert set(OF_MEASURE) == set(get_args(Measure))


def test_a_gauge_forgets_what_is_gone(reader: InMemoryMetricReader, instruments: Instruments) -> None:
    instruments.set_gauge(names.RUNS_OPEN, {("running", "deep"): 2, ("starting", "simple"): 1})
    assert read_points(reader, names.RUNS_OPEN) == {("running", "deep"): 2, ("starting", "simple"): 1}
    instruments.set_gauge(names.RUNS_OPEN, {("running", "deep"): 1})
    assert read_points(reader, names.RUNS_OPEN) == {("running", "deep"): 1}


class Updates(MetricBuffer):
    def __init__(self, *updates: Sum) -> None:
        self._updates = updates

    def retrieve_updates(self) -> Sequence[BufferedMetricUpdate]:
        return self._updates


def test_updates_of_the_sdk_are_added_up() -> None:
    counter, gauge, histogram = (
        SimpleNamespace(kind=kind)
        for kind in (BUFFERED_METRIC_KIND_COUNTER, BUFFERED_METRIC_KIND_GAUGE, BUFFERED_METRIC_KIND_HISTOGRAM)
    )
    here, there = {"queue": "a"}, {"queue": "b"}
    given = [(counter, 1, here), (gauge, 5, here), (counter, 2, there), (histogram, 7, here), (counter, 3, here)]
    given += [(gauge, 4, here), (histogram, 8, here)]
    found = SummedUpdates(Updates(*(Sum(*one) for one in given))).retrieve_updates()
    assert [(one.metric, one.value, one.attributes) for one in found] == [
        (counter, 4, here),
        (gauge, 4, here),
        (counter, 2, there),
        (histogram, 7, here),
        (histogram, 8, here),
    ]
