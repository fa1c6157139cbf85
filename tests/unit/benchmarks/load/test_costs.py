"""What a run costs is a quotient, and what a measurement foretells is a product."""

import pytest

from benchmarks.load.costs import Costs, divide_usage, foretell
from benchmarks.load.meters import Reading, subtract, sum_samples
from benchmarks.load.statement_counter import name_statement
from tests.unit.benchmarks.load.examples import MACHINE, PLAN, RUN, STREAM, make_reading

METRICS = """# HELP service_requests requests
service_requests{namespace="default",operation="StartWorkflowExecution",service_name="frontend"} 3
service_requests{namespace="other",operation="StartWorkflowExecution",service_name="frontend"} 4
service_requests{namespace="default",operation="StartWorkflowExecution",service_name="history"} 5
service_requests{namespace="default",operation="QueryWorkflow",service_name="frontend"} 1e+02
service_errors{namespace="default",operation="QueryWorkflow",service_name="frontend"} 9
"""


def test_a_difference_leaves_out_what_did_not_change() -> None:
    earlier, later = make_reading(at=10.0), make_reading(at=25.0, statements={"worker: select runs": 7.0})
    difference = subtract(later, earlier)
    assert difference.at == 15.0
    assert difference.statements == {"worker: select runs": 7.0}
    assert difference.cpu == {}


def test_doing_nothing_is_taken_off_and_the_rest_is_divided() -> None:
    costs = divide(
        make_reading(
            at=20.0,
            cpu={"worker": 12.0, "api": 1.0, "model": 50.0},
            statements={"worker: select runs": 24.0, "worker: commit": 20.0, "api: commit": 12.0, "api: checkout": 8.0},
            rows={"runs": 4.0},
            table_bytes={"runs": 4_000.0},
        ),
        idle=make_reading(at=10.0, cpu={"worker": 2.0}, statements={"worker: select runs": 2.0}),
    )
    assert costs.cpu == {"worker": 2.0, "api": 0.25}  # without the model, which no service pays for in this way
    assert costs.idle_cpu == {"worker": 0.2}
    assert costs.statements == {"worker: select runs": 5.0}
    assert (costs.transactions, costs.commits, costs.checkouts) == (8.0, 8.0, 2.0)
    assert costs.rows == {"runs": 1.0}
    assert costs.store_bytes == 1_000.0


def test_what_costs_less_than_nothing_costs_nothing() -> None:
    costs = divide(make_reading(at=10.0, cpu={"api": 1.0}), idle=make_reading(at=1.0, cpu={"api": 0.2}))
    assert costs.cpu == {"api": 0.0}


def test_a_measurement_foretells_another_one() -> None:
    before = divide(make_reading(at=10.0, cpu={"worker": 8.0}, wal_bytes=4e6), idle=make_reading(at=1.0))
    more = PLAN.model_copy(update={"runs": 8, "at_once": 8})
    now = divide(make_reading(at=10.0, cpu={"worker": 20.0}, wal_bytes=8e6), idle=make_reading(at=1.0), plan=more)
    compared = {one.name: one for one in foretell(before, now)}
    assert compared["processor, worker, s"].foretold == 16.0
    assert compared["processor, worker, s"].measured == 20.0
    assert compared["processor, worker, s"].error == pytest.approx(0.25)
    assert compared["log of PostgreSQL, MB"].error == 0.0
    assert compared["peak memory of the workers, MB"].foretold == pytest.approx(100.0 + 8 * 2.0)


def test_samples_are_summed_by_operation() -> None:
    assert sum_samples(METRICS, "service_requests", service_name="frontend") == {
        "StartWorkflowExecution": 7.0,
        "QueryWorkflow": 100.0,
    }


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("SELECT runs.body \nFROM runs \nWHERE runs.tenant = %(t)s", "select runs"),
        ("INSERT INTO ledger (tenant) VALUES (%(t)s) ON CONFLICT DO NOTHING", "insert ledger"),
        ("UPDATE runs SET status=%(s)s", "update runs"),
        ("DELETE FROM events WHERE 1 = 0", "delete events"),
        ("(SELECT texts.text FROM texts)", "select texts"),
        ("SELECT pg_advisory_xact_lock(1)", "select"),
    ],
)
def test_statements_are_named_by_verb_and_table(statement: str, name: str) -> None:
    assert name_statement(statement) == name


def divide(used: Reading, *, idle: Reading, plan: object = PLAN) -> Costs:
    return divide_usage(
        plan=plan,  # type: ignore[arg-type]
        machine=MACHINE,
        run=RUN,
        used=used,
        idle=idle,
        base_bytes={"worker": 100e6, "api": 80e6},
        open_run_bytes={"worker": 2e6, "api": 1e6},
        stream=STREAM,
    )
