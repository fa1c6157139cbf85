"""The operator's databases: their names, and what is shown of them."""

import re
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode

_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,62}")


class DatabaseSettings(BaseModel):
    """The operator's databases: their names, and what is shown of them."""

    model_config = ConfigDict(frozen=True)

    databases: Annotated[dict[str, str], NoDecode] = Field(
        default={},
        repr=False,
        description='Databases by name, as JSON: `{"sales": "sqlite:///data/sales.db"}`; also '
        "`postgresql://user@host/db`, `duckdb:///figures.duckdb`, and the path of a CSV, Parquet or Excel file or of a "
        "folder of them. They are only read (see `docs/databases.md`). A client names a database, never an address.",
    )
    database_samples: bool = Field(
        default=True,
        description="Whether schemas include a few values of each column, which models then see too.",
    )
    database_seconds: float = Field(
        default=10.0, gt=0, le=600, description="How long one statement may take in a database before it is stopped."
    )
    path_seconds: float = Field(
        default=15.0,
        ge=1,
        le=3_600,
        description="Where a question to databases goes in paths side by side: how long each call to a database may "
        "take in one, unless a request says otherwise (`budget.path_seconds`). Neither the thinking of models counts "
        "nor time without a worker. A single statement ends after `ELCANO_DATABASE_SECONDS`.",
    )
    database_examples: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Questions to a database with the SQL that answers them, by its name, as JSON: `{"sales": '
        '"examples/sales.jsonl"}`: a file with a line of JSON for each, `{"question": "...", "sql": "..."}`. Those '
        "that are like a question are shown to the model that writes its SQL; without a model they are all that can be "
        "asked.",
    )

    @field_validator("databases")
    @classmethod
    def _databases(cls, value: dict[str, str]) -> dict[str, str]:
        names = [name for name in value if not _NAME.fullmatch(name)]
        wrong = [name for name, address in value.items() if name not in names and not _is_address(address)]
        faults = []
        if names:
            faults.append(
                f"{_join_names(names)} cannot be the name of a database: it begins with a small letter "
                "and has at most 63 "
                "small letters, digits, `_` and `-`"
            )
        if wrong:
            faults.append(
                f"the address of {_join_names(wrong)} is none of `sqlite:///path`, `postgresql://user@host/database`, "
                "`duckdb:///path` and the path of a file or a folder"
            )
        if faults:
            raise ValueError("; ".join(faults))
        return value


def _is_address(text: str) -> bool:
    scheme, found, rest = text.partition("://")
    if not found:
        return bool(text.strip())
    if scheme in ("sqlite", "duckdb"):
        return rest.startswith("/") and rest != "/"
    return scheme == "postgresql" and bool(rest)


def _join_names(names: list[str]) -> str:
    return ", ".join(map(repr, names[:10])) + (" and others" if len(names) > 10 else "")
