"""A program that cannot use its settings or its files says so in a sentence, and ends with exit code 2."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from elcano import settings, worker
from elcano.api import __main__ as api
from elcano.dev import __main__ as serve
from elcano.dev import demo, doctor
from elcano.dev.claims import free_ports
from elcano.dev.program import CannotStart
from elcano.dev.stack import open_stack
from elcano.settings import Settings, SettingsInvalid
from elcano.storage.store import DATABASE_FILE
from tests.cases import long_case

ROOT = Path(__file__).parents[2]
BAD_COLLECTIONS = (
    "ELCANO_COLLECTIONS is 'docs', which cannot be used: it is no JSON (Expecting value at character 1); "
    'write JSON such as {"handbook": "docs/handbook"}\n'
)


async def ended(program: Sequence[str], chosen: Settings, **variables: str) -> tuple[int | None, str]:
    """The exit code of a program and all that it said."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        f"elcano.{program[0]}",
        *program[1:],
        cwd=ROOT,
        env=chosen.environment() | variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return process.returncode, said.decode()


def alone(folder: Path) -> Settings:
    """Settings with which nothing that runs elsewhere is found."""
    api, temporal, ui = free_ports(3)
    ports = {"api_port": api, "temporal_port": temporal, "temporal_ui_port": ui}
    return Settings.model_validate({"data_dir": folder, "TEMPORAL_ADDRESS": "", **ports})


async def test_a_setting_that_cannot_be_read_is_named_in_a_line(tmp_path: Path) -> None:
    assert await ended(["cli", "runs"], alone(tmp_path), ELCANO_COLLECTIONS="docs") == (2, BAD_COLLECTIONS)


@pytest.mark.parametrize("program", ["worker", long_case("api")])
async def test_a_setting_of_a_plugin_is_named_too(tmp_path: Path, program: str) -> None:
    code, said = await ended([program], alone(tmp_path), ELCANO_ENCRYPTION_KEYS="bad")
    assert code == 2
    assert "cannot start: ELCANO_ENCRYPTION_KEYS: key 1 has no name" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "main",
    [worker.main, api.main, serve.main, demo.main, doctor.main],
    ids=["worker", "api", "serve", "demo", "doctor"],
)
def test_no_program_begins_with_such_a_setting(
    main: Callable[[], object], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["program"])
    monkeypatch.setattr("os._exit", sys.exit)  # by which a worker ends, and would end the tests
    monkeypatch.setenv("ELCANO_COLLECTIONS", "docs")
    settings.get_settings.cache_clear()
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capfd.readouterr().err) == (2, BAD_COLLECTIONS)


@pytest.mark.parametrize(
    ("variable", "value", "fault"),
    [
        ("ELCANO_COLLECTIONS", '["docs"]', "input should be a valid dictionary"),
        ("ELCANO_AGENT_MODELS", '{"writer": 3}', "ELCANO_AGENT_MODELS['writer'] is '3'"),
        ("ELCANO_API_PORT", "70000", "input should be less than or equal to 65535"),
        ("ELCANO_LOG_LEVEL", "loud", "Log level of the programs."),
        ("ELCANO_MODEL_BASE_URL", "localhost:8000", "`http://localhost:8000/v1`"),
        ("ELCANO_MODEL_URLS", '{"vllm": "gpu:8000"}', '{"vllm:qwen": "http://gpu:8000/v1"}'),
        ("ELCANO_MODEL_URLS", '{"vllm": ""}', "it is no address"),
        ("ELCANO_MODEL_URLS", "http://gpu:8000", "it is no JSON"),
        pytest.param("ELCANO_MODEL_URLS", '{"a":' * 100_000, "it is nested too deeply", id="nested"),
        ("ELCANO_TEMPORAL_UI_URL", "localhost:8233", "it is no address such as `https://temporal.example.org`"),
        ("ELCANO_COLLECTIONS", r'{"handbook": "C:\docs"}', r"JSON writes a backslash twice (`C:\\docs`)"),
        (
            "ELCANO_COLLECTIONS",
            r'{"handbook": "C:\temp"}',
            "a control character: JSON writes a backslash twice",
        ),
        ("ELCANO_DATABASES", r'{"sales": "D:\new.csv"}', "a path in it has a control character"),
        ("ELCANO_TRUSTED_HOSTS", "research.example.org", 'write JSON such as ["research.example.org"]'),
        ("ELCANO_DEFAULT_SOURCES", "handbook", 'write JSON such as ["handbook", "pubmed"]'),
        ("ELCANO_PRIVATE_HOSTS", "wiki.example.org", 'write JSON such as ["wiki.example.org"]'),
        ("ELCANO_ALLOWED_ORIGINS", '["*"]', "`*` is not allowed"),
        ("ELCANO_ALLOWED_ORIGINS", '["https://app.example.org/"]', "without a path or a slash at its end"),
        ("USE_GRAPH_EXECUTION", "perhaps", "USE_GRAPH_EXECUTION is 'perhaps'"),
    ],
)
def test_every_setting_is_refused_by_its_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, fault: str
) -> None:
    monkeypatch.setenv(variable, value)
    settings.get_settings.cache_clear()
    with pytest.raises(SettingsInvalid) as refused:
        settings.get_settings()
    assert variable in str(refused.value)
    assert fault in str(refused.value)


def test_all_bad_settings_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELCANO_API_PORT", "no")
    monkeypatch.setenv("ELCANO_COLLECTIONS", "no")
    settings.get_settings.cache_clear()
    with pytest.raises(SettingsInvalid) as refused:
        settings.get_settings()
    assert [line.split()[0] for line in str(refused.value).splitlines()] == ["ELCANO_COLLECTIONS", "ELCANO_API_PORT"]


async def test_a_folder_that_is_not_there_keeps_worker_and_stack_from_starting(tmp_path: Path) -> None:
    chosen = alone(tmp_path).model_copy(update={"collections": {"gone": tmp_path / "gone"}})
    code, said = await ended(["worker"], chosen)
    assert code == 2
    (line,) = said.splitlines()
    assert f"ELCANO_COLLECTIONS names folders that are not there ('gone': '{tmp_path / 'gone'}')" in line
    with pytest.raises(CannotStart, match="ELCANO_COLLECTIONS names folders that are not there"):
        async with open_stack(chosen):
            pass


@pytest.mark.parametrize("program", ["worker", long_case("api")])
async def test_a_damaged_database_is_named_and_a_variable_that_is_no_setting(tmp_path: Path, program: str) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"no database " * 1_000)
    code, said = await ended([program], alone(tmp_path), ELCANO_COLECTIONS='{"handbook": "docs"}')
    assert code == 2
    assert "ELCANO_COLECTIONS in the environment is no setting: did you mean ELCANO_COLLECTIONS?" in said
    *_, line = said.splitlines()  # A worker says its version before it opens anything.
    assert f"the database '{tmp_path / DATABASE_FILE}' is damaged (file is not a database)" in line
    assert "put back a copy" in line


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('{"Sales": "sqlite:///a.db", "9": ""}', "'Sales', '9' cannot be the name of a database"),
        ('{"a": "x.csv", "a": "y.csv"}', "it has 'a' twice"),
        ('{"A": "", "s": "sqlite://a.db", "t": "http://x"}', "the address of 's', 't' is none of"),
        ('{"s": "mysql://root:hunter22@db/x"}', "'s' is none of `sqlite:///path`"),
        ('{"s": ""}', "'s' is none of"),
        ('{"s": "sqlite://a.db"}', "'s' is none of"),
        ("postgresql://u:hunter22@h/d", "it is no JSON"),
    ],
)
def test_bad_databases_are_named_and_their_passwords_are_not(
    written: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELCANO_DATABASES", written)
    settings.get_settings.cache_clear()
    with pytest.raises(SettingsInvalid) as raised:
        settings.get_settings()
    assert said in str(raised.value)
    assert "hunter22" not in str(raised.value)


def test_passwords_of_databases_are_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(
        "ELCANO_DATABASES",
        '{"a": "postgresql://u:first%20secret@h/d", "b": "postgresql://u@h/d?password=other-secret&x=1"}',
    )
    assert {"first%20secret", "first secret", "other-secret"} <= set(settings.list_secrets())


@pytest.mark.parametrize("value", ['{"time": {"env": {"KEY": "hunter22"}', '{"time": "hunter22"}'])
def test_a_bad_server_of_tools_is_named_and_its_keys_are_not(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("ELCANO_MCP_SERVERS", value)
    settings.get_settings.cache_clear()
    with pytest.raises(SettingsInvalid, match="ELCANO_MCP_SERVERS") as refused:
        settings.get_settings()
    assert "hunter22" not in str(refused.value)
