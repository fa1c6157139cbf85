"""Databases of the operator: by which name, and what is shown of them."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode


class DatabaseSettings(BaseModel):
    """Databases of the operator: by which name, and what is shown of them."""

    model_config = ConfigDict(frozen=True)

    databases: Annotated[dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,62}$")], str], NoDecode] = Field(
        default={},
        repr=False,
        description='Databases by name, as JSON: `{"sales": "sqlite:///data/sales.db"}`; also '
        "`postgresql://user@host/db`, `duckdb:///figures.duckdb`, and the path of a CSV, Parquet or Excel file or of a "
        "folder of them. They are only read (see `docs/databases.md`). A client names a database, never an address.",
    )
    database_samples: bool = Field(
        default=True,
        description="Whether schemas are shown with a few values of each column; models are then told them too.",
    )
    database_seconds: float = Field(
        default=10.0, gt=0, le=600, description="How long one statement may take in a database before it is stopped."
    )
    database_examples: Annotated[dict[str, Path], NoDecode] = Field(
        default={},
        description='Questions to a database with the SQL that answers them, by its name, as JSON: `{"sales": '
        '"examples/sales.jsonl"}`: a file with a line of JSON for each, `{"question": "...", "sql": "..."}`. Those '
        "that are like a question are shown to the model that writes its SQL.",
    )

    @field_validator("databases")
    @classmethod
    def _databases(cls, value: dict[str, str]) -> dict[str, str]:
        for name, address in value.items():
            scheme, found, rest = address.partition("://")
            known = {"sqlite": rest.startswith("/") and rest != "/", "postgresql": bool(rest)}
            known |= {"duckdb": known["sqlite"]}
            if not address.strip() or (found and not known.get(scheme)):
                raise ValueError(
                    f"{name!r} is none of `sqlite:///path`, `postgresql://user@host/database`, `duckdb:///path` and "
                    "the path of a file or a folder"
                )
        return value
