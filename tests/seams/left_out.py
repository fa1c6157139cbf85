"""`python -m tests.seams.left_out FOLDER CASES`: what the product is without some plugins, a line for each case.

CASES are a JSON list of the plugins to leave out, a mode and a source to ask for. Each has a process of its own, forked
from this one, which has loaded what others made and nothing of ours: that is most of what a program's start takes.
"""

import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

OF_OTHERS = (
    "alembic.command",
    "fastapi",
    "httpx",
    "pydantic_ai",
    "pydantic_settings",
    "sqlalchemy.ext.asyncio",
    "temporalio.client",
    "temporalio.worker",
)


def tell(folder: Path, names: list[str], mode: str, source: str) -> None:
    """Prints what is said without the plugins; in a process of its own."""
    os.environ["ELCANO_PLUGINS"] = ",".join(f"-{name}" for name in names)
    without_plugins = import_module("tests.seams.without_plugins")
    print(json.dumps(without_plugins.run(folder, mode, source)), flush=True)  # noqa: T201


def main() -> None:
    """Asks one process after another."""
    for module in OF_OTHERS:
        import_module(module)
    assert "elcano" not in sys.modules
    for number, (names, mode, source) in enumerate(json.loads(sys.argv[2])):
        if child := os.fork():
            os.waitpid(child, 0)
            continue
        try:
            tell(Path(sys.argv[1]) / str(number), names, mode, source)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)  # the SDK's runtime can abort an interpreter that exits in the ordinary way


if __name__ == "__main__":
    main()
