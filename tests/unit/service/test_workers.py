"""Who would take up what starts now: by what pollers and heartbeats say, and by the current version."""

import pytest
from temporalio.api.enums.v1 import WorkerStatus, WorkerVersioningMode
from temporalio.api.worker.v1 import WorkerHeartbeat
from temporalio.api.workflowservice.v1 import DescribeTaskQueueResponse

from elcano.graphs.providers import LIMIT_REASON
from elcano.service.temporal.workers import MISSED, POLLER_AGE, SLOWEST, find_polling_fault

NOW = 1_000_000.0
RUNNING = WorkerStatus.WORKER_STATUS_RUNNING
STOPPING = WorkerStatus.WORKER_STATUS_SHUTTING_DOWN


def queue(*polled: tuple[str, float, str], current: str = "") -> DescribeTaskQueueResponse:
    """Pollers by identity, each with how long ago it polled and its build; the current version of the deployment."""
    answer = DescribeTaskQueueResponse()
    for identity, ago, build in polled:
        poller = answer.pollers.add(identity=identity)
        poller.last_access_time.FromSeconds(int(NOW - ago))
        if build:
            poller.deployment_options.deployment_name = "elcano"
            poller.deployment_options.build_id = build
            poller.deployment_options.worker_versioning_mode = WorkerVersioningMode.WORKER_VERSIONING_MODE_VERSIONED
    if current:
        answer.versioning_info.current_deployment_version.deployment_name = "elcano"
        answer.versioning_info.current_deployment_version.build_id = current
    return answer


def beat(identity: str, ago: float, status: WorkerStatus.ValueType = RUNNING, every: float = 5.0) -> WorkerHeartbeat:
    made = WorkerHeartbeat(worker_identity=identity, status=status)
    made.heartbeat_time.FromMilliseconds(int(1_000 * (NOW - ago)))
    made.elapsed_since_last_heartbeat.FromMilliseconds(int(1_000 * every))
    return made


@pytest.mark.parametrize(
    ("beats", "works"),
    [
        ([], True),
        ([beat("1@a", 4)], True),
        ([beat("1@a", 1, STOPPING)], False),
        ([beat("1@a", 5 * MISSED + 1)], False),
        ([beat("1@a", 50, every=0)], True),
        ([beat("1@a", SLOWEST * MISSED + 1, every=0)], False),
        ([beat("1@a", 30, STOPPING), beat("1@a", 2)], True),
        ([beat("1@b", 1, STOPPING)], True),
    ],
    ids=["no heartbeats", "alive", "stopping", "killed", "slow", "slow and killed", "started again", "another's"],
)
def test_a_poller_counts_as_long_as_its_worker_beats(beats: list[WorkerHeartbeat], works: bool) -> None:
    told = find_polling_fault("elcano", queue(("1@a", 10, "")), beats, NOW)
    assert told == ("" if works else "no worker polls the task queue 'elcano': start one that does")


def test_one_that_has_not_polled_for_long_does_not_count() -> None:
    assert find_polling_fault("elcano", queue(("1@a", POLLER_AGE.total_seconds() + 1, "")), [], NOW).startswith(
        "no worker polls"
    )
    assert find_polling_fault("elcano", queue(), [], NOW).startswith("no worker polls")


def test_one_with_its_hands_full_counts_by_its_heartbeats() -> None:
    """It polls when a call has ended, which may take longer than a poll."""
    late = queue(("1@a", 10 * POLLER_AGE.total_seconds(), ""))
    assert find_polling_fault("elcano", late, [beat("1@a", 2)], NOW) == ""


@pytest.mark.parametrize(
    ("builds", "current", "told"),
    [
        (["one"], "", "has no current version"),
        (["one", ""], "", ""),
        (["one"], "one", ""),
        (["one", "two"], "two", ""),
        (["one"], "two", "has the build 'two'"),
        ([""], "one", "has the build 'one'"),
    ],
)
def test_a_run_starts_on_the_current_version_alone(builds: list[str], current: str, told: str) -> None:
    pollers = [(f"{number}@a", 1.0, build) for number, build in enumerate(builds)]
    found = find_polling_fault("elcano", queue(*pollers, current=current), [], NOW)
    assert told in found
    assert bool(found) == bool(told)


@pytest.mark.parametrize(
    ("rate", "reason", "is_stopped"),
    [(0.0, "too much", True), (0.0, "", True), (0.0, f"{LIMIT_REASON}it asked to wait", False), (1.0, "less", False)],
    ids=["stopped", "without a reason", "a provider that asked to wait", "slowed down"],
)
def test_a_queue_that_someone_stopped_gives_its_calls_to_no_worker(rate: float, reason: str, is_stopped: bool) -> None:
    answer = queue(("1@a", 10, ""))
    answer.config.queue_rate_limit.rate_limit.requests_per_second = rate
    answer.config.queue_rate_limit.metadata.update_identity = "ops@host"
    answer.config.queue_rate_limit.metadata.reason = reason
    fault = find_polling_fault("elcano-source-x", answer, [], NOW)
    assert bool(fault) == is_stopped
    if is_stopped:
        assert f"by a rate of 0 ({', '.join(filter(None, ['ops@host', reason]))})" in fault
        assert "--task-queue elcano-source-x --task-queue-type activity --queue-rps-limit default" in fault
    assert find_polling_fault("elcano", queue(("1@a", 10, "")), [], NOW) == "", "without a limit"
