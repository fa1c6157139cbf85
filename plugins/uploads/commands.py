"""`elcano documents`: documents of your own, uploaded into collections that runs can search."""

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from elcano.cli.exit_codes import Exit, Failed, Unreachable
from elcano.cli.options import AsJson, argument
from elcano.cli.printing import format_line, print_columns, print_json, print_line
from elcano.cli.requests import get_json, open_api, print_note

if TYPE_CHECKING:
    from elcano.cli.client import Api

app = typer.Typer(no_args_is_help=True)

Collection = Annotated[str, argument("The collection, up to 64 small letters, digits, `_` and `-`.")]


@app.callback()
def documents() -> None:
    """Upload documents into collections of your own, which runs can search."""


@app.command("add")
def add_documents(
    collection: Collection,
    paths: Annotated[
        list[Path], argument("Files, and folders with all that is in them.", exists=True, resolve_path=True)
    ],
) -> None:
    """Upload files, and files of folders, under their names; what is there already is not sent again.

    Repeat the command after it broke off: it goes on where it was.
    """
    code, sent, known = Exit.OK, 0, 0
    with open_api() as api:
        there = {one["path"]: one["sha256"] for one in _list_all(api, collection)}
        for name, file in _find_files(paths):
            if there.get(name) == _hash_file(file):
                known += 1
                continue
            try:
                api.upload(f"/v1/collections/{collection}/documents/{quote(name)}", file)
            except Unreachable:
                raise
            except Failed as error:
                print_note(f"{name}: {error}")
                code = code or error.code
            else:
                sent += 1
                print_line(name)
    print_note(f"{sent} uploaded, {known} there already; a run searches them as `uploads:{collection}`")
    sys.exit(code)


@app.command("list")
def list_documents(
    collection: Annotated[str, argument("The collection; left out: all collections are listed.")] = "",
    as_json: AsJson = False,
) -> None:
    """List your collections and how far they are read, or the documents of one."""
    if not collection:
        found: list[dict[str, Any]] = get_json("/v1/collections")
        fields = ["name", "documents", "unread", "indexed", "refused", "bytes"]
    else:
        with open_api() as api:
            found = list(_list_all(api, collection))
        fields = ["path", "state", "bytes", "title", "reason"]
    if as_json:
        print_json(found)
    elif found:
        print_columns([fields, *([format_line(one[field]) for field in fields] for one in found)])
    else:
        print_line(f"There is no collection {collection!r}." if collection else "There are no collections.")


@app.command("delete")
def delete_documents(
    collection: Collection,
    path: Annotated[str, argument("The document; left out: the collection with all its documents.")] = "",
) -> None:
    """Delete a document, or a collection. Passages that runs found in it stay with the runs."""
    place = f"/v1/collections/{collection}" + (f"/documents/{quote(path)}" if path else "")
    with open_api() as api:
        api.delete(place)
    print_line(f"{path or collection} is deleted")


def _find_files(paths: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """Files with their names in the collection: those of a folder begin with the folder's own name; hidden ones not."""
    for path in paths:
        if path.is_file():
            yield path.name, path
            continue
        for file in sorted(path.rglob("*")):
            parts = file.relative_to(path).parts
            if file.is_file() and not any(part.startswith(".") for part in parts):
                yield "/".join((path.name, *parts)), file


def _hash_file(file: Path) -> str:
    found = sha256()
    with file.open("rb") as opened:
        while piece := opened.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


def _list_all(api: "Api", collection: str) -> Iterator[dict[str, Any]]:
    """All documents of a collection; none if there is no such collection yet."""
    if collection not in {one["name"] for one in api.get("/v1/collections")}:
        return
    after: str | None = ""
    while after is not None:
        page = api.get(f"/v1/collections/{collection}/documents", limit=1_000, after=after)
        yield from page["documents"]
        after = page["next"]
