"""Plugins: the kernel imports none, each imports only those it declares, and what workflows load of them is pure."""

import ast
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType

import pytest

from elcano.graphs.plugin import Plugin, list_plugins, load_objects, resolve_path
from elcano.plugins import BUILT_IN
from tests.architecture.test_rooms import CLOCKLESS, HALLS, ROOT, imported, python_files, read_clocks, within

PROGRAMS = ("worker.py", "dev", "client", "cli", "testing", "benchmarks", "plugins.py", *HALLS)
"""Where plugins and rooms may be put together."""
PURE_KINDS = ("agents", "tools", "reducers", "modes", "sources", "looks")
OTHER_KINDS = (
    "services",
    "models",
    "keyless",
    "openers",
    "settings",
    "routes",
    "commands",
    "checks",
    "stores",
    "report_additions",
    "document_files",
    "admission_rules",
    "archivers",
    "starters",
    "companions",
    "background",
    "middleware",
    "parts",
)
PURE_IMPORTS = {"graphs", *HALLS, "pydantic", "jmespath", *CLOCKLESS}


def built_in() -> list[Plugin]:
    found = [import_module(f"elcano.{room}.{name}.plugin").plugin for name, room in BUILT_IN.items()]
    assert [plugin.name for plugin in found] == [*BUILT_IN]
    return found


def named_by(plugin: Plugin, kind: str) -> list[str]:
    paths = getattr(plugin, kind)
    return [*(paths.values() if isinstance(paths, dict) else paths)]


def imports_of(path: Path) -> Iterator[str]:
    yield from (name for _, name in imported(ast.parse(path.read_text(encoding="utf-8"))))


def test_the_kernel_imports_no_plugin() -> None:
    files = [path for path in python_files() if path.relative_to(ROOT).parts[0] not in PROGRAMS]
    assert len(files) > 300
    found = [
        (str(path.relative_to(ROOT)), name) for path in files for name in imports_of(path) if within(name, set(HALLS))
    ]
    assert found == []


@pytest.mark.parametrize("plugin", built_in(), ids=lambda plugin: plugin.name)
def test_a_plugin_imports_those_that_it_needs_and_no_other(plugin: Plugin) -> None:
    allowed = {f"{BUILT_IN[name]}.{name}" for name in (plugin.name, *plugin.needs)}
    files = (ROOT / BUILT_IN[plugin.name] / plugin.name).rglob("*.py")
    found = [(path.name, name) for path in files for name in imports_of(path) if within(name, set(HALLS))]
    assert [(path, name) for path, name in found if not within(name, allowed)] == []


@pytest.mark.parametrize("plugin", built_in(), ids=lambda plugin: plugin.name)
def test_only_its_commands_import_the_command_line(plugin: Plugin) -> None:
    files = [path for path in (ROOT / BUILT_IN[plugin.name] / plugin.name).rglob("*.py") if "command" not in path.name]
    assert [(path.name, name) for path in files for name in imports_of(path) if within(name, {"cli"})] == []


def reached(module: ModuleType, seen: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """The modules of plugins that importing this one imports, by name."""
    seen[module.__name__] = module
    assert module.__file__ is not None
    for name in imports_of(Path(module.__file__)):
        for candidate in (f"elcano.{name}", f"elcano.{name.rpartition('.')[0]}"):
            found = sys.modules.get(candidate)
            if candidate.removeprefix("elcano.").startswith(HALLS) and found is not None and candidate not in seen:
                reached(found, seen)
    return seen


@pytest.mark.parametrize("plugin", built_in(), ids=lambda plugin: plugin.name)
def test_what_workflows_load_of_a_plugin_is_pure(plugin: Plugin) -> None:
    modules: dict[str, ModuleType] = {}
    for path in chain.from_iterable(named_by(plugin, kind) for kind in PURE_KINDS):
        resolve_path(plugin, path)
        reached(sys.modules[plugin.absolute(path).partition(":")[0]], modules)
    wrong = [
        (name, imports)
        for name, module in modules.items()
        for imports in imports_of(Path(module.__file__ or ""))
        if not within(imports, PURE_IMPORTS)
    ]
    assert wrong == []
    assert [name for name, module in modules.items() if [*read_clocks(ast.parse(inspect.getsource(module)))]] == []


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_everything_that_a_plugin_names_is_there(kind: str) -> None:
    assert len(load_objects(kind)) == sum(len(getattr(plugin, kind)) for plugin in list_plugins())


def test_every_kind_of_path_is_looked_at() -> None:
    fields = set(Plugin.__dataclass_fields__) - {"name", "description", "package", "needs"}
    assert fields == {*PURE_KINDS, *OTHER_KINDS}
