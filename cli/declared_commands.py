"""Commands declared as data: tables of what the API lists, and single requests that one line answers."""

from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from typing import Any, Final, TypeAlias

from elcano.cli.options import AsJson, Key
from elcano.cli.printing import exit_with_json, format_line, format_local_time, print_columns, print_line
from elcano.cli.requests import get_json, open_api, print_note

Row: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = str | Callable[[Row], str]
"""A field of a row, or a function of the row. A field whose name ends in `_at` is a time; none is `never`."""
_NO_BODY: Final[Mapping[str, Any]] = {}


def print_rows(rows: Iterable[Row], columns: Mapping[str, Cell], none: str = "") -> None:
    """Print a line for each row, below the names of the columns; without rows, print `none` instead."""
    lines = (
        [_format_field(row, cell) if isinstance(cell, str) else cell(row) for cell in columns.values()] for row in rows
    )
    print_columns([[*columns], *lines], none)


def _format_field(row: Row, field: str) -> str:
    value = row[field]
    if field.endswith("_at"):
        return format_local_time(value) if value else "never"
    return format_line("-" if value in (None, "") else value)


def list_command(
    help: str, path: str, columns: Mapping[str, Cell], none: str, arguments: Mapping[str, Any] = _NO_BODY
) -> Callable[..., None]:
    """A command that lists what is at `path`, in which `{name}` is the value of an argument."""

    def list_rows(as_json: bool = False, **given: str) -> None:
        found = get_json(path.format(**given))
        exit_with_json(found, wanted=as_json)
        print_rows(found, columns, none)

    return _declare(list_rows, help, arguments, {"as_json": (AsJson, False)})


def request_command(
    help: str,
    request: str,
    done: str,
    arguments: Mapping[str, Any],
    body: Mapping[str, Any] = _NO_BODY,
    *,
    keyed: bool = False,
) -> Callable[..., None]:
    """A command that sends one request and prints one line.

    Args:
        help: Its help.
        request: `POST` or `DELETE` and a path, in which `{name}` is the value of an argument.
        done: The line, with the arguments and the `answer`.
        arguments: By name, their annotations.
        body: By name, the annotations of options that the body has; an option that is not given is an empty text.
        keyed: Whether the request is repeated with one key until its outcome is known.
    """
    method, path = request.split()

    def send(key: str = "", **given: str) -> None:
        place, sent = path.format(**given), {name: given[name] for name in body}
        answer: Any = None
        with open_api() as api:
            if method == "DELETE":
                api.delete(place)
            else:
                answer = api.post_with_key(place, sent, print_note, key) if keyed else api.post(place, sent)
        print_line(done.format(**given, answer=answer))

    options = {name: (of, "") for name, of in body.items()}
    return _declare(send, help, arguments, options | ({"key": (Key, "")} if keyed else {}))


def _declare(
    run: Callable[..., None], help: str, arguments: Mapping[str, Any], options: Mapping[str, tuple[Any, Any]]
) -> Callable[..., None]:
    """Give a function the signature and the help that typer reads."""
    kind = Parameter.KEYWORD_ONLY
    parameters = [Parameter(name, kind, annotation=of) for name, of in arguments.items()]
    parameters += [Parameter(name, kind, default=default, annotation=of) for name, (of, default) in options.items()]
    setattr(run, "__signature__", Signature(parameters))  # noqa: B010
    run.__doc__ = help
    return run
