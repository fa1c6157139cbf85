"""Temporal: the server, its workers, and how they execute runs."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from elcano.settings.addresses import checked_address


class TemporalSettings(BaseModel):
    """Temporal: the server, its workers, and how they execute runs."""

    model_config = ConfigDict(frozen=True)

    temporal_address: str = Field(
        default="",
        validation_alias="TEMPORAL_ADDRESS",
        description="An existing Temporal server; empty: the embedded one is started.",
    )
    temporal_port: int = Field(default=7233, ge=1, le=65_535, description="The embedded Temporal server's port.")
    temporal_ui_port: int = Field(default=8233, ge=1, le=65_535, description="The embedded Temporal UI's port.")
    temporal_ui_url: str = Field(
        default="",
        description="Where people find the Temporal UI: each run then links to its page there. Empty: unknown; "
        "`elcano serve` knows that of the embedded server.",
    )
    deployment: str = Field(
        default="",
        pattern=r"^([A-Za-z][A-Za-z0-9_-]{0,63})?$",
        description="The name of Temporal's worker deployment that the workers belong to. Each run then stays with the "
        "build that began it, and new runs go to the build that the deployment names as its current one (see "
        "`docs/operations.md`). Empty: any worker takes up any run.",
    )
    build_id: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9._-]{0,64}$",
        description="The build id of the workers, such as a release or the hash of a commit; empty: a hash over the "
        "code that workflows are made of.",
    )
    worker_activities: int = Field(default=20, ge=1, le=500, description="Activities that one worker runs at once.")
    worker_cached_workflows: int = Field(
        default=500,
        ge=0,
        description="Workflows that one worker keeps in memory; 0 replays each from its history every time.",
    )
    shutdown_seconds: float = Field(
        default=20.0,
        ge=0,
        description="How long a stopping worker waits for running activities to finish.",
    )
    use_graph_execution: bool = Field(
        default=True,
        validation_alias="USE_GRAPH_EXECUTION",
        description="Whether runs walk a graph; `false` runs built-in modes as plain code, and a "
        "request for another graph has to ask for the engine by `use_graph`.",
    )

    @field_validator("temporal_ui_url")
    @classmethod
    def _an_address(cls, value: str) -> str:
        return checked_address(value) if value else value

    @property
    def temporal_target(self) -> str:
        """The Temporal server to connect to, as `host:port`, where Temporal's own profile names none."""
        return self.temporal_address or f"127.0.0.1:{self.temporal_port}"
