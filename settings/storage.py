"""Storage: where runs and knowledge are kept, and for how long."""

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator


class StorageSettings(BaseModel):
    """Storage: where runs and knowledge are kept, and for how long."""

    model_config = ConfigDict(frozen=True)

    data_dir: Path = Field(
        default=Path(".elcano"),
        description="Everything the embedded stack keeps: runs, evidence, indexes, Temporal's database.",
    )
    store_url: str = Field(
        default="",
        repr=False,
        description="Where what runs leave behind is kept: `sqlite:///path`, or `postgresql://user@host/database`, "
        "whose password may be in `PGPASSWORD`. Empty: a SQLite file in `ELCANO_DATA_DIR`. Processes of several "
        "machines need PostgreSQL.",
    )
    objects_url: str = Field(
        default="",
        description="Where reports, drafts and large payloads are kept: `s3://bucket/prefix`, for S3 and what speaks "
        "like it, or `file:///path`. Empty: a folder in `ELCANO_DATA_DIR`. Keys, region and endpoint are in the usual "
        "variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL`).",
    )
    knowledge: str = Field(
        default="tables",
        repr=False,
        pattern=r"^(|tables|postgresql://.+)$",
        description="Where what runs found is kept as a graph, alike for the API and all workers: `tables` of the "
        "store, or `postgresql://user@host/database` with Apache AGE, which answers openCypher too; empty: nowhere.",
    )
    keep_days: float = Field(
        default=0.0,
        ge=0,
        le=36_500,
        description="Days after its end that a run is deleted, with everything that it left, by the API; 0: never.",
    )

    @field_validator("store_url")
    @classmethod
    def _a_database(cls, value: str) -> str:
        scheme, found, rest = value.partition("://")
        if value and (scheme not in ("sqlite", "postgresql") or not found or not rest):
            raise ValueError("it is neither `sqlite:///path` nor `postgresql://user@host/database`")
        if scheme == "sqlite" and (not rest.startswith("/") or rest == "/"):
            raise ValueError("it names no file: write `sqlite:///path`, or `sqlite:////path` from the root")
        return value

    @field_validator("objects_url")
    @classmethod
    def _a_place(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and not (
            (parts.scheme == "s3" and parts.netloc) or (parts.scheme == "file" and parts.path and not parts.netloc)
        ):
            raise ValueError("it is neither `s3://bucket/prefix` nor `file:///path`")
        return value
