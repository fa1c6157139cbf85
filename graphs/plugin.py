"""What a plugin is: one object that names everything a subject adds to Elcano.

A plugin is one folder, with its object `plugin` in `plugin.py`. Its parts are named by dotted paths and imported when
needed: workflows never load code that does I/O, and `elcano --help` loads nothing but names. A path that begins with a
dot is relative to the plugin's package: `.agents.judge:AGENT`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Path: TypeAlias = str
"""The dotted path of an object, `package.module:name`, or `.module:name` within the plugin's package."""


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """Everything that one subject adds.

    The paths of agents, tools, reducers, modes, sources and looks lead to an object or to a tuple of them. These
    objects are pure: they are loaded into every process, workflows included, and name what does I/O by paths of their
    own.
    """

    name: str
    description: str
    """What it adds, in one sentence: for `elcano doctor`."""
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
    commands: Mapping[str, Path] = field(default_factory=dict)
    """`typer.Typer` objects or functions, by the name of the command."""
    obstacles: tuple[Path, ...] = ()
    """Functions that say why a run cannot do what its graph is for, before it starts: from the graph, the sources, the
    run's models and the settings to half a sentence, empty if it can."""
    report_additions: tuple[Path, ...] = ()
    """Subclasses of `activities.report.additions.ReportAddition`: the parts of a report that the subject adds."""
    checks: tuple[Path, ...] = ()
    """Functions that `elcano doctor` calls with the settings: each yields findings."""
    stores: Mapping[str, Path] = field(default_factory=dict)
    """Its own stores beside the kernel's, by name: functions that open them on the database's engine and the settings,
    as `storage.deletion.PluginStore`. They are opened even if the plugin is left out, so that deleting a run reaches
    them."""
    archivers: tuple[Path, ...] = ()
    """Functions that are called with the store and the record of each run that ends, before it is archived."""

    def absolute(self, path: Path) -> Path:
        """Return a path from the root of all packages."""
        return f"{self.package}{path}" if path.startswith(".") else path


KERNEL: Final = Plugin(
    name="kernel",
    description="Searching, branches, and the check of what was written.",
    package="elcano.graphs",
    agents=(".agents.review:AGENT",),
    tools=(".catalogue.tools:KERNEL_TOOLS",),
    reducers=(".catalogue.reducers:KERNEL_REDUCERS",),
)
