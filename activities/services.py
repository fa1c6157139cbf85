"""The services that a worker opens once and uses for every call: databases, tool servers, encoders."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final, TypeAlias, TypeVar, cast

from elcano.graphs.extras import EXTRAS
from elcano.graphs.plugin import load_objects
from elcano.settings import Settings

T = TypeVar("T")
Opened: TypeAlias = Mapping[Callable[[Settings], Any], object]

NOTHING: Final[Opened] = {}


class Services:
    """Opens each service when it is first asked for, by the function that makes it of the settings.

    Args:
        settings: of the worker.
        given: services that are open already, by those functions: fakes of tests.
    """

    def __init__(self, settings: Settings, given: Opened = NOTHING) -> None:
        self.settings: Final = settings
        self._opened: dict[Callable[[Settings], Any], object] = dict(given)

    def open_all(self) -> None:
        """Open the services of the plugins, so that an unusable setting is reported at the start.

        Raises:
            InputInvalid: a setting names something that does not exist.
        """
        for open_service in load_objects("services"):
            self.get(open_service)

    def get(self, open_service: Callable[[Settings], T]) -> T:
        """The service that `open_service` makes, the same one for every call."""
        if open_service not in self._opened:
            self._opened[open_service] = open_service(self.settings)
        return cast(T, self._opened[open_service])


def missing_extras() -> frozenset[str]:
    """The extras of which a module cannot be found here. Nothing is imported."""
    return frozenset(name for name, extra in EXTRAS.items() if not all(map(find_spec, extra.modules)))
