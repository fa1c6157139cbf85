"""What a failure says fits into what Temporal keeps while it tries again, and is encrypted with all its causes."""

from pathlib import Path

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ActivityError, ApplicationError, RetryState

from elcano.operations.encryption.keys import INDEX, make_key, parse_keys
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter, read_failure_message

SERVER_BYTES = 4096
"""The server's default limit."""
SECRET = "zyxwort"


@pytest.fixture
def clear(tmp_path: Path) -> DataConverter:
    return data_converter(open_objects("", tmp_path))


@pytest.fixture
def sealed(tmp_path: Path) -> DataConverter:
    return data_converter(open_objects("", tmp_path), parse_keys(f"{make_key('one')},{make_key(INDEX)}"))


def fail_deeply(depth: int, message: str) -> ApplicationError:
    """An error with as many causes, each raised under a stack of its own."""

    def fall(frames: int, depth: int) -> None:
        if frames:
            fall(frames - 1, depth)
        elif depth:
            try:
                fall(12, depth - 1)
            except ApplicationError as error:
                raise ApplicationError(f"{depth}: {message}", type="Outage") from error
        else:
            raise ApplicationError(f"the first: {message}", type="Outage")

    try:
        fall(12, depth)
    except ApplicationError as error:
        return error
    raise AssertionError


async def keep(converter: DataConverter, error: BaseException) -> Failure:
    failure = Failure()
    await converter.encode_failure(error, failure)
    return failure


@pytest.mark.parametrize("message", ["down", "\N{SNOWMAN} x" * 2_000, '"\n' * 2_000], ids=["short", "wide", "escaped"])
@pytest.mark.parametrize("depth", [0, 9])
@pytest.mark.parametrize("kind", ["clear", "sealed"])
async def test_it_fits_and_says_its_reason(kind: str, depth: int, message: str, request: pytest.FixtureRequest) -> None:
    converter: DataConverter = request.getfixturevalue(kind)
    error = fail_deeply(depth, message)
    failure = await keep(converter, error)
    assert failure.ByteSize() < SERVER_BYTES
    said = await read_failure_message(converter, failure)
    assert said.removesuffix(" ...") == error.message[: len(said.removesuffix(" ..."))]
    assert len(said) > min(len(error.message) - 1, 500)


async def test_a_failure_that_is_handed_on_is_sealed_with_its_causes(sealed: DataConverter) -> None:
    """The SDK restores the messages of a failure that it reads, and copies it whole when it is raised again."""
    failure = await keep(sealed, fail_deeply(2, SECRET))
    read = await sealed.decode_failure(failure)
    assert SECRET in str(read.__cause__)
    outer = ActivityError(
        SECRET,
        scheduled_event_id=1,
        started_event_id=2,
        identity="worker",
        activity_type="search",
        activity_id="0001-search",
        retry_state=RetryState.MAXIMUM_ATTEMPTS_REACHED,
    )
    outer.__cause__ = read
    for one in (read, outer):
        again = await keep(sealed, one)
        assert SECRET.encode() not in again.SerializeToString()
        assert SECRET in str((await sealed.decode_failure(again)).__cause__)


async def test_what_the_server_has_cut_is_read_as_far_as_it_is_there(clear: DataConverter) -> None:
    cut = Failure(message="Failure exceeds size limit.", cause=Failure(message="the model is down"))
    cut.server_failure_info.SetInParent()
    assert await read_failure_message(clear, cut) == "the model is down"
    assert await read_failure_message(clear, Failure(message="HTTP 429")) == "HTTP 429"
