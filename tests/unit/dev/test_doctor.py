"""`elcano doctor` names what is missing and how to mend it, and shows no secret."""

import json
import tempfile
from pathlib import Path

import httpx
import pytest

from elcano import settings
from elcano.dev import doctor, external_checks
from elcano.dev.claims import free_ports
from elcano.graphs.catalogue.sources import SOURCES, SourceLimits, SourcePolicy, SourceSpec
from elcano.settings import Settings
from elcano.settings.plugins import Finding
from elcano.subjects.knowledge import knowledge_store as knowledge_checks


def test_doctor_says_how_to_mend(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "a.md").write_text("# A\n\nText.\n")
    (documents / "b.xyz").write_text("?")
    values: dict[str, str] = {
        "ELCANO_DATA_DIR": str(tmp_path / "data"),
        "ELCANO_MODEL": "openai:gpt-5.1,offline",
        "ELCANO_COLLECTIONS": json.dumps({"good": str(documents), "gone": str(tmp_path / "gone")}),
        "OPENAI_API_KEY": "",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    (port,) = free_ports(1)
    monkeypatch.setenv("ELCANO_API_URL", f"http://127.0.0.1:{port}")
    settings.get_settings.cache_clear()
    assert doctor.main() == 1
    shown = capsys.readouterr().out
    assert "set OPENAI_API_KEY" in shown
    assert "this shell: model openai:gpt-5.1: OPENAI_API_KEY is not set" in shown
    assert "this shell: collection good: 1 documents" in shown
    assert "leaves out *.xyz" in shown
    assert "collection gone: " in shown
    assert "`elcano serve` starts one" in shown
    monkeypatch.setenv("OPENAI_API_KEY", "value-of-the-key")
    monkeypatch.setenv("ELCANO_COLLECTIONS", "{}")
    settings.get_settings.cache_clear()
    assert doctor.main() == 0
    shown = capsys.readouterr().out
    assert "OPENAI_API_KEY is set" in shown
    assert "value-of-the-key" not in shown
    settings.get_settings.cache_clear()


def test_a_server_that_is_ready_is_not_judged_by_this_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    checks = {"temporal": {"ok": True, "detail": ""}, "worker": {"ok": False, "detail": "no worker polls"}}
    waiting = {"name": "articles", "state": "waiting", "last_error": "articles: HTTP 429"}
    answers = iter(
        [
            httpx.Response(200, json={"ready": True}),
            httpx.Response(200, json=[waiting, {"name": "handbook", "state": "ready", "last_error": ""}]),
            httpx.Response(200, json=[{"name": "analysis", "unavailable": ["install this"], "left_out": []}]),
            httpx.Response(503, json={"ready": False, "checks": checks}),
        ]
    )
    monkeypatch.setattr(httpx, "get", lambda *_, **__: next(answers))
    monkeypatch.setenv("ELCANO_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ELCANO_MODEL", "openai:gpt-5.1")
    monkeypatch.setenv("ELCANO_COLLECTIONS", json.dumps({"gone": str(tmp_path / "gone")}))
    monkeypatch.setenv("OPENAI_API_KEY", "")
    settings.get_settings.cache_clear()
    assert doctor.main() == 0
    shown = capsys.readouterr().out
    assert "note  this shell: model openai:gpt-5.1: OPENAI_API_KEY is not set" in shown
    assert "note  this shell: collection gone: " in shown
    assert "was started with settings of its own" in shown
    assert "note  source articles is waiting: articles: HTTP 429" in shown
    assert "handbook" not in shown
    assert "note  mode analysis is refused\n      install this" in shown
    assert doctor.main() == 1, "a server that is not ready has to be mended"
    shown = capsys.readouterr().out
    assert "MEND  this shell: model openai:gpt-5.1" in shown
    assert "is not ready (HTTP 503)\n      worker: no worker polls\n" in shown
    settings.get_settings.cache_clear()


def test_a_disk_without_room_for_a_file_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full)
        (finding,) = doctor.data_folder(Settings(_env_file=None, data_dir=tmp_path))
    assert (finding.grade, finding.remedy) == ("fault", "make room, or set ELCANO_DATA_DIR to another folder")
    assert finding.text.endswith("cannot be written to (No space left on device)")


def test_a_source_that_nothing_opens_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SourceSpec(name="articles", kind="articles", description="Articles.", opened_by=".shelf:open_source")
    assert [finding.grade for finding in doctor.check_plugins(Settings(_env_file=None))] == ["good"]
    monkeypatch.setitem(SOURCES, "articles", spec)
    fault, _ = doctor.check_plugins(Settings(_env_file=None))
    assert fault.grade == "fault"
    assert fault.text == "the source 'articles' names '.shelf:open_source', which has to read `package.module:name`"


def test_sources_with_a_key_say_whether_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SourceSpec(
        name="articles",
        kind="articles",
        description="Articles.",
        key="ARTICLES_KEY",
        needs_key=True,
        limits=SourceLimits(per_second=3),
        policy=SourcePolicy(),
    )
    monkeypatch.setitem(SOURCES, "articles", spec)
    monkeypatch.setenv("ARTICLES_KEY", "")
    lacking = said_of("articles")
    assert (lacking.grade, lacking.text) == ("note", "source articles is not offered: set ARTICLES_KEY")
    monkeypatch.setenv("ARTICLES_KEY", "a secret")
    ready = said_of("articles")
    assert (ready.grade, ready.text) == ("good", "source articles: 3 searches a second, ARTICLES_KEY is set")


def test_a_source_that_a_setting_alone_turns_on_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SourceSpec(
        name="tides",
        kind="tables",
        description="Tides.",
        setting="ELCANO_TIDES_FILE",
        turned_on_by="the path of the almanac",
        limits=SourceLimits(),
        policy=SourcePolicy(),
    )
    monkeypatch.setitem(SOURCES, "tides", spec)
    monkeypatch.delenv("ELCANO_TIDES_FILE", raising=False)
    off = said_of("tides")
    wanted = "source tides is not offered: set ELCANO_TIDES_FILE to the path of the almanac"
    assert (off.grade, off.text) == ("note", wanted)
    monkeypatch.setenv("ELCANO_TIDES_FILE", "almanac.csv")
    on = said_of("tides")
    assert (on.grade, on.text) == ("good", "source tides")


def said_of(source: str) -> Finding:
    """What `doctor` says of one source."""
    (finding,) = [
        one for one in doctor.check_sources(Settings(_env_file=None)) if one.text.startswith(f"source {source}")
    ]
    return finding


def test_a_model_at_an_address_of_its_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", "")
    urls = {"vllm": "http://user:secret@gpu:8000/v1"}
    (finding,) = doctor.check_models(Settings(_env_file=None, model="vllm:qwen3", model_urls=urls))
    assert (finding.grade, "gpu:8000/v1" in finding.text) == ("good", True)
    assert "secret" not in finding.text


def test_the_server_of_the_knowledge_graph_has_to_be_there_and_to_have_age(
    monkeypatch: pytest.MonkeyPatch, age: str
) -> None:
    def said(url: str) -> str:
        return " ".join(
            f"{one.grade}: {one.text}; {one.remedy}"
            for one in knowledge_checks.check_knowledge_graph(Settings(knowledge=url))
        )

    assert "good: knowledge graph at " in said(age)
    assert "Apache AGE 1." in said(age)
    gone = said("postgresql://reader:hunter22@127.0.0.1:1/graph")
    assert "fault: the knowledge graph at " in gone
    assert "cannot be reached" in gone
    assert "hunter22" not in gone
    assert said("tables") == ""

    async def none(url: str) -> None:
        return None

    monkeypatch.setattr(knowledge_checks, "age_version", none)
    assert "does not have Apache AGE; install AGE there, or set ELCANO_KNOWLEDGE to `tables`" in said(age)


def test_a_secret_that_is_too_short_to_be_removed_is_said_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    servers = {"tickets": {"command": "tickets", "environment": {"PIN": "0815", "LEVEL": "info"}, "public": ["LEVEL"]}}
    (tmp_path / ".env").write_text(f"SOME_PASSWORD=abc\nELCANO_MCP_SERVERS='{json.dumps(servers)}'\n")
    monkeypatch.setenv("ELCANO_STORE_URL", "postgresql://elcano:xyz@db/elcano")
    findings = list(doctor.check_secrets(Settings(_env_file=None)))
    assert {one.text.partition(" has fewer")[0] for one in findings} == {
        "SOME_PASSWORD",
        "the password in ELCANO_STORE_URL",
        "PIN of the MCP server 'tickets'",
    }
    assert not any(secret in one.text for one in findings for secret in ("abc", "xyz", "0815"))


def test_a_temporal_server_that_is_away_is_a_fault(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    chosen = Settings(TEMPORAL_ADDRESS=f"127.0.0.1:{port}", data_dir=tmp_path)
    (finding,) = external_checks.check_temporal(chosen)
    assert (finding.grade, "does not answer" in finding.text) == ("fault", True)
    assert "TEMPORAL_ADDRESS" in finding.remedy
