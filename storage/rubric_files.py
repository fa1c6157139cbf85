"""Custom rubrics: the JSON files of a folder, read once per process, each under the name in the file."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.state.rubric import DOMAINS, GENERAL, Rubric
from elcano.settings import Settings, get_variable_name

MOST_FILES: Final = 50
"""A run whose question decides carries the rubrics of all."""
MOST_BYTES: Final = 100_000
"""Maximum size of one file."""


def known_domains(settings: Settings) -> Mapping[str, Rubric]:
    """Every rubric that there is here, by name: the built-in ones, then those of the folder.

    Raises:
        InputInvalid: the folder or a file in it cannot be used; the text names every fault of every file.
    """
    return {**DOMAINS, **(_load_rubrics(Path(settings.domains).absolute()) if settings.domains else {})}


@lru_cache(maxsize=16)
def _load_rubrics(folder: Path) -> Mapping[str, Rubric]:
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix == ".json")
    except OSError as error:
        raise InputInvalid(
            "domains", f"{get_variable_name('domains')} names {folder}, which cannot be read: {error}"
        ) from error
    if len(files) > MOST_FILES:
        fault = f"{folder} has {len(files)} files, and {MOST_FILES} are the most"
        raise InputInvalid("domains", f"{get_variable_name('domains')}: {fault}")
    found: dict[str, Rubric] = {}
    faults: list[str] = []
    for path in files:
        try:
            rubric = _load_rubric(path)
        except (OSError, ValueError) as error:
            faults += [f"{path.name}: {line}" for line in _format_error_lines(error)]
            continue
        if rubric.name in DOMAINS or rubric.name == GENERAL or rubric.name in found:
            faults.append(f"{path.name}: there is a domain {rubric.name!r} already; give it another name")
        found.setdefault(rubric.name, rubric)
    if faults:
        raise InputInvalid("domains", f"rubrics in {folder} cannot be used: {'; '.join(faults)}")
    return found


def _load_rubric(path: Path) -> Rubric:
    if (size := path.stat().st_size) > MOST_BYTES:
        raise ValueError(f"it has {size:,} bytes, and {MOST_BYTES:,} are the most")
    return Rubric.model_validate_json(path.read_bytes())


def _format_error_lines(error: OSError | ValueError) -> list[str]:
    if isinstance(error, ValidationError):
        errors = error.errors(include_url=False, include_context=False, include_input=False)
        return [f"/{'/'.join(map(str, one['loc']))}: {one['msg']}" for one in errors]
    return [str(error)]
