"""What the programs of a stack consist of, imported: of such a process they are forked."""

import gc
import threading
from importlib import import_module

from elcano.graphs.plugin import load_objects, load_registries
from elcano.plugins import load_plugins

gc.disable()
for module in ("elcano.api.__main__", "elcano.worker", "pydantic_ai.providers.openai", "tests.chaos.scripted_worker"):
    import_module(module)
load_plugins(())  # not those of the environment: importing one of them may change what all programs do
load_registries()
for kind in ("companions", "routes", "settings", "starters", "background"):
    load_objects(kind)
gc.freeze()
if threading.active_count() > 1:
    raise RuntimeError(f"a process with threads cannot be forked: {threading.enumerate()}")
