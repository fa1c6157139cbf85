"""`docker-compose.yml` and `Dockerfile` hold what operations rely on; no Docker is needed to say so."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url

from elcano.dev.temporal import SERVER_OPTIONS
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.model_names import PROVIDERS
from elcano.graphs.plugin import load_objects
from elcano.settings import Settings, get_variable_name, list_variables
from elcano.subjects.web.search_providers import PROVIDERS as ENGINES

ROOT = Path(__file__).parents[2]
ONE_SHOT = {"schema", "namespace"}
OURS = {"worker", "api"}
OPTIONAL = {"searxng": "search", "graph": "graph", "objects": "objects"}
"""Started only with their profile."""
PROVIDER_VARIABLES = {name for names in PROVIDERS.values() for name in names} | {
    "ANTHROPIC_BASE_URL",
    "OLLAMA_API_KEY",
    "VLLM_API_KEY",
}
SEARCH_VARIABLES = {engine.variable for engine in ENGINES if engine.variable}
OF_THE_NETWORK = {"SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "NO_PROXY"}
OF_TELEMETRY = {
    *(f"OTEL_EXPORTER_OTLP_{what}" for what in ("ENDPOINT", "HEADERS")),
    *("OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"),
}
NOT_PASSED_ON = {"ELCANO_TEMPORAL_PORT", "ELCANO_TEMPORAL_UI_PORT", "ELCANO_API_KEY"}
"""They are about the embedded Temporal server, which containers do not start, and about clients."""
OF_THE_API = {f"ELCANO_{name}" for name in ("API_HOST", "API_PORT", "API_URL", "TRUSTED_HOSTS", "TEMPORAL_UI_URL")}
STORE_VARIABLES = {
    "PGPASSWORD",
    *(f"AWS_{what}" for what in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION", "ENDPOINT_URL")),
}
_TAG = re.compile(r"[a-z0-9./-]+:(?:v|release_PG\d+_)?\d+\.\d+[\w.-]*")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return loaded


def by_default(value: str) -> str:
    """A value where nothing is set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def image_environment() -> dict[str, str]:
    """What the image sets of ours."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    (line,) = re.findall(r"^ENV (.*)$", dockerfile, re.MULTILINE)
    return dict(word.split("=", 1) for word in shlex.split(line) if word.startswith("ELCANO_"))


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = compose["services"]
    return found


def test_it_has_the_whole_service(services: dict[str, Any]) -> None:
    assert set(services) == {"postgres", "temporal", "temporal-ui"} | ONE_SHOT | OURS | set(OPTIONAL)
    profiles = {name: service["profiles"] for name, service in services.items() if "profiles" in service}
    assert profiles == {name: [profile] for name, profile in OPTIONAL.items()}


def test_every_image_is_pinned(services: dict[str, Any]) -> None:
    for name, service in services.items():
        assert _TAG.fullmatch(service["image"]), name
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    bases = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE)
    assert len(bases) == 2
    assert all(_TAG.fullmatch(base) for base in bases)


def test_each_image_of_ours_is_built_once(services: dict[str, Any]) -> None:
    assert [name for name in services if "build" in services[name]] == ["worker"]
    assert services["worker"]["pull_policy"] == "build"
    for name in OURS - {"worker"}:
        assert services[name]["image"] == services["worker"]["image"]
        assert services[name]["pull_policy"] == "never"


def test_the_worker_gets_the_keys_and_the_addresses_of_providers(services: dict[str, Any]) -> None:
    keys = {source.key for source in SOURCES.values() if source.key}
    assert set(services["worker"]["environment"]) >= PROVIDER_VARIABLES | SEARCH_VARIABLES | keys


def test_everything_that_listens_has_a_health_check(services: dict[str, Any]) -> None:
    for name in services.keys() - ONE_SHOT - {"worker"}:
        assert services[name]["healthcheck"]["test"], name


def test_each_waits_for_what_it_needs(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for needed, how in service.get("depends_on", {}).items():
            expected = "service_completed_successfully" if needed in ONE_SHOT else "service_healthy"
            assert how["condition"] == expected, f"{name} -> {needed}"
    assert set(services["temporal"]["depends_on"]) == {"schema"}
    assert int(services["temporal"]["environment"]["NUM_HISTORY_SHARDS"]) == 512, "it can never be changed"
    for name in OURS:
        assert set(services[name]["depends_on"]) == {"namespace"}


def test_every_setting_is_passed_on(services: dict[str, Any]) -> None:
    """Fixed, or as it is set where this is started: nobody sets what reaches no program."""
    documented = {get_variable_name(name) for name in Settings.model_fields} - NOT_PASSED_ON
    assert set(services["api"]["environment"]) >= documented
    assert set(services["worker"]["environment"]) >= documented - OF_THE_API
    fixed = {"TEMPORAL_ADDRESS", "ELCANO_DATA_DIR", "ELCANO_SHARED_ENVIRONMENT", "ELCANO_API_HOST", "ELCANO_API_PORT"}
    for name in documented - fixed:
        value = services["api"]["environment"][name]
        assert value is None or value.startswith(f"${{{name}:-"), name


def test_our_variables_are_settings(services: dict[str, Any]) -> None:
    known = (
        {get_variable_name(name) for name in Settings.model_fields}
        | PROVIDER_VARIABLES
        | SEARCH_VARIABLES
        | STORE_VARIABLES
    )
    known |= {source.key for source in SOURCES.values()} | OF_THE_NETWORK | OF_TELEMETRY
    known |= set(list_variables(load_objects("settings")))
    for name in OURS:
        assert set(services[name]["environment"]) <= known, name


def test_our_values_are_accepted(services: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in image_environment().items():
        monkeypatch.setenv(name, value)
    for name in OURS:
        for key, value in services[name]["environment"].items():
            if value is not None:
                monkeypatch.setenv(key, by_default(value))
        assert Settings().data_dir == Path("/data")
        assert Settings().collections == {"documents": Path("/documents")}
        assert not Settings().package_readmes
    assert Settings().trusted_hosts == ("api",)


def test_what_runs_leave_behind_is_in_a_database_of_its_own(services: dict[str, Any]) -> None:
    server = services["postgres"]["environment"]
    for name in OURS:
        url = make_url(by_default(services[name]["environment"]["ELCANO_STORE_URL"]))
        assert (url.host, url.username, url.database) == ("postgres", server["POSTGRES_USER"], server["POSTGRES_DB"])
        assert url.password is None
        assert services[name]["environment"]["PGPASSWORD"] == server["POSTGRES_PASSWORD"]
    assert server["POSTGRES_DB"] not in ("temporal", "temporal_visibility")


def test_worker_and_api_share_the_data_and_cannot_change_the_documents(services: dict[str, Any]) -> None:
    for name in OURS:
        volumes = services[name]["volumes"]
        assert "data:/data" in volumes
        (documents,) = [volume for volume in volumes if ":/documents" in volume]
        assert documents.endswith(":ro")


def test_its_server_looks_after_its_queues_as_often_as_the_embedded_one(compose: dict[str, Any]) -> None:
    told = yaml.safe_load(compose["configs"]["temporal"]["content"])
    for option in SERVER_OPTIONS[1::2]:
        name, _, value = option.partition("=")
        assert told[name] == [{"value": yaml.safe_load(value)}]


def test_the_search_engine_answers_json_and_is_asked_by_nobody_else(
    compose: dict[str, Any], services: dict[str, Any]
) -> None:
    engine = services["searxng"]
    assert engine["profiles"] == ["search"]
    assert "ports" not in engine
    (mounted,) = engine["configs"]
    assert mounted["target"] == "/etc/searxng/settings.yml"
    told = yaml.safe_load(compose["configs"][mounted["source"]]["content"])
    assert told["use_default_settings"] is True
    assert "json" in told["search"]["formats"]
    assert told["server"]["limiter"] is False
    assert "secret_key" not in told["server"], "it is in SEARXNG_SECRET"
    assert "ELCANO_SERVICE_URLS" in services["worker"]["environment"]


def test_the_knowledge_graph_has_a_server_of_its_own(services: dict[str, Any]) -> None:
    server = services["graph"]
    url = make_url(
        f"postgresql://{server['environment']['POSTGRES_USER']}@graph/{server['environment']['POSTGRES_DB']}"
    )
    assert f"ELCANO_KNOWLEDGE={url.render_as_string()}" in (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
    assert Settings(knowledge=url.render_as_string()).knowledge
    assert server["environment"]["POSTGRES_PASSWORD"] == services["worker"]["environment"]["PGPASSWORD"]
    assert server["mem_limit"], "openCypher can ask for any amount"
    assert "ports" not in server


def test_what_speaks_like_s3_makes_the_bucket_that_the_manual_names(services: dict[str, Any]) -> None:
    server = services["objects"]
    manual = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    (bucket,) = set(re.findall(r"ELCANO_OBJECTS_URL=s3://([a-z]+)", manual))
    assert f"mkdir -p /data/{bucket} " in server["command"][0]
    assert f"AWS_ENDPOINT_URL=http://objects{server['environment']['VGW_PORT']}" in manual
    assert "AWS_ACCESS_KEY_ID" in server["environment"]["ROOT_ACCESS_KEY"]
    assert "AWS_SECRET_ACCESS_KEY" in server["environment"]["ROOT_SECRET_KEY"]
    assert "ports" not in server


def test_a_stopping_worker_has_time_to_drain(services: dict[str, Any]) -> None:
    grace = float(services["worker"]["stop_grace_period"].removesuffix("s"))
    assert grace > Settings.model_fields["shutdown_seconds"].default


def test_no_password_is_written_down(services: dict[str, Any]) -> None:
    for name, service in services.items():
        for key, value in service.get("environment", {}).items():
            if "PASSWORD" in key or key.endswith(("_PWD", "_KEY", "_TOKEN")):
                assert value is None or value.startswith(("${POSTGRES_PASSWORD:?", "${AWS_")), f"{name}: {key}"


def test_ports_are_published_on_this_machine_only(services: dict[str, Any]) -> None:
    for service in services.values():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")


def test_the_image_is_installed_from_hashes_and_runs_as_a_user() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r requirements.txt" in dockerfile
    assert re.search(r"^USER elcano$", dockerfile, re.MULTILINE)


def test_the_image_gets_every_room(services: dict[str, Any]) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    context = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for part in (
        "graphs",
        "workflows",
        "activities",
        "storage",
        "api",
        "__init__.py",
        "program_start.py",
        "redaction.py",
        "settings",
        "plugins.py",
        "text",
        "service",
        "subjects",
        "doors",
        "operations",
        "worker.py",
    ):
        assert (ROOT / part).exists()
        assert re.search(rf"^COPY .*\b{re.escape(part)}\b", dockerfile, re.MULTILINE), part
        assert f"!{part}" in context
