"""`elcano documents`: documents of your own, uploaded into collections that runs can search."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from elcano.cli.exit_codes import BadInput, Exit
from elcano.cli.options import AsJson, argument
from elcano.cli.printing import escape_controls, format_line, print_columns, print_json, print_line
from elcano.cli.requests import open_api, print_note

if TYPE_CHECKING:
    from elcano.client.models import CollectionView, DocumentView

app = typer.Typer(no_args_is_help=True, help="Upload documents into collections of your own, which runs can search.")

Collection = Annotated[str, argument("The collection, up to 64 small letters, digits, `_` and `-`.")]
_COUNTS: Final = ["name", "documents", "unread", "indexed", "refused", "incomplete", "outdated", "bytes"]


@app.command("add")
def add_documents(
    collection: Collection,
    paths: Annotated[
        list[Path],
        argument("Files, folders and ZIP archives with all that is in them.", exists=True, resolve_path=True),
    ],
) -> None:
    """Upload files, also of folders and ZIP archives, under their names; what is there already is not sent again.

    Repeat the command after it broke off: it goes on where it was.
    """
    from elcano.client.collections import AddedDocument, AsyncCollection
    from elcano.client.errors import InvalidFiles

    def tell(one: AddedDocument) -> None:
        if one.refusal:
            print_note(escape_controls(f"{one.path}: {one.refusal}"))
        elif one.sent:
            print_line(one.path)

    with open_api() as api:
        try:
            added = api.call(AsyncCollection(api.connection, collection).add, *paths, tell=tell)
        except InvalidFiles as error:
            raise BadInput(str(error)) from error
    sent, refused = sum(one.sent for one in added), sum(bool(one.refusal) for one in added)
    known = len(added) - sent - refused
    print_note(f"{sent} uploaded, {known} there already; a run searches them as `uploads:{collection}`")
    sys.exit(Exit.BAD_INPUT if refused else Exit.OK)


@app.command("list")
def list_documents(
    collection: Annotated[str, argument("The collection; left out: all collections are listed.")] = "",
    as_json: AsJson = False,
) -> None:
    """List your collections and how far they are read, or the documents of one and what of them was not read."""
    from elcano.client.collections import AsyncCollection, list_collections

    with open_api() as api:
        found: Iterable[CollectionView | DocumentView]
        if collection:
            found = api.iterate(AsyncCollection(api.connection, collection).documents())
        else:
            found = api.call(list_collections, api.connection)
        shown = [one.model_dump(mode="json") for one in found]
    fields = ["path", "state", "bytes", "title", "reason"] if collection else _COUNTS
    if as_json:
        print_json(shown)
        return
    for one in shown if collection else ():
        one["reason"] = "; ".join(filter(None, dict.fromkeys([one["reason"], *(gap["reason"] for gap in one["gaps"])])))
    if shown:
        print_columns([fields, *([format_line(one[field]) for field in fields] for one in shown)])
    else:
        print_line("There are no collections.")


@app.command("delete")
def delete_documents(
    collection: Collection,
    path: Annotated[str, argument("The document; left out: the collection with all its documents.")] = "",
) -> None:
    """Delete a document, or a collection. Passages that runs found in it stay with the runs."""
    from elcano.client.collections import AsyncCollection

    with open_api() as api:
        api.call(AsyncCollection(api.connection, collection).delete, path)
    print_line(f"{path or collection} is deleted")
