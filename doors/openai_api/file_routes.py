"""The Files API: a file that is sent once, and named by its id in any number of requests."""

from typing import Any, Final

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from elcano.api.http.body_limit import STREAMED_BODY
from elcano.api.http.errors import BodyTooLarge, problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.client.collections import name_file_collection
from elcano.doors.openai_api.attached_files import FileFault, keep_file
from elcano.service.errors import FieldFault, Refusal, RequestInvalid
from elcano.service.fields import Described
from elcano.subjects.uploads.document_files import AT_ONCE, UploadsFull, delete_collection
from elcano.subjects.uploads.document_store import UploadedDocument, get_uploads
from elcano.subjects.uploads.request_bodies import KEPT_AT_ONCE, UploadBrokenOff, limit_body

FORM_BYTES: Final = 10_000
"""Maximum size of the other parts of a form, in bytes."""
_STATUS: Final = {"uploaded": "uploaded", "indexed": "processed", "refused": "error"}
_FORM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}, "purpose": {"type": "string"}},
                }
            }
        },
    }
}


class FileNotFound(Refusal, kind="missing", title="No such file"):
    """The tenant has no file of this id."""


class FileObject(Described):
    """A file."""

    id: str = Field(examples=["files-9f86d081884c7d65"])
    """Pass it as `file_id`; it is the name of its collection as well."""
    object: str = Field(default="file", examples=["file"])
    """Type of the object."""
    bytes: int = Field(examples=[48_213])
    """Its size."""
    created_at: int = Field(examples=[1_790_000_000])
    """When it was sent, in seconds since the epoch."""
    filename: str = Field(examples=["ladders.pdf"])
    """Its name."""
    purpose: str = Field(default="user_data", examples=["user_data"])
    """Purpose of the file: a run searches it."""
    status: str = Field(examples=["processed"])
    """`uploaded`: it is yet to be read. `processed`: it is searched. `error`: it cannot be read."""
    status_details: str | None = Field(examples=[None])
    """Why it cannot be read."""


class FileDeleted(Described):
    """A file was deleted."""

    id: str = Field(examples=["files-9f86d081884c7d65"])
    """Its id."""
    object: str = Field(default="file", examples=["file"])
    """Type of the deleted object."""
    deleted: bool = Field(default=True, examples=[True])
    """Whether it is deleted."""


router = APIRouter(prefix="/openai/v1/files", tags=["openai"])


@router.post(
    "",
    dependencies=[requires("edit_catalogue"), STREAMED_BODY],
    openapi_extra=_FORM,
    responses=problem_docs(BodyTooLarge, UploadBrokenOff, UploadsFull),
)
async def upload_file(request: Request, services: Provided) -> FileObject:
    """Send a file, which runs can then search by its id. Whatever its `purpose`, this is what it is for."""
    body = limit_body(request, services.settings.file_limit_bytes + FORM_BYTES)
    try:
        form = await MultiPartParser(request.headers, body, max_files=1, max_fields=1).parse()
    except (MultiPartException, KeyError) as error:
        raise RequestInvalid([FieldFault(field="file", message=f"is in no form that can be read: {error}")]) from error
    try:
        sent = form.get("file")
        if not isinstance(sent, UploadFile):
            raise RequestInvalid([FieldFault(field="file", message="is missing: send the file in a form")])
        async with KEPT_AT_ONCE:
            kept = await keep_file(sent.filename or "", await sent.read(), services)
    except FileFault as error:
        raise RequestInvalid([FieldFault(field="file", message=str(error))]) from error
    finally:
        await form.close()
    return _view_file(kept)


@router.get("/{file_id}", dependencies=[requires("read_catalogue")], responses=problem_docs(FileNotFound))
async def retrieve_file(file_id: str, services: Provided) -> FileObject:
    """Read how a file stands."""
    return _view_file(await _find_file(file_id, services))


@router.delete("/{file_id}", dependencies=[requires("edit_catalogue")], responses=problem_docs(FileNotFound))
async def delete_file(file_id: str, services: Provided) -> FileDeleted:
    """Delete a file. Passages that runs found in it stay with the runs."""
    await _find_file(file_id, services)
    await delete_collection(services.store, file_id)
    return FileDeleted(id=file_id)


async def _find_file(file_id: str, services: Services) -> UploadedDocument:
    """The file of an id; of an archive or a list the parts are in the collection too.

    Raises:
        FileNotFound: there is none.
    """
    after = ""
    while page := await get_uploads(services.store).page(file_id, after=after, limit=AT_ONCE):
        for one in page:
            if name_file_collection([(one.data_hash, one.path)]) == file_id:
                return one
        after = page[-1].key
    raise FileNotFound(f"there is no file {file_id[:100]!r}")


def _view_file(one: UploadedDocument) -> FileObject:
    return FileObject(
        id=one.collection,
        bytes=one.size,
        created_at=int(one.uploaded_at),
        filename=one.path,
        status=_STATUS[one.state],
        status_details="; ".join(filter(None, [one.reason, *(gap.reason for gap in one.gaps)])) or None,
    )
