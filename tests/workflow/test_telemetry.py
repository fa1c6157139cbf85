"""A stack that is observed: one trace for each run, whatever dies, and metrics for every panel and every alert."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from elcano.dev import child
from elcano.dev.claims import free_ports
from elcano.dev.stack import Stack, open_stack
from elcano.settings import Settings
from elcano.testing.provider import Reply, Request, make_refusal
from tests.cases import long_case
from tests.chaos.conftest import PASSAGES
from tests.chaos.researcher import Place, Researcher, researching
from tests.forked_programs import forked_programs
from tests.unit.dev.test_dev import until
from tests.workflow.collector import Collector, collecting
from tests.workflow.test_stack import settings_for

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy" / "grafana" / "elcano.json"
RULES = ROOT / "deploy" / "prometheus" / "elcano-rules.yml"
OF_PROMETHEUS = {"up"}
METRIC = re.compile(r"\b(?:elcano|temporal|http|process)_[a-z0-9_]+|\bup\b")
LABELS = re.compile(r"\{[^}]*\}|\bby \([^)]*\)")
CALLER = "4bf92f3577b34da6a3ce929d0e0e4736"
QUESTION = "When did the harbour freeze, and what is secret about it?"


class RefusingOnce(Researcher):
    """Is overloaded when it is asked for the first time."""

    refused = False

    def __call__(self, request: Request) -> Reply:
        """The reply to one request."""
        if not self.refused:
            self.refused = True
            return make_refusal(503, "overloaded")
        return super().__call__(request)


@pytest.fixture(scope="module")
def changed() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patched:
        yield patched


@pytest.fixture(scope="module")
def researcher() -> RefusingOnce:
    return RefusingOnce()


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@pytest.fixture(scope="module")
def metrics_port() -> int:
    (port,) = free_ports(1)
    return port


@pytest.fixture(scope="module")
def chosen(
    tmp_path_factory: pytest.TempPathFactory,
    researcher: Researcher,
    collector: Collector,
    metrics_port: int,
    changed: pytest.MonkeyPatch,
) -> Iterator[Settings]:
    folder = tmp_path_factory.mktemp("observed")
    (folder / "documents").mkdir()
    for name, text in PASSAGES.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    with researching(researcher) as provider:
        variables = {
            "OPENAI_BASE_URL": provider.url,
            "OPENAI_API_KEY": "scripted",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "200",
            "ELCANO_TRACES": "true",
            "ELCANO_METRICS": "true",
            "ELCANO_METRICS_PORT": str(metrics_port),
            "ELCANO_LOG_FORMAT": "json",
            "ELCANO_PLUGINS": "tests.rules.plugin:plugin,tests.chaos.impatience:plugin",
        }
        for name, value in variables.items():
            changed.setenv(name, value)
        yield settings_for(folder / "data").model_copy(
            update={
                "collections": {"log": folder / "documents"},
                "package_readmes": False,
                "model": "openai-chat:gpt-4o",
            }
        )


@pytest.fixture(scope="module")
async def running(chosen: Settings, changed: pytest.MonkeyPatch) -> AsyncIterator[Stack]:
    changed.setattr(child, "LONGEST_PAUSE", child.FIRST_PAUSE)
    with forked_programs():
        async with open_stack(chosen) as stack:
            yield stack


@pytest.fixture
async def client(chosen: Settings, running: Stack) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=60) as found:
        yield found


async def start_run(client: httpx.AsyncClient, question: str = QUESTION, **headers: str) -> str:
    asked = {"question": question, "mode": "iterative"}
    response = await client.post("/v1/runs", json=asked, headers=headers)
    assert response.status_code == 201, response.text
    run_id: str = response.json()["run_id"]
    return run_id


async def follow_run(client: httpx.AsyncClient, run_id: str) -> None:
    async with client.stream("GET", f"/v1/runs/{run_id}/events") as response:
        lines = [line async for line in response.aiter_lines()]
    assert lines.count("event: complete") == 1


async def test_a_run_is_one_trace_although_its_worker_was_killed(
    client: httpx.AsyncClient, running: Stack, researcher: Researcher, collector: Collector
) -> None:
    researcher.hold([Place(QUESTION, "knowledge_gap", 1)])
    run_id = await start_run(client)
    await until(lambda: researcher.holds)
    killed = running.worker.pid
    running.worker.kill()
    await until(lambda: running.worker.pid != killed)
    researcher.release()
    await follow_run(client, run_id)
    await until(lambda: any(span.name == "invoke_workflow iterative" for span in collector.of_run(run_id)))
    await until(lambda: any(span.name == "archive_run" for span in collector.of_run(run_id)))

    spans = collector.of_run(run_id)
    (trace,) = {span.trace for span in spans}
    whole = [span for span in collector.spans if span.trace == trace]
    assert Counter(span.id for span in whole).most_common(1)[0][1] == 1
    names = Counter(span.name for span in whole)
    assert names["invoke_workflow iterative"] == 1
    assert names["POST /v1/runs"] == 1
    assert names["retrieval log"] >= 1
    assert names["invoke_agent writer"] >= 1
    operations = Counter(span.attributes.get("gen_ai.operation.name") for span in whole)
    assert operations["invoke_agent"] == sum(name.startswith("invoke_agent") * n for name, n in names.items())
    assert names["chat gpt-4o"] >= 1
    by_id = {span.id: span for span in whole}
    run = next(span for span in whole if span.name == "invoke_workflow iterative")
    assert by_id[run.parent].name == "POST /v1/runs"
    assert {by_id[span.parent].name for span in whole if span.name.startswith("retrieval")} == {run.name}
    (published,) = (span for span in whole if span.name == "publish_report")
    assert "gen_ai.evaluation.result" in published.events
    assert {span.service for span in whole} == {"elcano-api", "elcano-worker"}
    assert [span for span in whole if "secret" in str(span)] == []


async def test_a_caller_s_trace_goes_on(
    client: httpx.AsyncClient, collector: Collector, researcher: RefusingOnce
) -> None:
    researcher.refused = False
    run_id = await start_run(client, "What froze?", traceparent=f"00-{CALLER}-00f067aa0ba902b7-01")
    await follow_run(client, run_id)
    await until(lambda: any(span.name == "archive_run" for span in collector.of_run(run_id)))
    assert {span.trace for span in collector.of_run(run_id)} == {CALLER}


async def test_a_forked_run_has_a_trace_of_its_own(client: httpx.AsyncClient, collector: Collector) -> None:
    run_id = await start_run(client, "What froze in winter?")
    await follow_run(client, run_id)
    before = next(span.trace for span in collector.of_run(run_id))
    forked = await client.post(f"/v1/runs/{run_id}/fork", json={"step": 2})
    assert forked.is_success, forked.text
    fork_id = forked.json()["run_id"]
    await follow_run(client, fork_id)
    await until(lambda: any(span.name == "archive_run" for span in collector.of_run(fork_id)))
    (trace,) = {span.trace for span in collector.of_run(fork_id)}
    assert trace != before


def list_named_metrics() -> set[str]:
    """The metrics that the dashboard and the alerts name."""
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    rules = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"][0]["rules"]
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    expressions += [rule["expr"] for rule in rules]
    bare = (LABELS.sub("", expression) for expression in expressions)
    return {name for expression in bare for name in METRIC.findall(expression)}


async def test_every_metric_of_the_dashboard_and_the_alerts_is_measured(
    client: httpx.AsyncClient, metrics_port: int, researcher: RefusingOnce
) -> None:
    named = list_named_metrics()
    assert len(named) > 20
    researcher.hold(())
    researcher.refused = False
    await follow_run(client, await start_run(client, "What is measured?"))
    for _ in range(20):  # the API looks at runs and queues every few seconds
        api = await client.get("/metrics")
        worker = await client.get(f"http://127.0.0.1:{metrics_port}/metrics")
        measured = {line.split("{")[0].split(" ")[0] for line in f"{api.text}\n{worker.text}".splitlines()}
        if not (missing := named - measured - OF_PROMETHEUS):
            break
        await asyncio.sleep(1)
    assert missing == set()
    assert api.headers["content-type"].startswith("text/plain")
    assert "tenant" not in api.text + worker.text


async def test_tokens_are_counted_once_for_every_answer(
    client: httpx.AsyncClient, metrics_port: int, researcher: Researcher
) -> None:
    async def read_tokens() -> float:
        text = (await client.get(f"http://127.0.0.1:{metrics_port}/metrics")).text
        counted = re.findall(r'^elcano_tokens_total\{[^}]*direction="input"[^}]*\} (\S+)', text, re.MULTILINE)
        return sum(map(float, counted))

    before = await read_tokens()
    researcher.hold(())
    run_id = await start_run(client, "How often is it counted?")
    await follow_run(client, run_id)
    status = (await client.get(f"/v1/runs/{run_id}")).json()
    assert await read_tokens() - before == 100 * len(researcher.prompts)
    assert status["budget"]["used"]["tokens"] == 120 * len(researcher.prompts)


async def test_a_log_of_json_names_runs(running: Stack) -> None:
    entries = [json.loads(line) for line in running.worker.log.read_text(encoding="utf-8").splitlines()]
    assert {"time", "level", "logger", "program", "message"} <= set(entries[0])


@pytest.mark.parametrize("trouble", ["hangs", long_case("is killed")])
async def test_a_collector_in_trouble_costs_nothing_but_spans(
    client: httpx.AsyncClient, running: Stack, researcher: Researcher, collector: Collector, trouble: str
) -> None:
    question = f"What happens if a collector {trouble}?"
    researcher.hold([Place(question, "knowledge_gap", 1)])
    run_id = await start_run(client, question)
    await until(lambda: researcher.holds)
    if trouble == "hangs":
        collector.hanging.set()
    else:
        collector.close()
    researcher.release()
    await follow_run(client, run_id)
    assert (await client.get(f"/v1/runs/{run_id}")).json()["status"] == "completed"
    assert running.worker.deaths <= 1
