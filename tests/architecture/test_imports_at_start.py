"""What programs import when they start: nothing that only some runs need, however it comes in."""

import subprocess
import sys

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
        "snowballstemmer",
        "sqlalchemy.dialects.postgresql",
    }
)
"""Libraries that cost a start tens to hundreds of milliseconds, and that one kind of file, database or text needs."""
MODELS = frozenset({"anthropic", "google.genai", "openai", "pydantic_ai"})
WORKER = """
from elcano.settings.settings import Settings
from elcano.activities.services import Services
from elcano.graphs.plugin import load_objects
from elcano.worker import main
Services(Settings(_env_file=None)).open_all()
load_objects("companions"), load_objects("background")
"""
API = """
from elcano.settings.settings import Settings
from elcano.api.app import create_app
from elcano.graphs.plugin import load_objects
create_app(Settings(_env_file=None))
load_objects("companions")
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
