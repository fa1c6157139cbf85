"""The Helm chart: what it renders fits the schemas of Kubernetes, and values that cannot work are refused in words."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from elcano.graphs.contracts import TASK_QUEUE
from elcano.settings import Settings
from tests.packaging.building import ROOT

CHART = ROOT / "deploy" / "helm" / "elcano"
NEEDED: Mapping[str, Any] = {
    "temporal": {"address": "temporal:7233"},
    "store": {"url": "postgresql://elcano@postgres/elcano", "objectsUrl": "s3://elcano/runs"},
}
EVERYTHING: Mapping[str, Any] = {
    "image": {"digest": f"sha256:{'a' * 64}", "pullSecrets": [{"name": "registry"}]},
    "temporal": {"secret": "temporal-key", "uiUrl": "https://temporal.example.org"},
    "store": {"secret": "database"},
    "settings": {"ELCANO_MODEL": "openai:gpt-5.1", "ELCANO_OPEN_RUNS": 900, "ELCANO_METRICS": True},
    "encryption": {"secret": "keys"},
    "providers": {"secret": "models"},
    "volumes": [{"name": "documents", "persistentVolumeClaim": {"claimName": "documents"}}],
    "volumeMounts": [{"name": "documents", "mountPath": "/documents", "readOnly": True}],
    "api": {"url": "https://research.example.org", "secret": "oidc", "nodeSelector": {"pool": "a"}},
    "worker": {"deployment": "elcano", "buildId": "r7", "tolerations": [{"operator": "Exists"}], "affinity": {}},
    "ingress": {"enabled": True, "className": "nginx", "annotations": {"a/b": "c"}, "tlsSecret": "tls"},
    "networkPolicy": {"apiFrom": [{"podSelector": {}}], "metricsFrom": [{"namespaceSelector": {}}]},
    "keda": {"enabled": True},
}
pytestmark = pytest.mark.long
OF_KUBERNETES = ("v1", "apps/v1", "batch/v1", "policy/v1", "networking.k8s.io/v1")
VERSIONS = ("1.27", "1.37")


@pytest.fixture(scope="session")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`helm/render.go`, compiled."""
    folder = tmp_path_factory.mktemp("renderer")
    go = Path(sysconfig.get_path("purelib")) / "go" / "bin" / "go"
    assert go.exists(), "these tests need what requirements-chart.txt locks: `scripts/test-long` installs it"
    own = {"GO111MODULE": "off", "GOCACHE": str(folder / "cache"), "GOFLAGS": "", "GOROOT": str(go.parents[1])}
    command = [str(go), "build", "-o", str(folder / "render"), str(Path(__file__).parent / "helm" / "render.go")]
    subprocess.run(command, env={**os.environ, **own}, check=True)
    return folder / "render"


def merge(values: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`values` with those `over` them, as Helm merges."""
    merged = dict(values)
    for name, value in over.items():
        known = merged.get(name)
        merged[name] = merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged


def render(renderer: Path, *given: Mapping[str, Any], name: str = "mine") -> list[dict[str, Any]]:
    """The manifests.

    Raises:
        AssertionError: the chart refuses the values; the text says why.
    """
    import jsonschema  # takes a second

    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    for one in given:
        values = merge(values, one)
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(values, schema)
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))
    context = {
        "Values": values,
        "Chart": {name.capitalize(): value for name, value in chart.items()} | {"AppVersion": chart["appVersion"]},
        "Release": {"Name": name, "Namespace": "research", "Service": "Helm"},
    }
    done = subprocess.run([renderer, CHART, json.dumps(context)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one is not None]


def named(manifests: list[dict[str, Any]], kind: str, name: str = "") -> dict[str, Any]:
    (found,) = [one for one in manifests if one["kind"] == kind and one["metadata"]["name"].endswith(name)]
    return found


def pods(manifests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one["spec"]["template"]["spec"] for one in manifests if "template" in one.get("spec", {})]


CONTROLLED: Mapping[str, Any] = {
    "keda": {"enabled": False},
    "worker": {"deployment": "", "buildId": ""},
    "workerController": {"enabled": True},
}


@pytest.mark.parametrize(
    ("given", "beside"),
    [
        ([{}], set()),
        ([EVERYTHING], {"ScaledObject", "TriggerAuthentication"}),
        ([EVERYTHING, CONTROLLED], {"WorkerDeployment", "Connection"}),
    ],
    ids=["least", "all", "controlled"],
)
def test_manifests_fit_the_schemas_of_kubernetes(
    renderer: Path, given: list[Mapping[str, Any]], beside: set[str]
) -> None:
    import kubernetes_validate

    manifests = render(renderer, NEEDED, *given)
    checked = [one for one in manifests if one["apiVersion"] in OF_KUBERNETES]
    assert {one["kind"] for one in checked} >= {"ConfigMap", "Deployment", "Service", "Job", "NetworkPolicy"}
    for manifest in checked:
        for version in VERSIONS:
            kubernetes_validate.validate(manifest, version, strict=True)
    assert {one["kind"] for one in manifests} - {one["kind"] for one in checked} == beside


@pytest.mark.parametrize("given", [{}, merge(EVERYTHING, CONTROLLED)], ids=["least", "controlled"])
def test_no_pod_may_do_more_than_it_must(renderer: Path, given: Mapping[str, Any]) -> None:
    found = pods(render(renderer, NEEDED, given))
    assert len(found) == 3
    for pod in found:
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"]["memory"]
            assert {mount["mountPath"] for mount in container["volumeMounts"]} >= {"/data", "/tmp"}


def test_settings_reach_both_programs_and_keys_of_providers_only_workers(renderer: Path) -> None:
    manifests = render(renderer, NEEDED, EVERYTHING)
    data = named(manifests, "ConfigMap")["data"]
    assert (data["ELCANO_OPEN_RUNS"], data["ELCANO_METRICS"]) == ("900", "true")
    assert data["ELCANO_ENCRYPTION_KEYS"] == "file:///etc/elcano/encryption/keys"
    assert json.loads(data["ELCANO_TRUSTED_HOSTS"]) == ["mine-api", "mine-api.research", "mine-api.research.svc"]
    deployed = {part: named(manifests, "Deployment", part)["spec"]["template"]["spec"] for part in ("api", "worker")}
    api, worker = (pod["containers"][0] for pod in deployed.values())
    secrets = {
        name: [one["secretRef"]["name"] for one in container["envFrom"] if "secretRef" in one]
        for name, container in (("api", api), ("worker", worker))
    }
    assert secrets == {"api": ["database", "temporal-key", "oidc"], "worker": ["database", "temporal-key", "models"]}
    assert {"name": "ELCANO_API_KEYS", "value": "true"} in api["env"]
    assert worker["image"] == api["image"] == f"elcano@sha256:{'a' * 64}"
    assert deployed["worker"]["terminationGracePeriodSeconds"] > Settings.model_fields["shutdown_seconds"].default


ODD: Mapping[str, Any] = {
    "temporal": {"secret": "1e5", "namespace": "0123"},
    "store": {"secret": "123"},
    "settings": {"ELCANO_OPEN_RUNS": 1_000_000, "PGSSLMODE": "yes", "ELCANO_MODEL": 'a: "b" # {c}'},
    "providers": {"secret": "null"},
    "api": {"url": "https://research.example.org:8443", "tolerations": [{"operator": "Exists"}]},
    "ingress": {"className": "on", "tlsSecret": "0x10"},
    "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/elcano"}},
}
"""Legal values that YAML would take for something else, or that one place alone used to be given."""


@pytest.mark.parametrize("beside", [{}, CONTROLLED], ids=["scaled", "controlled"])
def test_odd_values_arrive_as_they_are(renderer: Path, beside: Mapping[str, Any]) -> None:
    import kubernetes_validate

    manifests = render(renderer, NEEDED, EVERYTHING, ODD, beside, name="2.0")
    for manifest in manifests:
        if manifest["apiVersion"] in OF_KUBERNETES:
            kubernetes_validate.validate(manifest, VERSIONS[-1], strict=True)
        assert manifest["metadata"]["name"].startswith("2-0")
    data = named(manifests, "ConfigMap")["data"]
    settings = {"ELCANO_OPEN_RUNS": "1000000", "PGSSLMODE": "yes", "ELCANO_MODEL": 'a: "b" # {c}'}
    assert {name: data[name] for name in settings} == settings
    migrating = named(manifests, "Job")["spec"]["template"]["spec"]
    assert settings.items() <= {one["name"]: one["value"] for one in migrating["containers"][0]["env"]}.items()
    assert migrating["tolerations"] == [{"operator": "Exists"}]
    assert named(manifests, "Ingress")["spec"]["rules"][0]["host"] == "research.example.org"
    assert named(manifests, "ServiceAccount")["metadata"]["annotations"]
    if not beside:
        assert {one["authenticationRef"]["name"] for one in named(manifests, "ScaledObject")["spec"]["triggers"]} == {
            named(manifests, "TriggerAuthentication")["metadata"]["name"]
        }


def test_an_api_is_asked_while_others_are_away(renderer: Path) -> None:
    (api,) = named(render(renderer, NEEDED), "Deployment", "api")["spec"]["template"]["spec"]["containers"]
    probes = {kind: api[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")}
    assert probes == {"startup": "/readyz", "liveness": "/healthz", "readiness": "/healthz"}


def test_one_alone_counts_workers(renderer: Path) -> None:
    scaled = render(renderer, NEEDED, EVERYTHING)
    assert "replicas" not in named(scaled, "Deployment", "worker")["spec"]
    assert {one["metadata"]["taskQueue"] for one in named(scaled, "ScaledObject")["spec"]["triggers"]} == {TASK_QUEUE}
    controlled = render(renderer, NEEDED, EVERYTHING, CONTROLLED)
    assert [one["metadata"]["name"] for one in controlled if one["kind"] == "Deployment"] == ["mine-api"]
    connection = named(controlled, "Connection")
    deployment = named(controlled, "WorkerDeployment")["spec"]
    assert deployment["workerOptions"]["connectionRef"]["name"] == connection["metadata"]["name"]
    assert connection["spec"]["apiKeySecretRef"] == {"name": "temporal-key", "key": "TEMPORAL_API_KEY"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"temporal": {"address": ""}}, "set temporal.address"),
        ({"store": {"url": ""}}, "set store.url"),
        ({"store": {"url": "sqlite:///data/elcano.db"}}, "cannot share a SQLite file"),
        ({"store": {"objectsUrl": ""}}, "set store.objectsUrl"),
        ({"store": {"objectsUrl": "file:///data"}}, "name a bucket"),
        ({"keda": {"enabled": True}, "workerController": {"enabled": True}}, "choose one"),
        ({"worker": {"deployment": "x"}, "workerController": {"enabled": True}}, "the controller names the deployment"),
        ({"settings": {"ELCANO_STORE_URL": "postgresql://other"}}, "settings.ELCANO_STORE_URL has a value of its own"),
        ({"settings": {"ELCANO_METRICS_PORT": 9000}}, "settings.ELCANO_METRICS_PORT has a value of its own"),
        ({"settings": {"ELCANO_SHUTDOWN_SECONDS": "60"}}, "would be killed before they are done"),
        ({"keda": {"enabled": True, "minReplicas": 30}}, "more than keda.maxReplicas"),
        ({"ingress": {"enabled": True}}, "ingress.enabled needs api.url"),
    ],
)
def test_what_cannot_work_is_refused_in_words(renderer: Path, given: Mapping[str, Any], said: str) -> None:
    with pytest.raises(AssertionError, match=said):
        render(renderer, NEEDED, given)


@pytest.mark.parametrize(
    "given",
    [
        {"worker": {"replicas": "many"}},
        {"worker": {"replicas": -1}},
        {"keda": {"minReplicas": 0}},
        {"workers": {"replicas": 2}},
        {"image": {"digest": "latest"}},
        {"temporal": {"address": "temporal"}},
        {"settings": {"elcano_model": "offline"}},
        {"settings": {"ELCANO_COLLECTIONS": {"a": "b"}}},
        {"api": {"url": "research.example.org"}},
    ],
    ids=str,
)
def test_nonsense_does_not_fit_the_schema(renderer: Path, given: Mapping[str, Any]) -> None:
    from jsonschema import ValidationError

    with pytest.raises(ValidationError):
        render(renderer, NEEDED, given)
