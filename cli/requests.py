"""Requests to the API that commands share. The client and its dependencies are imported when a request is sent."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from elcano.cli.exit_codes import Exit, Failed, Unreachable

if TYPE_CHECKING:
    from elcano.cli.client import Api


def open_api() -> "Api":
    """The API that the settings name."""
    from elcano.cli.client import Api
    from elcano.settings import program_settings

    settings = program_settings()
    return Api(settings.base_url, settings.api_key)


def get_json(path: str, **params: str | int | list[str]) -> Any:
    """Fetch the JSON at `path`."""
    with open_api() as api:
        return api.get(path, **params)


def post_json(path: str, body: dict[str, Any]) -> Any:
    """Post `body` and return the JSON that answers it."""
    with open_api() as api:
        return api.post(path, body)


def post_to_run(run_id: str, action: str, body: dict[str, Any], key: str = "") -> dict[str, Any]:
    """Post an action on a run; it is sent again, with one key, until its outcome is known."""
    with open_api() as api:
        answer: dict[str, Any] = api.post_with_key(f"/v1/runs/{run_id}/{action}", body, print_note, key)
        return answer


def delete_each(folder: str, names: Iterable[str]) -> Exit:
    """Delete the named things under `folder`, one by one; one that is refused does not stop the others.

    Returns:
        The exit code of the first refusal, or `Exit.OK`.

    Raises:
        Unreachable: the API cannot be asked; what is left was not deleted.
    """
    code = Exit.OK
    with open_api() as api:
        for name in dict.fromkeys(names):
            try:
                api.delete(f"{folder}/{quote(name, safe='@')}")
            except Unreachable:
                raise
            except Failed as error:
                print_note(f"{name}: {error}")
                code = code or error.code
            else:
                sys.stdout.write(f"{name} is deleted\n")
    return code


def print_note(text: str) -> None:
    """Print a message about the command itself to standard error, apart from its output."""
    sys.stderr.write(f"elcano: {text}\n")
