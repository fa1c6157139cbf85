"""The import table of the house, enforced: rooms, programs, the environment, file sizes and docstrings."""

import ast
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ("worker", "dev", "cli")
CLOCKLESS = {
    *("abc", "base64", "collections", "copy", "dataclasses", "decimal", "difflib", "enum", "fractions", "functools"),
    *("hashlib", "heapq", "html", "itertools", "json", "math", "operator", "re", "statistics", "string", "textwrap"),
    *("types", "typing", "unicodedata", "urllib.parse"),
}
"""The standard library without clocks, chance and I/O."""
SEQUENTIAL = {"asyncio", "contextlib", "datetime"}
"""What Temporal makes deterministic in workflow code."""
ACTIVITY_SIDE = {"temporalio.activity", "temporalio.exceptions"}
CLIENT_SIDE = {f"temporalio.{name}" for name in ("api", "client", "common", "envconfig", "exceptions", "service")}
GUARDED = {
    *("activities", "api", "graphs", "settings", "storage", "workflows"),
    *("fastapi", "httpx", "pydantic_ai", "sqlalchemy", "temporalio"),
}
"""What a room may import only if its line says so. Closed rooms may import nothing else either."""
ROOMS = {
    "graphs": {"graphs", "pydantic", "jmespath", *CLOCKLESS},
    "workflows": {"workflows", "graphs", "temporalio", *SEQUENTIAL, *CLOCKLESS},
    "activities": {"activities", "graphs", "storage", "settings", "pydantic_ai", "httpx", *ACTIVITY_SIDE},
    "storage": {"storage", "graphs", "settings", "sqlalchemy"},
    "api": {"api", "graphs", "workflows", "storage", "settings", "fastapi", *CLIENT_SIDE},
    "cli": {"graphs", "settings", "httpx"},
    "settings": set[str](),
    "worker": GUARDED,
    "dev": GUARDED,
}
CLOSED = ("graphs", "workflows")
EXTRA = {"storage/payloads.py": {"temporalio"}}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
IMPURE_CALLS = {"open", "eval", "exec", "input", "print", "__import__"}
MAX_LINES = 400


def python_files() -> list[Path]:
    folders = [folder for name in (*ROOMS, "benchmarks") if (folder := ROOT / name).is_dir()]
    return sorted([*ROOT.glob("*.py"), *(file for folder in folders for file in folder.rglob("*.py"))])


def within(name: str, allowed: set[str]) -> bool:
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
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
    if top in PROGRAMS and top != room:
        return "programs are never imported"
    if within(name, {*ROOMS[room], *EXTRA.get(file.as_posix(), ()), *({room} & set(PROGRAMS))}):
        return None
    if room in CLOSED or top in GUARDED:
        return f"{room} may import only {', '.join(sorted(ROOMS[room] - CLOCKLESS)) or 'no room'}"
    return None


def violations(file: PurePath, source: str) -> list[str]:
    """Every rule that `file` breaks, each with its line."""
    tree = ast.parse(source)
    room = file.parts[0]
    found = [
        f"{file}:{line}: import of {name}: {rule}" for line, name in imported(tree) if (rule := broken_rule(file, name))
    ]
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if room in CLOSED and name in IMPURE_CALLS:
                found.append(f"{file}:{node.lineno}: call of {name}: {room} do no I/O and run no texts")
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in ENVIRONMENT and room != "settings.py":
                found.append(f"{file}:{node.lineno}: os.{name}: only settings.py reads the environment")
    for line, name in imported(tree):
        if name in {f"os.{reader}" for reader in ENVIRONMENT} and room != "settings.py":
            found.append(f"{file}:{line}: import of {name}: only settings.py reads the environment")
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
        ("graphs/a.py", "from datetime import datetime"),
        ("graphs/a.py", "import temporalio.workflow"),
        ("graphs/a.py", "from storage import evidence"),
        ("graphs/a.py", "def f():\n    import asyncio"),
        ("graphs/a.py", "open('x')"),
        ("graphs/a.py", "from urllib.request import urlopen"),
        ("workflows/a.py", "import os"),
        ("workflows/a.py", "from random import random"),
        ("workflows/a.py", "from settings import settings"),
        ("workflows/a.py", "from activities.sources import base"),
        ("workflows/a.py", "from ..activities import base"),
        ("activities/a.py", "from temporalio import workflow"),
        ("activities/a.py", "from workflows.research import ResearchWorkflow"),
        ("activities/a.py", "from api.app import app"),
        ("activities/a.py", "import os\nkey = os.environ['KEY']"),
        ("storage/a.py", "from temporalio.converter import StorageDriver"),
        ("storage/a.py", "import fastapi"),
        ("api/a.py", "import activities.sources"),
        ("api/a.py", "from temporalio import activity"),
        ("api/a.py", "import worker"),
        ("api/a.py", "from os import getenv"),
        ("cli/a.py", "from temporalio.client import Client"),
        ("cli.py", "from storage.runs import Runs"),
        ("worker.py", "import dev.stack"),
        ("worker.py", "import os\nos.getenv('HOME')"),
        ("settings.py", "from graphs.errors import ElcanoError"),
        ("api/a.py", "x = 1\n" * 401),
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
        ("workflows/a.py", "import asyncio\nfrom temporalio import workflow\nfrom graphs.engine import advance"),
        ("activities/a.py", "import os\nimport docx\nfrom temporalio import activity\nos.getpid()"),
        ("storage/payloads.py", "from temporalio.converter import StorageDriver"),
        ("api/a.py", "from temporalio.client import Client\nfrom workflows.research import ResearchWorkflow"),
        ("dev/a.py", "from dev.stack import Stack\nfrom storage.store import open_store"),
        ("settings.py", "import os\nos.environ"),
        ("api/a.py", "x = 1\n" * 400),
    ],
)
def test_what_the_table_allows_is_no_violation(file: str, source: str) -> None:
    assert violations(PurePath(file), source) == []
