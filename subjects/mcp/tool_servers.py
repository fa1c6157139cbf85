"""Tool servers as the operator configures them (`ELCANO_MCP_SERVERS`), read and checked: all faults at once.

A graph, a client and a model name a server, never a command or an address. The operator's word on a tool, `reads` and
`writes`, takes precedence over the server's.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, ValidationError, model_validator

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen

SETTING: Final = "ELCANO_MCP_SERVERS"
ALL: Final = "*"
"""Stands for all tools in a list of names."""
SERVER_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?")
VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""The reference to a variable of the worker in the value of a header or variable."""
CLOSING_SECONDS: Final = 7.0
"""Maximum time to end a process that resists; it is deducted from the time of a call."""


class ToolServer(Frozen):
    """One server: a program that is started for each call and speaks over its pipes, or an address."""

    command: str = Field(default="", max_length=4_096)
    """The program; empty: the server has an address."""
    args: tuple[str, ...] = Field(default=(), max_length=200)
    folder: str = ""
    """The working folder of the program; empty: the worker's."""
    environment: dict[str, str] = Field(default={}, max_length=100)
    """Variables of the program besides `HOME`, `PATH` and the like; `${NAME}` is the worker's variable of that name."""
    url: str = Field(default="", max_length=4_096)
    headers: dict[str, str] = Field(default={}, max_length=50)
    """Sent with each request to `url`; `${NAME}` as above."""
    public: tuple[str, ...] = ()
    """Variables of `environment` and `headers` whose values are not secret; all others are removed from every text."""
    seconds: float = Field(default=60.0, ge=1, le=600)
    """Timeout of one call, including the start of the program."""
    tools: tuple[str, ...] = (ALL,)
    """The tools that may be called at all."""
    reads: tuple[str, ...] = ()
    """Tools that only read, whatever the server says: their calls may be retried."""
    writes: tuple[str, ...] = ()
    """Tools that write and may be called without approval."""

    @model_validator(mode="after")
    def _one_way(self) -> "ToolServer":
        if bool(self.command) == bool(self.url):
            raise ValueError("a server has either a `command` or a `url`")
        if self.url and not re.fullmatch(r"https?://[^\s/?#]+[^\s]*", self.url):
            raise ValueError(f"`url` is no address such as `https://tools.example.org/mcp`: {self.url[:100]!r}")
        if self.url and "@" in self.url.split("/")[2]:
            raise ValueError("`url` holds a name or a password: send it as a header, from a variable")
        if self.url and (self.args or self.environment or self.folder):
            raise ValueError("`args`, `environment` and `folder` are of a `command`, not of a `url`")
        if self.command and self.headers:
            raise ValueError("`headers` are of a `url`, not of a `command`")
        if unknown := [name for name in self.public if name not in self.environment and name not in self.headers]:
            raise ValueError(f"`public` names what is neither in `environment` nor in `headers`: {', '.join(unknown)}")
        if "\0" in "".join((self.command, *self.args, self.folder)):
            raise ValueError("a command holds a zero byte")
        if broken := [name for name, value in self.headers.items() if not _is_header(name, value)]:
            raise ValueError(f"these are no headers: {', '.join(map(repr, broken))}")
        names = [name.lower() for name in self.headers]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"a header is there twice, in small and in capital letters: {', '.join(twice)}")
        return self

    def offers(self, tool: str) -> bool:
        """Whether the operator lets this tool be called at all."""
        return is_tool_listed(tool, self.tools)

    def variables(self) -> tuple[str, ...]:
        """The variables of the worker that it needs."""
        values = (*self.headers.values(), *self.environment.values())
        return tuple(dict.fromkeys(name for value in values for name in VARIABLE.findall(value)))


def is_tool_listed(tool: str, names: tuple[str, ...]) -> bool:
    """Whether a list of tools has this one."""
    return ALL in names or tool in names


def tool_servers(given: Mapping[str, Mapping[str, Any]]) -> dict[str, ToolServer]:
    """Return the servers of the setting, by name.

    Raises:
        InputInvalid: with every fault, each with its location.
    """
    found: dict[str, ToolServer] = {}
    faults: list[str] = []
    for name, entry in given.items():
        if not SERVER_NAME.fullmatch(name):
            faults.append(f"{name!r}: a server's name has small letters, digits, `-` and `_`, at most 64")
        try:
            found[name] = ToolServer.model_validate(entry)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_input=False, include_context=False):
                place = "".join(f"/{part}" for part in (name, *fault["loc"]))
                faults.append(f"{place}: {fault['msg'].removeprefix('Value error, ')}")
    if faults:
        raise InputInvalid("mcp_servers", f"{SETTING} cannot be used: {'; '.join(faults)}")
    return found


def _is_header(name: str, value: str) -> bool:
    return bool(re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name)) and not re.search(r"[\r\n\0]", value)
