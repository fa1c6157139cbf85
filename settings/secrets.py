"""Values that must appear in no text: keys and passwords of the environment and `.env`, and values for MCP servers.

A value is secret by the name of its variable, as the password of an address, or because the operator gives it to a tool
server, in any variable or header, unless `public` of that server names it.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from dotenv import dotenv_values

from elcano.settings.settings import Settings, get_variable_name

LEAST_SECRET: Final = 8
"""Minimum length; a shorter value may be a word, which would be removed from every text that has it."""
_SECRET_NAME: Final = re.compile(
    r"PGPASSWORD|(?:.*_)?(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN_BEDROCK|KEY_DATA)(?:_\d+)?",
    re.IGNORECASE,
)
"""Names of variables that hold a key: `*_API_KEY`, `*_TOKEN`, `*_SECRET` and other variables of providers."""
_PASSWORD_IN_ADDRESS: Final = re.compile(
    r'(?<=://)[^:/?#"\s]*:([^"\s]*)@|[?&][^=&"\s]*(?:password|key|token|secret)=([^&"\s]+)', re.I
)
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SCHEME_AND_KEY: Final = re.compile(r"[A-Za-z][\w-]*\s+(\S+)")
"""`Bearer KEY`, as headers have it."""

Found = Iterator[tuple[str, str]]
"""Location of a secret, and its value."""


def list_secrets() -> tuple[str, ...]:
    """List all secret values of 8 characters and more in this process's environment and its `.env`, longest first."""
    return _longest_first(_find_environment_secrets())


def short_secrets() -> tuple[str, ...]:
    """List the places of secrets that have fewer than 8 characters, so that they are not removed from texts."""
    return tuple(dict.fromkeys(place for place, value in _find_environment_secrets() if 0 < len(value) < LEAST_SECRET))


def secrets_given(server: Mapping[str, Any], key: Callable[[str], str]) -> tuple[str, ...]:
    """List the secrets of 8 characters and more among the values given to one MCP server, the longest first.

    Args:
        server: its entry in `ELCANO_MCP_SERVERS`.
        key: the value of a variable that it names; empty if it is not set.
    """
    return _longest_first(tuple(_find_server_secrets("", server, key)))


def _longest_first(found: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    values = {value for _, value in found if len(value) >= LEAST_SECRET}
    return tuple(sorted(values, key=lambda value: (-len(value), value)))


def _find_environment_secrets() -> tuple[tuple[str, str], ...]:
    """Find every secret of the environment and of the settings file; both may change meanwhile."""
    path = Path(str(Settings.model_config["env_file"])).absolute()
    try:
        about = path.stat()
    except OSError:  # there is none, as in most places, or the settings could not be read from it either
        return _collect_secrets(tuple(os.environ.items()), None)
    return _collect_secrets(tuple(os.environ.items()), (path, about.st_mtime_ns, about.st_size))


@lru_cache(maxsize=4)
def _collect_secrets(
    environment: tuple[tuple[str, str], ...], file: tuple[Path, int, int] | None
) -> tuple[tuple[str, str], ...]:
    lines: list[tuple[str, str]] = []
    for interpolate in (False, True) if file is not None else ():  # `${NAME}` of a server may be written out already
        read = dotenv_values(file[0] if file else None, interpolate=interpolate, encoding="utf8")
        lines += [(name, value or "") for name, value in read.items()]
    variables = {**dict(lines), **dict(environment)}
    found = [one for pair in (*lines, *environment) for one in _find_variable_secrets(*pair)]
    servers = get_variable_name("mcp_servers").upper()
    for name, value in (*lines, *environment):
        if name.upper() == servers:
            found += _of_servers(value, lambda one: variables.get(one, "").strip())
    return tuple(found)


def _find_variable_secrets(name: str, value: str) -> Found:
    """Yield the secrets in a variable, by its name and in addresses, also within JSON."""
    if _SECRET_NAME.fullmatch(name):
        yield name, value.strip()
    yield from _find_passwords(name, value)
    if value.lstrip().startswith(("{", "[")):
        yield from _in_json(name, _parse_json_or_none(value))


def _in_json(name: str, value: object) -> Found:
    if isinstance(value, str):
        yield from _find_passwords(name, value)
    elif isinstance(value, Mapping):
        for inner, one in value.items():
            if isinstance(one, str) and _SECRET_NAME.fullmatch(str(inner)):
                yield f"{inner} in {name}", one.strip()
            yield from _in_json(name, one)
    elif isinstance(value, list):
        for one in value:
            yield from _in_json(name, one)


def _find_passwords(name: str, text: str) -> Found:
    for pair in _PASSWORD_IN_ADDRESS.findall(text):
        for password in filter(None, pair):
            yield f"the password in {name}", password
            yield f"the password in {name}", unquote(password)


def _of_servers(value: str, key: Callable[[str], str]) -> Found:
    servers = _parse_json_or_none(value)
    for name, server in servers.items() if isinstance(servers, Mapping) else ():
        if isinstance(server, Mapping):
            yield from _find_server_secrets(f" of the MCP server {name!r}", server, key)


def _find_server_secrets(whose: str, server: Mapping[str, Any], key: Callable[[str], str]) -> Found:
    public = server.get("public") or ()
    for field in ("environment", "headers"):
        entries = server.get(field)
        for name, text in entries.items() if isinstance(entries, Mapping) else ():
            if name in public or not isinstance(text, str):
                continue
            place = f"{name}{whose}"
            value = _VARIABLE.sub(lambda found: key(found[1]), text).strip()
            yield place, value
            yield from ((place, key(one)) for one in _VARIABLE.findall(text))
            yield from _find_passwords(place, value)
            if scheme := _SCHEME_AND_KEY.fullmatch(value):
                yield place, scheme[1]
    yield from _find_passwords(f"`url`{whose}", str(server.get("url") or ""))
    yield from _in_arguments(f"an argument{whose}", [str(one) for one in server.get("args") or ()])


def _in_arguments(place: str, arguments: list[str]) -> Found:
    """Find keys among arguments, which are public otherwise: `--token=KEY`, `--api-key KEY`, `TOKEN=KEY`."""
    for argument, following in zip(arguments, [*arguments[1:], ""], strict=False):
        option, equals, value = argument.partition("=")
        if _SECRET_NAME.fullmatch(option.lstrip("-").replace("-", "_")) and (equals or option.startswith("-")):
            yield place, value if equals else following
        yield from _find_passwords(place, argument)


def _parse_json_or_none(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:  # the settings refuse it, without saying anything of it
        return None
