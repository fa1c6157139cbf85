"""What programs import when they start: nothing that only some runs need, however it comes in."""

import subprocess
import sys
from pathlib import Path

import pytest

NEEDED_BY_FEW = frozenset(
    {
        "alembic",
        "babel",
        "cryptography",
        "docx",
        "duckdb",
        "jinja2",
        "jsonschema",
        "latex2mathml",
        "nh3",
        "num2words",
        "numpy",
        "pandas",
        "pint",
        "psycopg",
        "pypdfium2",
        "sentencex",
        "rich",
        "snowballstemmer",
        "sqlalchemy.dialects.postgresql",
        "sqlalchemy.orm",
    }
)
"""Libraries that cost a start tens to hundreds of milliseconds, and that one kind of file, database or text needs."""
MODELS = frozenset({"anthropic", "google.genai", "openai", "pydantic_ai"})
WORKER = """
from elcano.program_start import hasten_start
hasten_start()
from elcano.settings.settings import Settings
from elcano.activities.services import Services
from elcano.graphs.plugin import load_objects
from elcano.worker import main
Services(Settings(_env_file=None)).open_all()
load_objects("companions"), load_objects("background")
"""
API = """
from elcano.program_start import hasten_start
hasten_start()
from elcano.settings.settings import Settings
from elcano.api.app import create_app
from elcano.graphs.plugin import load_objects
create_app(Settings(_env_file=None))
load_objects("companions")
load_objects("admission_rules")  # as its first request does
"""
OF_APIS = frozenset({"fastapi", "starlette"})
OF_WORKERS = frozenset(
    {"elcano.workflows", "hishel", "httpcore", "lxml", "markdown_it", "selectolax", "temporalio.worker"}
)


@pytest.mark.parametrize(
    ("program", "left_out"),
    [(WORKER, NEEDED_BY_FEW | MODELS - {"pydantic_ai"} | OF_APIS), (API, NEEDED_BY_FEW | MODELS | OF_WORKERS)],
    ids=["worker", "api"],
)
def test_a_start_imports_nothing_that_only_some_runs_need(program: str, left_out: frozenset[str]) -> None:
    said = f"import sys\n{program}\nprint(*sorted({set(left_out)!r} & sys.modules.keys()))"
    shown = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stdout.split()) == (0, []), shown.stderr


def test_what_a_start_puts_off_is_there_for_a_plugin_that_asks_for_it() -> None:
    program = """
import sys
from pathlib import Path
from elcano.program_start import hasten_start
hasten_start()
import sqlalchemy.ext.asyncio
assert "sqlalchemy.orm" not in sys.modules
assert not hasattr(sqlalchemy.ext.asyncio, "nothing_of_this_name")
from sqlalchemy.ext.asyncio import AsyncSession, async_scoped_session, async_sessionmaker
from sqlalchemy.ext.asyncio.session import AsyncSession as named_by_its_module
assert AsyncSession is named_by_its_module
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


def test_a_program_that_makes_the_tables_keeps_nothing_of_what_makes_them(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from pathlib import Path
from elcano.program_start import hasten_start
hasten_start()
from elcano.settings.settings import Settings
from elcano.storage.separate_preparation import prepare_separately
prepare_separately(Settings(_env_file=None, data_dir=Path({str(tmp_path)!r})))
import asyncio
from elcano.storage.sql.engine import database_url, open_engine, read_tables
found, needed = asyncio.run(read_tables(open_engine(database_url("", Path({str(tmp_path)!r}) / "elcano.db"))))
assert found == needed
assert not {{"alembic", "sqlalchemy.orm"}} & sys.modules.keys()
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
