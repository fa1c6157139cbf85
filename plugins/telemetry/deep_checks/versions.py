"""Versions of what works together, installed extras, and the time limits in force."""

import platform
import sqlite3
from collections.abc import Iterable
from importlib.metadata import version

from elcano import __version__
from elcano.activities.services import missing_extras
from elcano.graphs.extras import EXTRAS
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding

LIBRARIES = ("temporalio", "pydantic-ai-slim", "fastapi", "sqlalchemy", "httpx")


def check_versions(_: Settings) -> Iterable[Finding]:
    """Report the versions of Elcano, of Python and of the libraries that matter most, and the installed extras."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Finding("good", f"versions: elcano {__version__}, {python}, {libraries}")
    installed = ", ".join(sorted(EXTRAS.keys() - missing_extras())) or "none"
    yield Finding("good", f"extras that are installed here: {installed}")


def check_time_limits(settings: Settings) -> Iterable[Finding]:
    """Report the time limits of calls of models, by the settings that change them."""
    whole, first, call = settings.model_timeout_seconds, settings.first_token_seconds, settings.call_seconds
    limits = {
        "model_timeout_seconds": f"a request to a model {whole:g} s",
        "first_token_seconds": f"its first token {first:g} s" if first else "its first token no limit of its own",
        "call_seconds": f"an attempt of a call {call:g} s",
    }
    said = "; ".join(f"{text} ({get_variable_name(name)})" for name, text in limits.items())
    if whole > call:
        remedy = f"raise {get_variable_name('call_seconds')} above {get_variable_name('model_timeout_seconds')}"
        yield Finding("fault", f"time limits: {said}; a request may take longer than the call that makes it", remedy)
        return
    yield Finding("good", f"time limits: {said}")
