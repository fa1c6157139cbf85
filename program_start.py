"""Prepares the start of a program, before it imports its parts, which takes seconds."""

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from types import FrameType, ModuleType
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a program that Ctrl-C ended."""


def leave_on_interrupt() -> None:
    """Let Ctrl-C end the program without a word, not with a traceback of what it was importing.

    A Ctrl-C that `hold_interrupts` held back ends it now. It holds until the program has a handler of its own, or
    `raise_on_interrupt` is called. Outside the main thread signals cannot be handled, so nothing is done.
    """
    _handle_interrupt(_leave)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def hold_interrupts() -> None:
    """Hold Ctrl-C back until the program that replaces this one calls `leave_on_interrupt`."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise `KeyboardInterrupt`, as it does by default."""
    _handle_interrupt(signal.default_int_handler)


def _handle_interrupt(handler: Callable[[int, FrameType | None], None]) -> None:
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


def hasten_start() -> None:
    """Look for no garbage, as nothing that is imported is any: a program does `gc.enable()` once it has started.

    That takes a fifth less of the processor.

    And leave out the command line of httpx, which draws in colours: httpx offers it wherever the libraries for that are
    installed, and does without where they are not.
    """
    gc.disable()
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    _put_off_sessions()


class _PutOff(ModuleType):
    """Stands for a module while another one imports names from it; is itself whatever is imported."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def _put_off_sessions() -> None:
    """Import asyncio's part of SQLAlchemy without sessions, for which it would import the whole ORM: 6 MB and 0.1 s.

    Nothing here has sessions. Who asks for one, such as another package's plugin, gets it: it is imported then.
    """
    package_name: Final = "sqlalchemy.ext.asyncio"
    if package_name in sys.modules:
        return
    modules = [f"{package_name}.session", f"{package_name}.scoping"]
    sys.modules.update({name: _PutOff(name) for name in modules})
    package = import_module(package_name)
    for name in modules:
        del sys.modules[name]
    put_off = {name for name, found in vars(package).items() if isinstance(found, _PutOff)}
    for name in put_off:
        delattr(package, name)

    def load(name: str) -> object:
        """Module `__getattr__`: Python calls it for a name that the package lacks."""
        if name in put_off:
            for module in map(import_module, modules):
                if hasattr(module, name):
                    return getattr(module, name)
        raise AttributeError(f"module {package_name!r} has no attribute {name!r}")

    vars(package)["__getattr__"] = load
