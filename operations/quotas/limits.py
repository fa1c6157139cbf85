"""The quotas of tenants and API keys, as the operator's file has them.

The file is read again when it has changed. One that cannot be read is never taken for no quotas: until it is mended no
run starts, and runs under way are held.
"""

import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, Strict, ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import microusd_from_usd
from elcano.graphs.tenants import Tenant
from elcano.settings.plugins import Finding, read_plugin_settings
from elcano.settings.settings import Settings


class QuotaSettings(BaseModel):
    """Settings of the quotas."""

    model_config = ConfigDict(frozen=True)

    quotas: str = Field(
        default="",
        description="A TOML or JSON file with the quotas of tenants and API keys (see `docs/access.md`). A changed "
        "file counts from the next run or request on. Set it alike for the API and all workers. Empty: no quotas.",
    )


UNLIMITED: Final = "unlimited"
Count: TypeAlias = Annotated[int, Strict(), Field(ge=0)] | Literal["unlimited"] | None
Dollars: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)] | Literal["unlimited"] | None
Period: TypeAlias = Literal["at_once", "day", "month"]
Unit: TypeAlias = Literal["runs", "tokens", "usd"]
LimitName: TypeAlias = Literal[
    "runs_at_once", "runs_a_day", "runs_a_month", "tokens_a_day", "tokens_a_month", "usd_a_day", "usd_a_month"
]
MEANINGS: Final[Mapping[LimitName, tuple[Unit, Period]]] = {
    "runs_at_once": ("runs", "at_once"),
    "runs_a_day": ("runs", "day"),
    "runs_a_month": ("runs", "month"),
    "tokens_a_day": ("tokens", "day"),
    "tokens_a_month": ("tokens", "month"),
    "usd_a_day": ("usd", "day"),
    "usd_a_month": ("usd", "month"),
}
"""Unit and period of each limit."""


class QuotaLimits(Frozen):
    """The limits of a tenant or of a key, in days and months of UTC.

    None: not set here; `unlimited` lifts what is set for all.
    """

    runs_at_once: Count = None
    """Runs that may be open."""
    runs_a_day: Count = None
    runs_a_month: Count = None
    tokens_a_day: Count = None
    """Input and output tokens of all model calls."""
    tokens_a_month: Count = None
    usd_a_day: Dollars = None
    """US dollars, at the prices of genai-prices."""
    usd_a_month: Dollars = None

    def over(self, every: "QuotaLimits") -> "QuotaLimits":
        """These limits, and for those that are not set the ones of everybody."""
        return every.model_copy(update=self.model_dump(exclude_none=True))

    def list_set(self, *units: Unit) -> list[tuple[LimitName, int]]:
        """The limits that bind, of these units; money in millionths of a dollar."""
        found: list[tuple[LimitName, int]] = []
        for name, (unit, _) in MEANINGS.items():
            value = getattr(self, name)
            if unit in units and value is not None and value != UNLIMITED:
                found.append((name, microusd_from_usd(value) if unit == "usd" else value))
        return found


class Quotas(Frozen):
    """The content of the file."""

    every_tenant: QuotaLimits = QuotaLimits()
    """Limits of each tenant by itself, unless it has an entry of its own that says otherwise."""
    tenants: dict[Tenant, QuotaLimits] = {}
    every_key: QuotaLimits = QuotaLimits()
    """Limits of each API key by itself, likewise."""
    keys: dict[str, QuotaLimits] = {}
    """By the key's id."""

    def of_tenant(self, tenant: str) -> QuotaLimits:
        """The limits of a tenant, all its keys together."""
        return self.tenants.get(tenant, QuotaLimits()).over(self.every_tenant)

    def of_key(self, api_key: str) -> QuotaLimits:
        """The limits of one key; none for runs that were asked for without one."""
        return self.keys.get(api_key, QuotaLimits()).over(self.every_key) if api_key else QuotaLimits()

    def limits_spending(self, tenant: str) -> bool:
        """Whether the tenant, or any key, has a limit of tokens or money."""
        everybody = (self.of_tenant(tenant), self.every_key, *self.keys.values())
        return any(limits.list_set("tokens", "usd") for limits in everybody)


class QuotasUnreadable(Exception):
    """The file cannot be used; the text says why and what to write."""


class QuotaFile:
    """The file, read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._quotas = Quotas()

    def read(self) -> Quotas:
        """The quotas as they are now.

        Raises:
            QuotasUnreadable: it is not there, or not as it has to be.
        """
        try:
            found = os.stat(self._path)
            stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
            if stamp != self._stamp:
                self._quotas = parse_quotas(self._path.read_bytes(), is_json=self._path.suffix == ".json")
                self._stamp = stamp
        except (OSError, ValueError) as error:
            raise QuotasUnreadable(f"the quotas in {self._path} cannot be read: {error}") from error
        return self._quotas


def parse_quotas(content: bytes, *, is_json: bool) -> Quotas:
    """Parse the content of a file of quotas, TOML unless it is JSON.

    Raises:
        ValueError: it is not as it has to be; the text names every fault.
    """
    text = content.decode("utf-8")
    given = json.loads(text) if is_json else tomllib.loads(text)
    if not isinstance(given, dict):
        raise ValueError("it holds no object")
    try:
        return Quotas.model_validate(given)
    except ValidationError as error:
        raise ValueError("; ".join(dict.fromkeys(_list_faults(error)))) from None


def _list_faults(error: ValidationError) -> Iterator[str]:
    kinds = ("constrained-int", "constrained-float", "int", "float", "literal['unlimited']")
    for fault in error.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in fault["loc"] if part not in kinds)
        value = fault["input"]
        if place.rpartition(".")[2] in MEANINGS:
            yield f"{place} = {value!r} is neither a number from 0 on nor {UNLIMITED!r}"
        elif fault["type"] == "extra_forbidden":
            yield f"{place} is no name here; there are: {', '.join(_list_names(fault['loc']))}"
        else:
            yield f"{place}: {fault['msg']}"


def _list_names(place: tuple[Any, ...]) -> Iterable[str]:
    return Quotas.model_fields if len(place) == 1 else MEANINGS


def open_quota_file() -> QuotaFile | None:
    """The file that the settings name; None: there are no quotas."""
    path = read_plugin_settings(QuotaSettings).quotas
    return QuotaFile(Path(path)) if path else None


def require_readable_quotas(program: str, settings: Settings) -> None:
    """Have the API and workers not start with a file that cannot be used.

    Raises:
        InputInvalid: it cannot.
    """
    try:
        if (file := open_quota_file()) is not None:
            file.read()
    except QuotasUnreadable as error:
        raise InputInvalid("quotas", str(error)) from error


def check_quotas(settings: Settings) -> Iterator[Finding]:
    """For `elcano doctor`: whether the file can be used."""
    if (file := open_quota_file()) is None:
        return
    try:
        quotas = file.read()
    except QuotasUnreadable as error:
        yield Finding("fault", str(error), "correct the file, or ELCANO_QUOTAS")
        return
    every = "every tenant has limits" if quotas.every_tenant != QuotaLimits() else "none for every tenant"
    own = f"{len(quotas.tenants)} tenants and {len(quotas.keys)} keys have limits of their own"
    yield Finding("good", f"quotas: {every}; {own}")
