"""`make demo`: researches one question on a stack of its own, from the POST to the report.

The stack takes free ports and keeps its data in `.elcano/demo`, so that it disturbs nothing and is quick the second
time. The question goes through `elcano ask`, like a user's.

A folder of documents is checked before the stack starts: a run over a folder that is missing or holds nothing readable
would end well, with a report that found nothing, and hide the mistyped path.

The database of `MODE=data` has the files of the installed Python packages, as the packages list them. Its saved
questions can be asked without a model; any other needs one.
"""

from elcano.program_start import leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()

import argparse
import asyncio
import json
import signal
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePosixPath
from typing import Final

from rich.console import Console
from rich.markdown import Markdown

from elcano.activities.passages.document import FileSkipped
from elcano.activities.services import missing_extras
from elcano.dev.claims import free_ports
from elcano.dev.program import (
    CannotStart,
    end_on_signals,
    exit_cannot_start,
    print_line,
    require_plugins,
    run_program,
)
from elcano.dev.stack import child_environment, open_stack
from elcano.graphs.checks.callees import find_unanswerable_offline, list_callees, required_extras
from elcano.graphs.errors import SourceRefused
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES, can_choose_mode, list_aliases
from elcano.graphs.model_names import OFFLINE
from elcano.settings import Settings, program_settings
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.parser import Parser

_NAMED = 3
"""Number of unreadable documents that a refusal names; the rest is counted."""


def require_documents(path: Path, *, option: str, limit_bytes: int) -> None:
    """Refuse a folder in which nothing can be searched; read only until the first document with text.

    Args:
        path: the folder.
        option: what the person named it by, for the refusal.
        limit_bytes: larger files are not read.

    Raises:
        CannotStart: naming the folder, what is wrong with it and what to do.
    """
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError as error:
        raise CannotStart(
            f"the folder {str(path)!r} cannot be found ({error.strerror}): create it, or name another by {option}"
        ) from error
    if not is_folder:
        raise CannotStart(f"{str(path)!r} is a file: name by {option} the folder that holds the documents")
    folder = Folder(path, limit_bytes)
    try:
        listing = folder.listing()
    except SourceRefused as error:
        raise CannotStart(f"{error}. Or name another folder by {option}") from error
    reasons: list[str] = []
    parser = Parser()
    for key in listing.documents:
        try:
            content = folder.content(key)
            parser.parse(content.name, content.data)
        except (FileSkipped, OSError) as error:
            reasons.append(f"{key}: {error}")
        else:
            return
    named = "; ".join(reasons[:_NAMED]) + (f"; and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else "")
    raise CannotStart(
        f"no document in the folder {str(path)!r} can be read ({named}): mend one, or name another folder by {option}"
    )


def require_mode(text: str) -> str:
    """Return the name of the mode `text`, which may be an alias.

    Raises:
        CannotStart: there is no such mode, or an extra that it needs is not installed; one that chooses a mode then
            chooses another.
    """
    name = list_aliases().get(text.lower(), text.lower())
    if (graph := MODES.get(name)) is None:
        raise CannotStart(f"there is no mode {text!r}: set MODE to one of {', '.join(MODES)}")
    if not can_choose_mode(graph) and (lacking := sorted(required_extras(graph) & missing_extras())):
        extras = ", ".join(map(repr, lacking))
        raise CannotStart(f"the mode {name!r} needs the extra {extras}, which is not installed: `make setup` does that")
    return name


QUESTION = "What does Typer build, how does Rich print tables, and how does Pydantic validate data?"
"""The default question; the readmes of the installed packages, which the demo searches, answer it."""
QUESTION_OF_PARTS = (
    "How does Typer build a command line interface, how does Rich print tables, how does Pydantic validate data, "
    "and how does FastAPI serve an API?"
)
"""The question for modes that plan: each of its parts becomes a section of its own."""
_PLANNING = ("deep", "deep_brief", "hierarchical")
DATA_MODE = "data"
SCRIPTED = "elcano.testing.plugin:plugin"
"""The plugin with the scripted model."""
DATA_DIR = Path(".elcano/demo")
_ASK_GRACE = 10.0
_REPORTED = {4, 5, 6}
"""The exit codes of `elcano ask` for a report that is partial, or answers nothing: for a demo, that is a success."""
_INTERRUPTED = 130


def demo_settings(docs: Path | None, mode: str = DEFAULT_MODE) -> Settings:
    """Return the user's settings on free ports and in the demo's folder, with `docs` as the collection `docs`.

    For questions to databases there is one of the demo's own, which is made here with its saved questions.
    """
    asks = mode == DATA_MODE
    databases = {DATABASE: f"sqlite:///{build_demo_database(DATA_DIR).resolve()}"} if asks else {}
    saved = {DATABASE: save_questions(DATA_DIR).resolve()} if asks else {}
    api_port, temporal_port, ui_port = free_ports(3)
    chosen = program_settings()
    scripted = {"plugins": (*chosen.plugins, SCRIPTED), "model": "scripted"} if is_scripted(chosen, mode) else {}
    return chosen.model_copy(
        update={
            **scripted,
            "data_dir": DATA_DIR,
            "api_url": "",
            "api_port": api_port,
            "temporal_address": "",
            "temporal_port": temporal_port,
            "temporal_ui_port": ui_port,
            "collections": {} if docs is None else {"docs": docs},
            "databases": databases,
            "database_examples": saved,
        }
    )


def is_scripted(chosen: Settings, mode: str) -> bool:
    """Whether a mode needs a language model and the settings name none: then a scripted model plays its agents."""
    graph = MODES.get(mode)
    if chosen.model != OFFLINE or graph is None or mode == DEFAULT_MODE:
        return False
    return bool(find_unanswerable_offline(list_callees(graph)))


async def run_demo(question: str, mode: str, docs: Path | None) -> int:
    """Run the demo and return its exit code."""
    end_on_signals()
    chosen = demo_settings(docs, mode)
    report = chosen.data_dir / "reports" / f"{time.strftime('%Y%m%d-%H%M%S')}.md"
    if chosen.model == "scripted":
        print_line(f"The mode {mode!r} needs a language model. This demo has a scripted one: it shows how a run goes, ")
        print_line("and its texts say nothing. ELCANO_MODEL and a key give it a real one.")
    print_line("Starting Temporal, a worker and the API ...")
    async with open_stack(chosen, say=print_line):
        report.parent.mkdir(parents=True, exist_ok=True)
        print_line(f"POST {chosen.base_url}/v1/runs")
        print_line(f"Question: {question}")
        searched = ["docs"] if docs is not None else ["packages"] if mode != DATA_MODE else []
        searched += chosen.databases
        sources = (word for name in searched for word in ("--source", name))
        code = await _run_ask_command(chosen, question, "--mode", mode, *sources, "--out", str(report))
    if report.exists():
        _print_report_file(report)
        print_line(f"\nThe report is in {report}")
        print_line(
            f"`ELCANO_DATA_DIR={DATA_DIR} make serve` opens this run again, with Temporal's own page and the API."
        )
    return 0 if code in _REPORTED else code


async def _run_ask_command(chosen: Settings, question: str, *options: str) -> int:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "elcano.cli", "ask", *options, "--", question),
        env=child_environment(chosen),
        stdin=asyncio.subprocess.DEVNULL,
        process_group=0,  # a Ctrl-C is for the demo: while Python starts it would be a traceback
    )
    try:
        return await process.wait()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)  # not SIGINT: the run that it would offer to watch ends with the demo
            async with asyncio.timeout(_ASK_GRACE):
                await process.wait()


def main() -> None:
    """Run the program; it exits as `elcano ask` does, but with 0 if there is a report, and 2 if it cannot start."""
    parser = argparse.ArgumentParser(prog="make demo")
    parser.add_argument("--question", help="by default one that the installed packages' readmes answer")
    parser.add_argument("--mode", default=DEFAULT_MODE)
    parser.add_argument("--docs", type=Path, help="a folder to search instead of the installed packages' readmes")
    arguments = parser.parse_args()
    require_plugins("The demo")
    try:
        mode = require_mode(arguments.mode)
        usual = QUESTION_OF_PARTS if mode in _PLANNING else QUESTION
        question = arguments.question or (QUESTION_OF_DATA if mode == DATA_MODE else usual)
        if arguments.docs is not None:
            require_documents(arguments.docs, option="DOCS", limit_bytes=program_settings().file_limit_bytes)
        sys.exit(run_program(run_demo(question, mode, arguments.docs)))
    except asyncio.CancelledError:
        sys.exit(_INTERRUPTED)  # make says that it was interrupted
    except CannotStart as error:
        exit_cannot_start("The demo", error)


def _print_report_file(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    console = Console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        print_line(text)


DATABASE: Final = "installed"
"""The name of the demo's database."""
QUESTION_OF_DATA: Final = "What are the top 5 packages by total bytes?"
SAVED_QUESTIONS: Final = {
    QUESTION_OF_DATA: (
        "SELECT package, SUM(bytes) AS total_bytes FROM files GROUP BY package "
        "ORDER BY total_bytes DESC, package LIMIT 5"
    ),
    "How many packages are there?": "SELECT COUNT(*) AS packages FROM packages",
    "How many files does each package have?": (
        "SELECT package, COUNT(*) AS files FROM files GROUP BY package ORDER BY files DESC, package"
    ),
    "What are the total bytes by suffix?": (
        "SELECT suffix, SUM(bytes) AS total_bytes FROM files WHERE suffix IS NOT NULL GROUP BY suffix "
        "ORDER BY total_bytes DESC, suffix"
    ),
}
"""The saved questions, each with the query that answers it."""
_TABLES: Final = """
CREATE TABLE packages (name TEXT PRIMARY KEY, version TEXT NOT NULL);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    package TEXT NOT NULL REFERENCES packages (name),
    path TEXT NOT NULL,
    suffix TEXT,
    bytes INTEGER NOT NULL
);
"""


def build_demo_database(folder: Path) -> Path:
    """Write the database into `folder` and return its path. A package without a list of its files has none here."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{DATABASE}.db"
    place.unlink(missing_ok=True)
    known = {one.metadata["Name"]: one for one in distributions() if one.metadata["Name"]}
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.executescript(_TABLES)
        connection.executemany(
            "INSERT INTO packages VALUES (?, ?)", ((name, one.version) for name, one in sorted(known.items()))
        )
        connection.executemany(
            "INSERT INTO files (package, path, suffix, bytes) VALUES (?, ?, ?, ?)",
            (row for name, one in sorted(known.items()) for row in _list_package_files(name, one)),
        )
    return place


def save_questions(folder: Path) -> Path:
    """Write the saved questions into `folder`, in the form of `ELCANO_DATABASE_EXAMPLES`, and return their path."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{DATABASE}.jsonl"
    lines = (json.dumps({"question": question, "sql": sql}) for question, sql in SAVED_QUESTIONS.items())
    place.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place


def _list_package_files(name: str, package: Distribution) -> Iterator[tuple[str, str, str | None, int]]:
    """List the files whose size the package states."""
    for file in package.files or ():
        if file.size is not None:
            yield name, str(file), PurePosixPath(file).suffix.lstrip(".") or None, file.size


if __name__ == "__main__":
    main()
