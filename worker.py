"""The worker: a program that runs research workflows and their activities until it gets a signal to stop.

It waits for a Temporal server that cannot be reached, instead of dying. On SIGTERM or SIGINT it takes no new work,
lets running activities finish for `shutdown_seconds`, and ends. Payloads, indexings and searches have threads of their
own; the event loop's pool is left to computing, and the loop itself to heartbeats.
"""

from elcano.program_start import hasten_start, leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()
    hasten_start()

import asyncio
import gc
import logging
import os
import platform
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from datetime import timedelta
from functools import cache, partial
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from typing import Final, TypedDict

import uvloop
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.runtime import Runtime
from temporalio.worker import Worker, WorkerDeploymentConfig

from elcano import __version__, graphs, workflows
from elcano.activities.agents.agent_activity import AgentActivities, agent_activities
from elcano.activities.background_work import BackgroundWork, run_workers, working_in_background
from elcano.activities.calls.heartbeats import CountTries
from elcano.activities.calls.models import Resolve, can_ask_provider
from elcano.activities.calls.retry_classification import tell_failures_in_lines
from elcano.activities.calls.usage import BookActivities
from elcano.activities.providers.queue_limits import ProviderActivities
from elcano.activities.providers.rate_limit import gate_models, through_gate
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.report.record_lookup import RecordLookup
from elcano.activities.services import Services, missing_extras
from elcano.activities.similarity.embedder import open_embedder
from elcano.activities.sources.registry import Sources, open_sources
from elcano.activities.tools.tool_activities import (
    CheckActivities,
    LookActivities,
    Passing,
    ToolActivities,
    tool_activities,
)
from elcano.graphs.catalogue.reducers import REDUCERS
from elcano.graphs.contracts import TASK_QUEUE, model_queue
from elcano.graphs.errors import ElcanoError, InputInvalid
from elcano.graphs.extras import EXTRAS, worker_identity
from elcano.graphs.model_names import find_unknown_providers, parse_model_provider
from elcano.graphs.plugin import Surroundings, load_objects
from elcano.graphs.providers import PROVIDER_QUEUE
from elcano.redaction import log_to_stderr
from elcano.service.temporal.background_starts import empty_outbox
from elcano.service.temporal.connection import build_runtime, connect_when_ready
from elcano.settings.plugins import SettingsInvalid, list_variables
from elcano.settings.settings import (
    BAD_SETTINGS,
    Settings,
    get_variable_name,
    program_settings,
    refuse_arguments,
    unknown_variables,
)
from elcano.storage.payloads import close_payloads
from elcano.storage.separate_preparation import prepare_separately
from elcano.storage.store import Store, open_configured
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.outside_runs import LookWorkflow, ProviderWorkflow, SourceCheckWorkflow
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import workflow_runner

OUTBOX_SECONDS: Final = 1.0
"""Interval at which workflows that were noted are started or signalled, in seconds."""
_log = logging.getLogger("worker")

HEARTBEAT_THROTTLE = timedelta(milliseconds=100)
"""Activities send heartbeats twice a second, and whenever there is progress to save; the SDK would hold them back for
most of the heartbeat timeout, and a worker that is killed meanwhile would lose them."""
COMPUTING_THREADS = 8
"""Threads for computing: drafts, citation checks, duplicates, the extractive model, the import of providers."""


def build_worker(
    client: Client,
    store: Store,
    sources: Sources,
    settings: Settings,
    *,
    resolve: Resolve | None = None,
    services: Services | None = None,
) -> Worker:
    """Build a worker with everything that a run needs, not yet started.

    `resolve` chooses the model of an agent; by default, the models that runs and settings name. `services` are services
    that are open already.

    Raises:
        InputInvalid: a setting names something that does not exist.
    """
    store = store.written_by(build_worker_signature(settings))
    gate = partial(gate_models, store=store, settings=settings)
    agents = AgentActivities(store, sources, settings, resolve=resolve, within=gate)
    services = services or Services(settings)
    services.open_all()
    tools = ToolActivities(store, sources, open_embedder(settings.embeddings), services=services)
    passing = through_gate(store, settings)
    reports = ReportActivities(store, RecordLookup(sources, passing=passing, private_hosts=settings.private_hosts))
    books = BookActivities(store)
    return Worker(
        client,
        task_queue=TASK_QUEUE,
        identity=worker_identity(client.identity, missing_extras()),
        workflows=[ResearchWorkflow, ChainWorkflow],
        activities=[
            *agent_activities(agents.run_agent),
            *tool_activities(tools.run_tool),
            books.read_usage,
            books.reopen_run,
            reports.publish_report,
            reports.archive_run,
            LookActivities(services).look,
            CheckActivities(store, sources).check_source,
        ],
        workflow_runner=workflow_runner(),
        **build_worker_version(settings),
        max_cached_workflows=settings.worker_cached_workflows,
        max_concurrent_activities=settings.worker_activities,
        max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
        interceptors=[CountTries(client, settings.shutdown_seconds)],
        graceful_shutdown_timeout=timedelta(seconds=settings.shutdown_seconds),
    )


def source_workers(
    client: Client, store: Store, sources: Sources, settings: Settings, *, passing: Passing | None = None
) -> list[Worker]:
    """Build a worker for each source with a queue of its own that can be searched here, not yet started.

    The server hands out no more of a queue's searches than its source's rate, however many workers poll, and the gate
    makes them go one by one. These workers are unversioned: the server tracks the rate of each version separately, and
    two versions at work would double the source's rate.
    """
    passing = passing or through_gate(store, settings)
    tools = ToolActivities(store.written_by(build_worker_signature(settings)), sources, passing=passing)
    return [
        Worker(
            client,
            task_queue=source.queue,
            activities=[
                *tool_activities(tools.run_tool),
                CheckActivities(store, sources, passing=passing).check_source,
            ],
            build_id=build_id(settings),
            max_concurrent_activities=source.limits.side_by_side,
            max_task_queue_activities_per_second=source.rate(settings.has),
            max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
            interceptors=[CountTries(client, settings.shutdown_seconds)],
            graceful_shutdown_timeout=timedelta(seconds=settings.shutdown_seconds),
        )
        for source in sources.queued
    ]


def model_workers(
    client: Client, store: Store, sources: Sources, settings: Settings, *, resolve: Resolve | None = None
) -> list[Worker]:
    """Build a worker for each model provider with a rate that can be called here, not yet started; unversioned.

    Raises:
        InputInvalid: a rate or a price is set for what is no provider.
    """
    priced = map(parse_model_provider, settings.model_prices)
    for name, providers in (("model_rates", settings.model_rates), ("model_prices", priced)):
        if fault := find_unknown_providers(providers, get_variable_name(name)):
            raise InputInvalid(name, fault)
    store = store.written_by(build_worker_signature(settings))
    gate = partial(gate_models, store=store, settings=settings)
    agents = AgentActivities(store, sources, settings, resolve=resolve, within=gate)
    return [
        Worker(
            client,
            task_queue=model_queue(provider),
            activities=agent_activities(agents.run_agent),
            build_id=build_id(settings),
            max_concurrent_activities=settings.worker_activities,
            max_task_queue_activities_per_second=rate,
            max_heartbeat_throttle_interval=HEARTBEAT_THROTTLE,
            interceptors=[CountTries(client, settings.shutdown_seconds)],
            graceful_shutdown_timeout=timedelta(seconds=settings.shutdown_seconds),
        )
        for provider, rate in settings.model_rates.items()
        if can_ask_provider(provider, settings)
    ]


def provider_worker(client: Client, store: Store, settings: Settings) -> Worker:
    """Build the worker for work that belongs to no run, not yet started; it is unversioned, as that work is."""
    return Worker(
        client,
        task_queue=PROVIDER_QUEUE,
        workflows=[ProviderWorkflow, SourceCheckWorkflow, LookWorkflow],
        activities=[ProviderActivities(store.providers).keep_queue],
        workflow_runner=workflow_runner(),
        build_id=build_id(settings),
    )


class Version(TypedDict, total=False):
    """The version that a worker reports to the server."""

    build_id: str
    deployment_config: WorkerDeploymentConfig


def build_worker_version(settings: Settings) -> Version:
    """Return the worker's version: runs stay with their build in a named deployment; else any worker takes any run."""
    build = build_id(settings)
    if not settings.deployment:
        return Version(build_id=build)
    return Version(
        deployment_config=WorkerDeploymentConfig(
            version=WorkerDeploymentVersion(deployment_name=settings.deployment, build_id=build),
            use_worker_versioning=True,
            default_versioning_behavior=VersioningBehavior.PINNED,
        )
    )


def build_worker_signature(settings: Settings) -> str:
    """Return the signature that this worker records with its work: program version and build id, `0.1.0+4f1c...`."""
    return f"{__version__}+{build_id(settings)}"


def build_id(settings: Settings) -> str:
    """Return the build id of the settings, or a hash of the code that decides whether a history replays.

    That is the code of the two packages that workflows are made of, and of the reducers of plugins. Without a build id
    the SDK hashes every module of the process, which takes seconds.
    """
    return settings.build_id or _code_hash()


def _describe_build(settings: Settings) -> str:
    of = f" of the deployment {settings.deployment!r}" if settings.deployment else ""
    return f"build {build_id(settings)}{of}"


@cache
def _code_hash() -> str:
    rooms = (file for room in (graphs, workflows) for file in Path(room.__path__[0]).rglob("*.py"))
    reducers = (Path(getfile(reducer.apply)) for reducer in REDUCERS.values())
    files = sorted({*rooms, *reducers})
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


async def run_until_signal(settings: Settings) -> None:
    """Work until SIGTERM or SIGINT, then drain. A second signal ends the draining at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    services = Services(settings)
    services.open_all()
    loop.set_default_executor(ThreadPoolExecutor(COMPUTING_THREADS, thread_name_prefix="computing"))
    _log.info("elcano %s on Python %s, %s", __version__, platform.python_version(), _describe_build(settings))
    for text in unknown_variables(list_variables(load_objects("settings"))):
        _log.warning("%s", text)
    for extra in sorted(missing_extras()):
        _log.info("not installed here: %s (%s)", EXTRAS[extra].purpose, EXTRAS[extra].install)
    async with open_configured(settings) as store, open_sources(settings) as sources:
        gc.freeze()  # and waiting for Temporal is not the start
        gc.enable()
        client = await connect_when_ready(settings)
        try:
            workers = [
                build_worker(client, store, sources, settings, services=services),
                *source_workers(client, store, sources, settings),
                *model_workers(client, store, sources, settings),
                provider_worker(client, store, settings),
            ]
            gc.freeze()  # looking through what was imported holds up workflow tasks
            surroundings = Surroundings("worker", settings, store, partial(_return_client, client))
            async with AsyncExitStack() as stack:
                for accompany in load_objects("companions"):
                    await stack.enter_async_context(accompany(surroundings))
                look = partial(empty_outbox, client, store.outbox)
                parts = [BackgroundWork(looks=[("workflows to start", look, OUTBOX_SECONDS)])]
                for prepare in load_objects("background"):
                    parts += await stack.enter_async_context(prepare(surroundings))
                await stack.enter_async_context(working_in_background(client, parts))
                queues = ", ".join(repr(worker.task_queue) for worker in workers)
                _log.info("working in namespace %r on task queue %s", client.namespace, queues)
                await run_workers(workers)
        finally:
            close_payloads(client.data_converter)


async def _return_client(client: Client) -> Client:
    return client


def main() -> None:
    """Run the program; its exit code is 0 after a signal, 2 if its setup is invalid, and 1 after an error."""
    refuse_arguments(__doc__)
    chosen = program_settings()
    log_to_stderr(chosen.log_level)
    tell_failures_in_lines()
    prepare_separately(chosen)
    Runtime.set_default(build_runtime())
    code = 0
    try:
        for start in load_objects("starters"):
            start("worker", chosen)
        uvloop.run(run_until_signal(chosen))
    except asyncio.CancelledError:
        _log.info("stopped")
    except (ElcanoError, SettingsInvalid) as error:  # its text is for the person who has to act
        _log.error("the worker cannot start: %s", error)
        code = BAD_SETTINGS
    except Exception:
        _log.exception("the worker cannot continue")
        code = 1
    logging.shutdown()
    # The SDK's runtime can abort an interpreter that exits in the ordinary way (temporalio/sdk-python#300).
    os._exit(code)


if __name__ == "__main__":
    main()
