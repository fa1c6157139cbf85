"""The import table of the house, enforced: rooms, programs, the environment, file sizes and docstrings."""

import ast
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ("worker", "dev", "cli")
CLOCKLESS = {
    *(
        "abc",
        "base64",
        "bisect",
        "collections",
        "copy",
        "dataclasses",
        "decimal",
        "difflib",
        "enum",
        "fractions",
        "functools",
    ),
    *("hashlib", "heapq", "html", "itertools", "json", "math", "operator", "re", "statistics", "string", "textwrap"),
    *("bisect", "datetime", "ipaddress", "types", "typing", "unicodedata", "urllib.parse"),
}
"""The standard library without clocks, chance and I/O; of `datetime` its types."""
CLOCKS = {"now", "utcnow", "today"}
"""The clocks of `datetime`."""
SEQUENTIAL = {"asyncio", "contextlib"}
"""What Temporal makes deterministic in workflow code."""
ACTIVITY_SIDE = {"temporalio.activity", "temporalio.exceptions"}
CLIENT_SIDE = {
    f"temporalio.{name}" for name in ("api", "client", "common", "envconfig", "exceptions", "runtime", "service")
}
HALLS = ("subjects", "doors", "operations")
"""The rooms of plugins, each of whose folders is a plugin."""
GUARDED = {
    *HALLS,
    *("activities", "api", "graphs", "service", "settings", "storage", "text", "workflows"),
    *("fastapi", "httpx", "pydantic_ai", "sqlalchemy", "starlette", "temporalio"),
}
"""What a room may import only if its line says so. Closed rooms may import nothing else either."""
KERNEL = GUARDED - set(HALLS)
ROOMS = {
    "graphs": {"graphs", "pydantic", "jmespath", *CLOCKLESS},
    "workflows": {"workflows", "graphs", "temporalio", *SEQUENTIAL, *CLOCKLESS},
    "text": {"text", "graphs"},
    "activities": {"activities", "graphs", "storage", "settings", "text", "pydantic_ai", "httpx", *ACTIVITY_SIDE},
    "storage": {"storage", "graphs", "settings", "sqlalchemy", "alembic", "obstore"},
    "service": {"service", "graphs", "storage", "settings", "text", *CLIENT_SIDE},
    "api": {"api", "service", "graphs", "storage", "settings", "fastapi", "starlette", *CLIENT_SIDE},
    "cli": {"client", "graphs", "settings"},
    "client": {"client", "httpx"},
    "settings": {"settings"},
    "measures": set[str](),
    "redaction": {"settings"},
    "output": set[str](),
    "program_start": set[str](),
    "__main__": set[str](),
    "__init__": set[str](),
    "setup": {"setuptools"},
    "worker": KERNEL,
    "dev": {*GUARDED, "plugins"},
    "testing": {*KERNEL, "testing", "dev", "worker", "plugins"},
    "plugins": {"graphs", "settings"},
    "subjects": {*KERNEL, "subjects"},
    "doors": {*KERNEL, "doors", "subjects"},
    "operations": {*KERNEL, "operations"},
}
CLOSED = ("graphs", "workflows")
ASYNCIO = {"CancelledError", "Future", "Task", "create_task", "gather", "shield"}
"""What workflows may use of asyncio: what takes the same steps in the same order on every Python from 3.11 on.

Compared in the sources of 3.11, 3.12 and 3.13. `wait_for`, `timeout`, `as_completed`, `TaskGroup`, `Semaphore`,
`Condition` and `Queue` were changed; `wait` walks a set.
"""
EXTRA = {
    "storage/payloads.py": {"temporalio"},
    "storage/sealed_payloads.py": {"temporalio"},
    "activities/calls/usage.py": {"temporalio"},
    "activities/calls/heartbeats.py": {"temporalio"},
    "activities/calls/paused_activities.py": {"temporalio"},
    "activities/background_work.py": {"temporalio", "workflows.sandbox"},
    "graphs/plugin.py": {"importlib.import_module"},
    "activities/providers/queue_limits.py": {"temporalio"},
    "workflows/sandbox.py": {"inspect", "threading"},  # it is around workflows, not in them
}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
READERS = ("settings", "client")
"""Who may read the environment: the client is also installed alone."""
IMPURE_CALLS = {"open", "eval", "exec", "input", "print", "__import__"}
MAX_LINES = 350


def python_files() -> list[Path]:
    folders = [folder for name in (*ROOMS, "benchmarks") if (folder := ROOT / name).is_dir()]
    return sorted([*ROOT.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))])


def within(name: str, allowed: set[str]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What is imported, with its line; of our own the name within `elcano`."""
    for line, name in imported_names(tree):
        yield line, name.removeprefix("elcano.")


def imported_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def broken_rule(file: PurePath, name: str) -> str | None:
    room = file.parts[0].removesuffix(".py")
    top = name.split(".")[0]
    if not top:
        return "imports are absolute"
    if room not in ROOMS:
        return None
    if top == "testing" and room != "testing":
        return "fakes are for tests"
    if top in PROGRAMS and top != room and room != "testing" and not (room in HALLS and "command" in file.name):
        return "programs are never imported"
    if is_plugin_workflow(file) and not within(name, {*ROOMS["workflows"], f"{room}.{file.parts[1]}.contracts"}):
        return "workflows of plugins may import what workflows may, and their contracts"
    if within(name, {*ROOMS[room], *EXTRA.get(file.as_posix(), ()), *({room} & set(PROGRAMS))}):
        return None
    if room in CLOSED or top in GUARDED:
        return f"{room} may import only {', '.join(sorted(ROOMS[room] - CLOCKLESS)) or 'no room'}"
    return None


def is_plugin_workflow(file: PurePath) -> bool:
    """Whether a file is workflow code of a plugin: no sandbox checks it where it runs."""
    return file.parts[0] in HALLS and file.name == "workflows.py"


def of_asyncio(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that is taken from asyncio, and asyncio itself under another name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="asyncio"), attr=name):
                yield node.lineno, name
            case ast.ImportFrom(module=str(module), names=names) if within(module, {"asyncio"}):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.Import(names=names):
                yield from (
                    (node.lineno, f"{alias.name} as {alias.asname}")
                    for alias in names
                    if within(alias.name, {"asyncio"}) and (alias.asname or alias.name != "asyncio")
                )


def timed_conditions(tree: ast.AST) -> Iterator[int]:
    """The lines that wait for a condition with a timeout."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="wait_condition") | ast.Name(id="wait_condition"), keywords=options):
                if len(node.args) > 1 or any(option.arg in (None, "timeout") for option in options):
                    yield node.lineno


def python_dependent(file: PurePath, tree: ast.AST) -> Iterator[str]:
    """What takes its steps in another order on another Python, so that a run could not be taken up there."""
    for line, name in of_asyncio(tree):
        if name not in ASYNCIO:
            yield f"{file}:{line}: asyncio.{name}: its order of steps may differ between Pythons; see CONTRIBUTING.md"
    for line in timed_conditions(tree):
        yield f"{file}:{line}: wait_condition with a timeout is asyncio.wait_for; use workflows.interruptions"


def read_clocks(tree: ast.AST) -> Iterator[int]:
    """The lines that ask a clock of `datetime`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=of) | ast.Attribute(attr=of), attr=name) if name in CLOCKS:
                if of in ("datetime", "date"):
                    yield node.lineno


def violations(file: PurePath, source: str) -> list[str]:
    """Every rule that `file` breaks, each with its line."""
    tree = ast.parse(source)
    room = "workflows" if is_plugin_workflow(file) else file.parts[0]
    found = [
        f"{file}:{line}: import of {name}: {rule}" for line, name in imported(tree) if (rule := broken_rule(file, name))
    ]
    found += [
        f"{file}:{line}: import of {name}: it is elcano.{name}"
        for line, name in imported_names(tree)
        if name.split(".")[0] in ROOMS.keys() - {"setup"}
    ]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if room in CLOSED and name in IMPURE_CALLS:
                found.append(f"{file}:{node.lineno}: call of {name}: {room} do no I/O and run no texts")
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in ENVIRONMENT and room not in READERS:
                found.append(f"{file}:{node.lineno}: os.{name}: only settings/ read the environment")
    for line, name in imported(tree):
        if name in {f"os.{reader}" for reader in ENVIRONMENT} and room not in READERS:
            found.append(f"{file}:{line}: import of {name}: only settings/ read the environment")
    if room in CLOSED:
        found += [f"{file}:{line}: this is a clock: {room} are given the time" for line in read_clocks(tree)]
    if room == "workflows":
        found.extend(python_dependent(file, tree))
    if (lines := source.count("\n")) > MAX_LINES:
        found.append(f"{file}:{MAX_LINES}: {lines} lines: no file is longer than {MAX_LINES}")
    if file.name == "__init__.py" and not ast.get_docstring(tree):
        found.append(f"{file}:1: no docstring: every folder says its promise")
    return found


def test_the_house_keeps_its_rules() -> None:
    files = python_files()
    assert {file.relative_to(ROOT).parts[0] for file in files} >= {
        "graphs",
        "workflows",
        "activities",
        "storage",
        "api",
    }
    found = [line for file in files for line in violations(file.relative_to(ROOT), file.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("graphs/a.py", "import time"),
        ("graphs/a.py", "from datetime import datetime\ndatetime.now()"),
        ("graphs/a.py", "import datetime\ndatetime.date.today()"),
        ("graphs/a.py", "import temporalio.workflow"),
        ("graphs/a.py", "from elcano.storage import evidence"),
        ("graphs/a.py", "def f():\n    import asyncio"),
        ("graphs/a.py", "open('x')"),
        ("graphs/a.py", "from urllib.request import urlopen"),
        ("workflows/a.py", "import os"),
        ("workflows/a.py", "from random import random"),
        ("workflows/a.py", "from elcano.settings import settings"),
        ("workflows/a.py", "from elcano.activities.sources import base"),
        ("workflows/a.py", "from ..activities import base"),
        ("workflows/a.py", "import asyncio\nasyncio.wait_for(task, 3)"),
        ("workflows/a.py", "import asyncio\nasync def f():\n    async with asyncio.timeout(3):\n        pass"),
        ("workflows/a.py", "import asyncio\nasyncio.wait([task])"),
        ("workflows/a.py", "import asyncio\nasyncio.as_completed([task])"),
        ("workflows/a.py", "import asyncio\nroom = asyncio.Semaphore(3)"),
        ("workflows/a.py", "import asyncio\nTasks = asyncio.TaskGroup"),
        ("workflows/a.py", "import asyncio\nasyncio.get_running_loop().call_later(3, f)"),
        ("workflows/a.py", "from asyncio import Queue"),
        ("workflows/a.py", "from asyncio.locks import Lock"),
        ("workflows/a.py", "import asyncio as aio"),
        ("workflows/a.py", "import asyncio.locks"),
        ("workflows/a.py", "workflow.wait_condition(f, timeout=3)"),
        ("workflows/a.py", "wait_condition(f, **options)"),
        ("doors/a/workflows.py", "import time"),
        ("doors/a/workflows.py", "import datetime\ndatetime.datetime.now()"),
        ("doors/a/workflows.py", "from elcano.doors.b.contracts import B"),
        ("activities/a.py", "from temporalio import workflow"),
        ("activities/a.py", "from elcano.workflows.research import ResearchWorkflow"),
        ("activities/a.py", "from elcano.api.app import app"),
        ("activities/a.py", "import os\nkey = os.environ['KEY']"),
        ("storage/a.py", "from temporalio.converter import StorageDriver"),
        ("storage/a.py", "import fastapi"),
        ("api/a.py", "import elcano.activities.sources"),
        ("service/a.py", "from fastapi import Request"),
        ("service/a.py", "from elcano.api.app import app"),
        ("text/a.py", "from elcano.storage.evidence import Passage"),
        ("subjects/a/b.py", "from elcano.doors.page.formats import x"),
        ("doors/a/b.py", "from elcano.operations.access.roles import x"),
        ("api/a.py", "from elcano.doors.page.formats import x"),
        ("api/a.py", "from temporalio import activity"),
        ("api/a.py", "import elcano.worker"),
        ("api/a.py", "from os import getenv"),
        ("cli/a.py", "from temporalio.client import Client"),
        ("cli.py", "from elcano.storage.runs import Runs"),
        ("worker.py", "import elcano.dev.stack"),
        ("worker.py", "import os\nos.getenv('HOME')"),
        ("dev/a.py", "from elcano.testing import ScriptedModel"),
        ("worker.py", "import elcano.testing.model"),
        ("api/a.py", "from graphs.errors import ElcanoError"),
        ("api/a.py", "from api.app import app"),
        ("settings/a.py", "from elcano.graphs.errors import ElcanoError"),
        ("api/a.py", "x = 1\n" * 351),
        ("api/routes/__init__.py", "x = 1"),
    ],
)
def test_a_planted_violation_is_named(file: str, source: str) -> None:
    (line,) = violations(PurePath(file), source)
    assert line.startswith(f"{file}:")


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("graphs/a.py", "from collections.abc import Mapping\nfrom pydantic import Field\nimport jmespath"),
        ("workflows/a.py", "import asyncio\nfrom temporalio import workflow\nfrom elcano.graphs.engine import advance"),
        ("workflows/a.py", "import asyncio\nasyncio.shield(asyncio.create_task(f()))\nasyncio.gather(f(), g())"),
        ("workflows/a.py", "from asyncio import CancelledError\nworkflow.wait_condition(f)"),
        ("activities/a.py", "import asyncio\nasyncio.wait_for(task, 3)"),
        ("activities/a.py", "import os\nimport docx\nfrom temporalio import activity\nos.getpid()"),
        ("storage/payloads.py", "from temporalio.converter import StorageDriver"),
        ("api/a.py", "from temporalio.client import Client\nfrom elcano.storage.store import Store"),
        ("dev/a.py", "from elcano.dev.stack import Stack\nfrom elcano.storage.store import open_store"),
        ("settings/a.py", "import os\nos.environ"),
        ("testing/a.py", "from elcano.worker import build_worker\nfrom elcano.dev.temporal import temporal_binary"),
        ("api/a.py", "x = 1\n" * 350),
    ],
)
def test_what_the_table_allows_is_no_violation(file: str, source: str) -> None:
    assert violations(PurePath(file), source) == []


def test_routes_get_what_is_their_tenants_and_nothing_else() -> None:
    """Only what is nobody's, whether the service is ready, may look at the process."""
    for file in sorted((ROOT / "api" / "routes").glob("*.py")):
        names = [name for _, name in imported(ast.parse(file.read_text(encoding="utf-8")))]
        assert not [name for name in names if within(name, {"storage"})], file
        assert file.name == "health.py" or "api.services.InProcess" not in names, file
