"""A model that is asked for its words as it writes them, and answers as if it had been asked for all of them at once.

Streaming is for people who watch, and must not cost a call. So an answer is asked for again, without
streaming, if the model does not stream, refuses to, or streams what no one can make an answer of. What a provider says
of itself (a key that is refused, a rate, an overload, a connection that breaks, in the middle of a stream too) fails
the call as it would without. A model that mends the form of its answer does it without streaming: there are servers
that stream calls of tools wrongly. What a stream brought before it broke off is paid for, and counted as an estimate.

Shown are the texts in an answer's JSON (title, headings, limitations), not the keys and quotes that are for the check.
An answer that is no JSON shows nothing: a model may talk to itself before it answers.
"""

import copy
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Final, TypeAlias

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_core import from_json

from elcano.activities.calls.heartbeats import CallTimedOut, wait_patiently
from elcano.activities.calls.model_failures import fault_of
from elcano.activities.calls.usage import broken_off
from elcano.graphs.contracts import SHOWN_CHARACTERS
from elcano.graphs.errors import PromptTooLong
from elcano.graphs.state.budget import Usage
from elcano.graphs.text import clean_text

_NO_SUCH_WAY: Final = frozenset({400, 405, 406, 415, 422, 501})
"""Statuses by which servers refuse to stream; they may mean the request itself, which is then refused again."""
_REFUSED_ANYWAY: Final = (ModelAuthenticationError, ModelContextWindowExceededError, ModelNotFoundError)
_WHOLE: Final = ("content_filter", "length")
"""Why an answer may have ended without one, streamed or not."""

_Name: TypeAlias = tuple[str, str, str | None]
"""A model's system, its name, and its server."""

_log = logging.getLogger("activities.streaming")


class Streamers:
    """Remembers, by name, which models of this process stream correctly and which do not."""

    def __init__(self) -> None:
        self._streams: dict[_Name, bool] = {}

    def may(self, model: Model) -> bool:
        """Whether `model` is worth asking for a stream."""
        inner = _unwrap_model(model)
        able = type(inner).request_stream is not Model.request_stream
        scripted_at_once = isinstance(inner, FunctionModel) and inner.stream_function is None
        return able and not scripted_at_once and self._streams.get(_identify_model(model), True)

    def proven(self, model: Model) -> bool:
        """Whether `model` has streamed an answer that could be used."""
        return self._streams.get(_identify_model(model), False)

    def does(self, model: Model) -> None:
        """`model` streamed an answer that could be used."""
        self._streams[_identify_model(model)] = True

    def does_not(self, model: Model, why: str) -> None:
        """`model` is not asked for a stream again, unless it has streamed well before: then it was chance."""
        if not self.proven(model):
            self._streams[_identify_model(model)] = False
            _log.warning("the words of %s cannot be watched: %s; it is asked without streaming", model.model_id, why)


class Listener:
    """Listens to the output of the models of one call, one after the other."""

    def __init__(self, streamers: Streamers, admit: Callable[[], object], first_token_seconds: float = 0.0) -> None:
        """`admit` lets a further request pass, or raises; 0 seconds are no limit."""
        self.first_token_seconds = first_token_seconds
        self.streamers = streamers
        self.admit = admit
        self.lost = Usage()
        """Usage of broken streams, which have no response to count it with."""
        self._stream: StreamedResponse | None = None
        self._streamed: Model | None = None
        self._text = ""

    @property
    def written(self) -> tuple[str, int] | None:
        """The end of the newest text and how many characters it has; None before there is one."""
        if self._stream is not None:
            text = extract_readable_text(self._stream.get())
            self._text = self._text if text is None else text
        return (self._text[-SHOWN_CHARACTERS:], len(self._text)) if self._text else None

    @property
    def streamed(self) -> Model | None:
        """The model whose last answer was streamed; None if it was not."""
        return self._streamed

    def begin(self, model: Model | None, stream: StreamedResponse | None = None) -> None:
        """Start another answer, streamed by `stream` of `model` or not at all; earlier output is void."""
        self._streamed, self._stream, self._text = model, stream, ""

    def end(self) -> None:
        """The answer is there; its text is shown until another one begins."""
        self._text = (extract_readable_text(self._stream.get()) if self._stream is not None else None) or self._text
        self._stream = None

    def broke_off(self, messages: Sequence[ModelMessage]) -> bool:
        """Nothing more comes, and no answer did; what came is counted. Whether anything did."""
        stream, self._stream, self._text = self._stream, None, ""
        came = stream.get() if stream is not None else None
        if came is None or not (came.parts or came.usage.has_values()):
            return False
        self.lost += broken_off(came, messages)
        return True

    def accept(self, requests: int) -> None:
        """Record that the call's answer was usable, after this many requests."""
        if requests == 1 and self._streamed is not None:
            self.streamers.does(self._streamed)


def attach_listener(model: Model, listener: Listener) -> Model:
    """Wrap `model` so that `listener` receives its output; in a fallback list, wrap each model."""
    if isinstance(model, FallbackModel):
        listened = copy.copy(model)
        listened.models = [attach_listener(one, listener) for one in model.models]
        return listened
    return StreamingModel(model, listener)


class StreamingModel(WrapperModel):
    """Streams where its caller asks for a whole answer."""

    def __init__(self, wrapped: Model, listener: Listener) -> None:
        super().__init__(wrapped)
        self._listener = listener

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer.

        Raises:
            ModelAPIError: the provider refused, or could not answer.
            BudgetExhausted: a stream was of no use, and what is left does not suffice for another request.
        """
        listener, request = self._listener, (messages, model_settings, model_request_parameters)
        mending = any(isinstance(message, ModelResponse) for message in messages)
        if mending and listener.streamed is not None:
            listener.streamers.does_not(listener.streamed, "what it streamed had the wrong form")
        why = ""
        if not mending and listener.streamers.may(self.wrapped):
            try:
                return await self._streamed(*request)
            except Exception as error:
                came = listener.broke_off(messages)
                too_long = isinstance(fault_of(error, self.wrapped), PromptTooLong)
                if too_long or not _about_streaming(error, proven=listener.streamers.proven(self.wrapped)):
                    raise
                why = f"{type(error).__name__}: {error}"[:200]
            except BaseException:  # it was given up, or took too long
                listener.broke_off(messages)
                raise
            if came:
                listener.admit()
        listener.begin(None)
        response = await self.wrapped.request(*request)
        if why:
            listener.streamers.does_not(self.wrapped, why)
        return response

    async def _streamed(self, *request: Any) -> ModelResponse:
        listener = self._listener
        listener.begin(self.wrapped)
        async with AsyncExitStack() as stack:
            begun = self._first_token(stack, request)
            seconds = listener.first_token_seconds
            try:
                stream = await (wait_patiently(begun, seconds) if seconds else begun)
            except CallTimedOut:
                raise ModelRequestTimeout(self.model_name, seconds) from None
            async for _ in stream:
                pass
        response = stream.get()
        if response.finish_reason not in _WHOLE and not _says_something(response):
            raise _EmptyStream("it ended without an answer")
        listener.end()
        return response

    async def _first_token(self, stack: AsyncExitStack, request: Sequence[Any]) -> StreamedResponse:
        """Begin a stream and wait for its first event; a stream that has none is at its end."""
        stream = await stack.enter_async_context(self.wrapped.request_stream(*request))
        self._listener.begin(self.wrapped, stream)
        await anext(aiter(stream), None)
        return stream


class _EmptyStream(Exception):
    """A stream came to its end and brought nothing, as that of a server does which answers all at once."""


def _says_something(response: ModelResponse) -> bool:
    return any(
        isinstance(part, ToolCallPart) or (isinstance(part, TextPart) and part.content.strip())
        for part in response.parts
    )


def _about_streaming(error: Exception, *, proven: bool) -> bool:
    """Whether the same request may succeed without streaming: the fault is in the way of answering, or may be."""
    if not isinstance(error, ModelAPIError):
        return True
    if error.in_stream or isinstance(error, _REFUSED_ANYWAY):
        return False
    if isinstance(error, ModelHTTPError | ModelRequestRejectedError):
        return not proven and getattr(error, "status_code", 400) in _NO_SUCH_WAY
    return type(error) is ModelAPIError  # what came could not be read


def _unwrap_model(model: Model) -> Model:
    """The model behind what only passes requests on."""
    while isinstance(model, WrapperModel):
        model = model.wrapped
    return model


def _identify_model(model: Model) -> _Name:
    return model.system, model.model_name, model.base_url


_MARKS: Final[Mapping[str, str]] = {
    "title": "# ",
    "introduction": "",
    "key_findings": "",
    "heading": "## ",
    "text": "",
    "disputed": "",
    "strength": "",
    "conclusion": "",
    "limitations": "- ",
}
"""The fields whose texts are shown, and what is before each."""
_UNSHOWN: Final = frozenset({"citations", "related"})
_FENCE: Final = "```"


def extract_readable_text(response: ModelResponse) -> str | None:
    """The texts of an answer as far as it has come; None if nothing of it can be read as it is.

    That is so before it begins, and for a moment in the middle of an escape.
    """
    for part in reversed(response.parts):
        if isinstance(part, ToolCallPart):
            return _render_partial_json(part.args)
        if isinstance(part, TextPart) and part.content.strip():
            return _render_partial_json(_strip_code_fence(part.content))
    return None


def _render_partial_json(answer: str | Mapping[str, Any] | None) -> str | None:
    if isinstance(answer, str):
        try:
            answer = from_json(answer, allow_partial="trailing-strings")
        except ValueError:
            return None
    if not isinstance(answer, Mapping):
        return None
    text = "\n\n".join(_iter_readable_texts(answer, ""))
    return clean_text(text) or None


def _iter_readable_texts(value: object, field: str) -> Iterator[str]:
    if isinstance(value, str):
        if field in _MARKS and value.strip():
            yield _MARKS[field] + value.strip()
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in _UNSHOWN:
                yield from _iter_readable_texts(inner, str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _iter_readable_texts(inner, field)


def _strip_code_fence(text: str) -> str:
    """An answer as text, without the fence that models put around JSON."""
    text = text.strip()
    if text.startswith(_FENCE):
        text = text.partition("\n")[2].removesuffix(_FENCE)
    return text
