"""Everything that the loaded plugins add, by kind and name. Nothing is loaded before its first use.

A process has one set of plugins: programs load those that the settings name; otherwise the first use does. Workflow
code reads registries that were filled before (`load_registries`), since nothing may be imported while it runs.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence, ValuesView
from importlib import import_module
from typing import Any, Final, Generic, Protocol, TypeVar

from elcano.graphs.errors import InputInvalid
from elcano.graphs.plugin import Plugin

LOADER: Final = "elcano.plugins"
"""The module whose `load_plugins` is called if no program has loaded plugins."""


class NamedObject(Protocol):
    """An object of a registry."""

    @property
    def name(self) -> str:
        """The name that graphs and people use."""
        ...


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
        return self._entries()[name]

    def __setitem__(self, name: str, one: T) -> None:
        self._entries()[name] = one

    def __delitem__(self, name: str) -> None:
        del self._entries()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries())

    def values(self) -> ValuesView[T]:
        """The objects, in the order of the plugins."""
        return self._entries().values()

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
                for one in _as_tuple(resolve_path(plugin, path)):
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
    return [(plugin, path) for plugin, paths in listed for path in _path_values(paths)]


def load_objects(kind: str) -> list[Any]:
    """Import every object that the loaded plugins name for `kind`."""
    return [resolve_path(plugin, path) for plugin, path in list_paths(kind)]


def load_stores() -> dict[str, Any]:
    """Import the openers of the plugins' stores, by name, including plugins that are left out."""
    plugins = (*list_plugins(), *_left_out)
    return {name: resolve_path(plugin, path) for plugin in plugins for name, path in plugin.stores.items()}


def resolve_path(plugin: Plugin, path: str) -> Any:
    """Import what a plugin names.

    Raises:
        InputInvalid: it is not there.
    """
    module, _, name = plugin.absolute(path).partition(":")
    try:
        return getattr(import_module(module), name)
    except (AttributeError, ModuleNotFoundError) as error:
        raise InputInvalid("plugins", f"the plugin {plugin.name!r} names {path!r}: {error}") from error


def resolve_function(path: str) -> Callable[..., Any]:
    """Import a function by its absolute path, `package.module:name`."""
    module, _, name = path.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def find_opener(kind: str) -> str | None:
    """The absolute path of the function that opens sources of this kind; None if no loaded plugin has one."""
    found = ((plugin, plugin.openers[kind]) for plugin in list_plugins() if kind in plugin.openers)
    return next((plugin.absolute(path) for plugin, path in found), None)


def find_keyless(kind: str) -> str | None:
    """The absolute path of the function that does a task without a key; None: it needs a language model.

    Of several plugins the last one goes.
    """
    found = ((plugin, plugin.keyless[kind]) for plugin in reversed(list_plugins()) if kind in plugin.keyless)
    return next((plugin.absolute(path) for plugin, path in found), None)


def list_keyless() -> frozenset[str]:
    """The tasks that are done without a key."""
    return frozenset(kind for plugin in list_plugins() for kind in plugin.keyless)


def find_model(name: str) -> str | None:
    """The absolute path of the function that makes a model that no provider serves; None if no loaded plugin has it."""
    found = ((plugin, plugin.models[name]) for plugin in list_plugins() if name in plugin.models)
    return next((plugin.absolute(path) for plugin, path in found), None)


def _path_values(paths: Sequence[str] | Mapping[str, str]) -> Sequence[str]:
    return tuple(paths.values()) if isinstance(paths, Mapping) else paths


def _as_tuple(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)
