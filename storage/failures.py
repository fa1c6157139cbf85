"""What failures say in Temporal: short enough for the server to keep, and encrypted if payloads are.

Of an attempt that is tried again the server keeps a failure of up to 4 KiB (`limit.mutableStateActivityFailure.size`);
in place of a longer one it says "Failure exceeds size limit.", and nobody learns why a run waits.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter, DefaultFailureConverter, FailureConverter, PayloadConverter

FAILURE_BYTES: Final = 3_000
"""Maximum size of a failure as JSON, before it is encrypted; that adds some 200 bytes for each cause."""
_STACK_CHARACTERS: Final = 600
_LEAST_MESSAGE: Final = 200
_SEALED: Final = "Encoded failure"
"""What the SDK writes in place of a message that is encrypted."""


class ShortFailureConverter(FailureConverter):
    """The SDK's converter; the least important parts of long failures are left out."""

    _SDKS: Final = DefaultFailureConverter()

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write `exception` into `failure`."""
        self._SDKS.to_failure(exception, payload_converter, failure)
        shorten_failure(failure)

    def from_failure(self, failure: Failure, payload_converter: PayloadConverter) -> BaseException:
        """Return the exception that `failure` describes."""
        return self._SDKS.from_failure(failure, payload_converter)


class SealedFailureConverter(ShortFailureConverter):
    """The same for encrypted payloads: messages and stack traces of all causes are where the codec encrypts them."""

    def to_failure(self, exception: BaseException, payload_converter: PayloadConverter, failure: Failure) -> None:
        """Write `exception` into `failure`."""
        super().to_failure(exception, payload_converter, failure)
        for one in _list_causes(failure):
            if one.message == _SEALED and one.HasField("encoded_attributes"):
                continue  # the cause of a failure that was read; the codec encrypts it anew
            said = {"message": one.message, "stack_trace": one.stack_trace}
            one.encoded_attributes.CopyFrom(payload_converter.to_payloads([said])[0])
            one.message, one.stack_trace = _SEALED, ""


def shorten_failure(failure: Failure) -> None:
    """Shorten the stack trace; of a failure that is still long, drop the first causes, then cut its message."""
    chain = list(_list_causes(failure))
    for one in chain:
        one.stack_trace = one.stack_trace[-_STACK_CHARACTERS:] if one is chain[0] else ""
    while _measure_failure(chain) > FAILURE_BYTES and len(chain) > 1:
        chain.pop()
        chain[-1].ClearField("cause")
    message = failure.message
    while _measure_failure(chain) > FAILURE_BYTES and len(message) > _LEAST_MESSAGE:
        message = message[: len(message) * 3 // 4]
        failure.message = f"{message} ..."


async def read_failure_message(converter: DataConverter, failure: Failure) -> str:
    """The message of a failure as the server keeps it, decrypted.

    Raises:
        SealedDataUnreadable: it was encrypted with a key that is missing.
    """
    if failure.HasField("server_failure_info") and failure.HasField("cause"):
        failure = failure.cause  # the server's remark that it has cut the failure
    if not failure.HasField("encoded_attributes"):
        return failure.message
    (said,) = await converter.decode([failure.encoded_attributes], [dict[str, str]])
    return str(said["message"])


def _measure_failure(chain: Sequence[Failure]) -> int:
    """The size of a failure with what JSON adds to its texts."""
    texts = [text for one in chain for text in (one.message, one.stack_trace)]
    return chain[0].ByteSize() + sum(text.count(mark) for text in texts for mark in '"\\\n')


def _list_causes(failure: Failure) -> Iterator[Failure]:
    """The failure, its cause, the cause of that, and so on."""
    while True:
        yield failure
        if not failure.HasField("cause"):
            return
        failure = failure.cause
