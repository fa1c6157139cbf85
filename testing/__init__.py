"""Test doubles for code built on Elcano, the same that its own tests use; see `docs/plugins.md`.

Names are imported when they are asked for: what is pure (`Script`, `run_in_memory`) needs neither Temporal nor a model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from elcano.graphs.dry_run.in_memory_run import run_in_memory
    from elcano.testing.model import Failing, Reply, ScriptedModel
    from elcano.testing.provider import scripted_provider
    from elcano.testing.research import run_research
    from elcano.testing.script import Refused, Script, make_passages
    from elcano.testing.source import ScriptedSource
    from elcano.testing.temporal import scripted_activities, temporal_environment

__all__ = [
    "Failing",
    "Refused",
    "Reply",
    "Script",
    "ScriptedModel",
    "ScriptedSource",
    "make_passages",
    "run_in_memory",
    "run_research",
    "scripted_activities",
    "scripted_provider",
    "temporal_environment",
]

_MODULES: Final = {
    "Failing": ".model",
    "Refused": ".script",
    "Reply": ".model",
    "Script": ".script",
    "ScriptedModel": ".model",
    "ScriptedSource": ".source",
    "make_passages": ".script",
    "run_research": ".research",
    "run_in_memory": "..graphs.dry_run.in_memory_run",
    "scripted_activities": ".temporal",
    "scripted_provider": ".provider",
    "temporal_environment": ".temporal",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"elcano.testing has no {name!r}; it has: {', '.join(__all__)}")
    return getattr(import_module(_MODULES[name], __name__), name)
