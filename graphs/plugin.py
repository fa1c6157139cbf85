"""The definition of a plugin: one object that names everything a subject adds; and what the loaded ones add.

A plugin is one folder, with its object `plugin` in `plugin.py`. Its parts are named by dotted paths and imported when
needed: workflows never load code that does I/O, and `elcano --help` loads nothing but names. A path that begins with a
dot is relative to the plugin's package: `.agents.judge:AGENT`.

A process has one set of plugins: programs load those that the settings name, and so does the first code that asks.
Workflow code reads registries that were filled before (`load_registries`), since nothing may be imported while it runs.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

from elcano.graphs.errors import InputInvalid

Path: TypeAlias = str
"""The dotted path of an object, `package.module:name`, or `.module:name` within the plugin's package."""


PartName: TypeAlias = Literal[
    "allowance",  # of the settings: what returns a tenant's `graphs.tenants.Allowance`; else tenants have no limits
    "answer_schema_check",  # of an `output_schema`: a `graphs.errors.Fault` for each thing that cannot be honoured
    "cipher",  # of the settings: the `storage.sql.cipher.Cipher`; else everything is stored in clear
    "identities",  # of the settings: ways to identify callers, each an `api.http.request_identity.Identity`
    "model_observer",  # of the settings: an `activities.calls.models.Observe` around each model that is asked
    "spending_guard",  # of the settings: an `activities.calls.usage.SpendingGuard`, asked before requests to models
    "temporal_plugins",  # of the settings: the `temporalio.client.Plugin`s of clients and workers
]
"""Parts of the kernel of which there is one at most. Those of the settings may be None: it is not set up."""


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """Everything that one subject adds.

    The paths of agents, tools, reducers, modes, sources and looks lead to an object or to a tuple of them. These
    objects are pure: they are loaded into every process, workflows included, and name what does I/O by paths of their
    own.
    """

    name: str
    description: str
    """Description of what it adds, in one sentence, for `elcano doctor`."""
    package: str
    """The package that its relative paths start from."""
    needs: tuple[str, ...] = ()
    """Plugins whose code it uses; it cannot be loaded without them."""
    agents: tuple[Path, ...] = ()
    """`AgentDefinition` objects."""
    tools: tuple[Path, ...] = ()
    """`ToolSpec` objects."""
    reducers: tuple[Path, ...] = ()
    """`ReducerSpec` objects."""
    modes: tuple[Path, ...] = ()
    """`Mode` objects."""
    sources: tuple[Path, ...] = ()
    """`SourceSpec` objects."""
    looks: tuple[Path, ...] = ()
    """`LookSpec` objects: what the API asks workers outside any run."""
    services: tuple[Path, ...] = ()
    """Functions that open, of the settings, what its tools use; a worker that starts calls each once."""
    models: Mapping[str, Path] = field(default_factory=dict)
    """Models that no provider serves, by the name that a run chooses: functions that make one."""
    keyless: Mapping[str, Path] = field(default_factory=dict)
    """Functions by which the model that needs no key does a task, by its kind: from a `TaskEnvelope` to the answer. A
    kind is the name of an agent, or of one that writes section by section with `_section` or `_summary`."""
    openers: Mapping[str, Path] = field(default_factory=dict)
    """Kinds of sources that the operator names (`documents`, `database`): functions that open one of its specification
    and the settings."""
    settings: tuple[Path, ...] = ()
    """Models of settings (`pydantic.BaseModel`), read from `ELCANO_<FIELD>` as all settings are."""
    routes: tuple[Path, ...] = ()
    """`fastapi.APIRouter` objects."""
    middleware: tuple[Path, ...] = ()
    """ASGI middleware around the whole API: called with the application and `settings`."""
    commands: Mapping[str, Path] = field(default_factory=dict)
    """`typer.Typer` objects or functions, by the name of the command."""
    report_additions: tuple[Path, ...] = ()
    """Subclasses of `activities.report.additions.ReportAddition`: the parts of a report that the subject adds."""
    checks: tuple[Path, ...] = ()
    """Functions that `elcano doctor` calls with the settings: each yields findings."""
    starters: tuple[Path, ...] = ()
    """Functions that are called with `api` or `worker` and the settings before such a program opens anything."""
    companions: tuple[Path, ...] = ()
    """Functions that are called with a `Surroundings` of the API or a worker, and return an async context manager that
    is entered while the program works."""
    background: tuple[Path, ...] = ()
    """Functions that are called with the `Surroundings` of a worker, and return an async context manager of a sequence
    of `activities.background_work.BackgroundWork`, which the worker does besides runs."""
    stores: Mapping[str, Path] = field(default_factory=dict)
    """Its own stores next to the kernel's, by name: functions that open a `storage.plugin_store.PluginStore` on the
    database's engine and the settings. They are opened even if the plugin is left out: deleting a run reaches them."""
    document_files: tuple[Path, ...] = ()
    """Asynchronous functions of the settings, a tenant's store and a passage that return the file that the passage was
    read from, a `storage.evidence.SourceFile`; None: it is from elsewhere, or the file is gone."""
    admission_rules: tuple[Path, ...] = ()
    """Functions of the settings that return a `storage.admission.AdmissionRule`, a condition for starting a run; None:
    it is not set up."""
    archivers: tuple[Path, ...] = ()
    """Functions that are called with the store and the record of each run that ends, before it is archived."""
    parts: Mapping[PartName, Path] = field(default_factory=dict)
    """Parts of the kernel that it replaces, by name; where no plugin does, the kernel does without."""

    def absolute(self, path: Path) -> Path:
        """Return a path from the root of all packages."""
        return f"{self.package}{path}" if path.startswith(".") else path


@dataclass(frozen=True)
class Surroundings:
    """The parts of a running program, for the companions of plugins. The kernel's rooms know the types."""

    program: Literal["api", "worker"]
    settings: Any
    store: Any
    connect: Callable[[], Awaitable[Any]]
    """Returns the Temporal client; of the API, it may fail while the server is away."""


KERNEL: Final = Plugin(
    name="kernel",
    description="Searching, branches, and the check of what was written.",
    package="elcano.graphs",
    agents=(".agents.review:AGENT",),
    tools=(".catalogue.tools:KERNEL_TOOLS",),
    reducers=(".catalogue.reducers:KERNEL_REDUCERS",),
)

LOADER: Final = "elcano.plugins"
"""The module whose `load_plugins` is called if no program has loaded plugins."""


class NamedObject(Protocol):
    """An object of a registry."""

    @property
    def name(self) -> str:
        """The name that graphs and people use."""


T = TypeVar("T", bound=NamedObject)
_loaded: list[Plugin] = []
_left_out: list[Plugin] = []
_registries: list["Registry[Any]"] = []


class Registry(MutableMapping[str, T], Generic[T]):
    """The objects of one kind that the loaded plugins add, by name, in the order of the plugins.

    A program may add an object of its own; it lasts until plugins are installed anew.
    """

    def __init__(self, kind: str, of: type[T] | None = None) -> None:
        """`kind`: the field of `Plugin` that lists them; `of`: their class."""
        self._kind = kind
        self._class = of
        self._found: dict[str, T] | None = None
        _registries.append(self)

    def __getitem__(self, name: str) -> T:
        found = self._entries()
        if name not in found:
            raise KeyError(f"no loaded plugin has {name!r} among its {self._kind}; there are: {', '.join(found)}")
        return found[name]

    def __setitem__(self, name: str, one: T) -> None:
        self._entries()[name] = one

    def __delitem__(self, name: str) -> None:
        del self._entries()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def load(self) -> None:
        """Import every object now.

        Raises:
            InputInvalid: a plugin names something that is not there or is of another class, or two have one name.
        """
        self._entries()

    def forget(self) -> None:
        """Ask the plugins anew: there are others."""
        self._found = None

    def _entries(self) -> dict[str, T]:
        if self._found is None:
            self._found = self._collect()
        return self._found

    def _collect(self) -> dict[str, T]:
        found: dict[str, T] = {}
        owners: dict[str, str] = {}
        for plugin in list_plugins():
            for path in getattr(plugin, self._kind):
                there = resolve_path(plugin, path)
                for one in there if isinstance(there, tuple) else (there,):
                    if self._class is not None and not isinstance(one, self._class):
                        text = f"{path} of the plugin {plugin.name!r} is no {self._class.__name__}"
                        raise InputInvalid("plugins", text)
                    if (owner := owners.setdefault(one.name, plugin.name)) != plugin.name or one.name in found:
                        text = f"the plugins {owner!r} and {plugin.name!r} both add {one.name!r} to their {self._kind}"
                        raise InputInvalid("plugins", text)
                    found[one.name] = one
        return found


def list_plugins() -> Sequence[Plugin]:
    """The loaded plugins; those that the settings name are loaded if none were."""
    if not _loaded:
        import_module(LOADER).load_plugins()
    return tuple(_loaded)


def list_left_out() -> Sequence[str]:
    """The names of the plugins that are installed and were not loaded."""
    list_plugins()
    return tuple(plugin.name for plugin in _left_out)


def install_plugins(plugins: Sequence[Plugin], left_out: Sequence[Plugin] = ()) -> None:
    """Replace the loaded plugins; what was read of the registries before is forgotten."""
    _loaded[:] = plugins
    _left_out[:] = left_out
    for registry in _registries:
        registry.forget()


def load_registries() -> None:
    """Import everything that workflows may ask for.

    Raises:
        InputInvalid: see `Registry.load`.
    """
    for registry in _registries:
        registry.load()


def list_paths(kind: str) -> list[tuple[Plugin, str]]:
    """Every path that the loaded plugins give for `kind`, with its plugin; of a mapping its values."""
    listed = ((plugin, getattr(plugin, kind)) for plugin in list_plugins())
    every = ((plugin, paths.values() if isinstance(paths, Mapping) else paths) for plugin, paths in listed)
    return [(plugin, path) for plugin, paths in every for path in paths]


def load_objects(kind: str) -> list[Any]:
    """Import every object that the loaded plugins name for `kind`."""
    return [resolve_path(plugin, path) for plugin, path in list_paths(kind)]


def load_configured(kind: str, settings: Any) -> list[Any]:
    """Call the functions that the loaded plugins name for `kind` with the settings; leave out results that are None."""
    made = (make(settings) for make in load_objects(kind))
    return [one for one in made if one is not None]


def find_part(name: PartName) -> Callable[..., Any] | None:
    """The function that a loaded plugin names for a part of the kernel; None: there is none.

    Raises:
        InputInvalid: two plugins name one.
    """
    having = [plugin for plugin in list_plugins() if name in plugin.parts]
    if len(having) > 1:
        both = " and ".join(repr(plugin.name) for plugin in having)
        raise InputInvalid("plugins", f"the plugins {both} replace the part {name!r}: leave one of them out")
    return next((resolve_path(plugin, plugin.parts[name]) for plugin in having), None)


def open_part(name: PartName, settings: Any) -> Any:
    """A part of the kernel as the settings have it; None: there is none, or it is not set up."""
    made = find_part(name)
    return None if made is None else made(settings)


def load_stores() -> dict[str, Any]:
    """Import the openers of the plugins' stores, by name, including plugins that are left out."""
    plugins = (*list_plugins(), *_left_out)
    return {name: resolve_path(plugin, path) for plugin in plugins for name, path in plugin.stores.items()}


def resolve_path(plugin: Plugin, path: str) -> Any:
    """Import the object that a plugin names.

    Raises:
        InputInvalid: it is not there.
    """
    return import_object(plugin.absolute(path), f"the plugin {plugin.name!r}")


def import_object(path: str, named_by: str) -> Any:
    """Import the object at an absolute path, `package.module:name`.

    Args:
        path: Its path.
        named_by: What names it, for the error: `the source 'tides'`.

    Raises:
        InputInvalid: it is not there, or its module raises an error, of which the text says where.
    """
    module, _, name = path.partition(":")
    if not name or not module or module.startswith("."):
        raise InputInvalid("plugins", f"{named_by} names {path!r}, which has to read `package.module:name`")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # whatever a module raises that is imported for the first time
        raise InputInvalid("plugins", f"{named_by} names {path!r}: {_describe_import_error(module, error)}") from error


def _describe_import_error(module: str, error: Exception) -> str:
    """The error with the last line of the same package that led to it."""
    if isinstance(error, AttributeError | ModuleNotFoundError | SyntaxError):
        return str(error)
    package, place, step = module.partition(".")[0], "", error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals.get("__name__", "").partition(".")[0] == package:
            place = f" ({step.tb_frame.f_code.co_filename}, line {step.tb_lineno})"
        step = step.tb_next
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def find_opener(kind: str) -> str | None:
    """The absolute path of the function that opens sources of this kind; None if no loaded plugin has one."""
    return next((plugin.absolute(plugin.openers[kind]) for plugin in list_plugins() if kind in plugin.openers), None)


def find_keyless(kind: str) -> str | None:
    """The absolute path of the function, the last plugin's, that does a task without a key; None: it needs a model."""
    having = (plugin for plugin in reversed(list_plugins()) if kind in plugin.keyless)
    return next((plugin.absolute(plugin.keyless[kind]) for plugin in having), None)


def list_keyless() -> frozenset[str]:
    """The tasks that are done without a key."""
    return frozenset(kind for plugin in list_plugins() for kind in plugin.keyless)


def find_model(name: str) -> str | None:
    """The absolute path of the function that makes a model that no provider serves; None if no loaded plugin has it."""
    return next((plugin.absolute(plugin.models[name]) for plugin in list_plugins() if name in plugin.models), None)
