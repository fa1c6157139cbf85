"""The parameters of OpenAI's API: which are used, which change nothing here, and which cannot be done and are refused.

A parameter that would change the answer of a model, and cannot change a report, is either refused, because the client
relies on it (`tools` of its own, `n`), or reported in the metadata of the answer (`temperature`). One that concerns
nothing but transport, caches or accounting is accepted as it is. All others are unknown, and refused.
"""

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from pydantic import Field

from elcano.graphs.mode_choice import DEFAULT_MODE
from elcano.service.errors import FieldFault
from elcano.service.fields import Request, Text

WEB_SEARCH: Final = ("web_search", "web_search_preview")
"""Prefix of the names of web search tools; dated names follow."""
OFFERED: Final = frozenset({"function", "custom"})
"""Tools of the client's own, which a model may call and a run never does: many clients offer some every time."""
NO_FORM: Final = "an answer is text, or in the form of a `json_schema`, which is missing here"
IGNORED: Final = "elcano_ignored"
"""The metadata that names the parameters of a request that its report does not go by."""


class OpenAIRequest(Request):
    """Parameters that both kinds of requests share."""

    acknowledged: ClassVar[frozenset[str]] = frozenset(
        {"temperature", "top_p", "presence_penalty", "frequency_penalty", "seed"}
    )
    """Parameters that a report does not go by, which its metadata say."""
    schema_field: ClassVar[str]
    """Path of the answer's schema, if one is wanted."""

    model: str = Field(default=DEFAULT_MODE, max_length=100, examples=["auto"])
    """A mode, or a graph of your own: `GET /openai/v1/models` lists them."""
    stream: bool | None = Field(default=None, examples=[False])
    """Whether the answer comes as server-sent events."""
    metadata: dict[str, str] | None = Field(default=None, examples=[{"ticket": "4711"}])
    """Texts of your own, which the answer repeats."""
    elcano: dict[str, Any] | None = Field(default=None, examples=[{"priority": "batch"}])
    """Further options of a run, by their names in `POST /v1/runs`: `sources`, `budget`, `domain`, `approve_plan`,
    `priority` and others."""
    tools: list[dict[str, Any]] | None = None
    """`web_search` searches the web besides the sources of the server. Functions may be offered, and are never called;
    other tools are refused."""
    tool_choice: Any = None
    """`auto` and `none` are accepted; `required` and the choice of a search are where that is among the tools."""
    temperature: Any = None
    top_p: Any = None
    presence_penalty: Any = None
    frequency_penalty: Any = None
    seed: Any = None
    top_logprobs: Any = None
    parallel_tool_calls: Any = None
    service_tier: Any = None
    user: Any = None
    safety_identifier: Any = None
    prompt_cache_key: Any = None
    prompt_cache_retention: Any = None
    stream_options: dict[str, Any] | None = None

    @property
    def end_user(self) -> str:
        """The user of the client for whom it asks; empty: none is named."""
        return f"{self.user or self.safety_identifier or ''}"

    @property
    def wants_web(self) -> bool:
        """Whether it asks for a search of the web."""
        return any(tool.get("external_web_access") is not False for tool in self._list_tools(WEB_SEARCH))

    @property
    def stays_inside(self) -> bool:
        """Whether it asks for a search that contacts no service outside."""
        return not self.wants_web and bool(self._list_tools(WEB_SEARCH))

    @property
    def _must_search(self) -> bool:
        """Whether a tool has to be called, and a search, which every run makes, is one."""
        chosen = self.tool_choice.get("type") if isinstance(self.tool_choice, dict) else self.tool_choice
        return bool((chosen == "required" or str(chosen).startswith(WEB_SEARCH)) and self._list_tools(WEB_SEARCH))

    def _list_tools(self, kinds: tuple[str, ...]) -> list[dict[str, Any]]:
        return [tool for tool in self.tools or () if str(tool.get("type", "")).startswith(kinds)]

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON Schema in which it wants its answer; None: it wants a report."""
        first, *names = self.schema_field.split(".")
        found: Any = getattr(self, first)
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else None

    def list_untaken(self) -> list[str]:
        """The parameters that were given, and that the report does not go by."""
        offered = {"tools"} if any(tool.get("type") in OFFERED for tool in self.tools or ()) else set[str]()
        return sorted(offered.union(name for name in self.acknowledged if getattr(self, name) is not None))

    def find_faults(self) -> Iterator[FieldFault]:
        """Faults of its fields that no run supports."""
        for place, tool in enumerate(self.tools or ()):
            kind = str(tool.get("type"))
            if kind in OFFERED:
                continue
            if not kind.startswith(WEB_SEARCH):
                why = f"a run cannot call {kind!r}; it calls no tools but `web_search` and those of its own"
                if kind == "file_search":
                    why = "name collections of documents in `elcano.sources`, as `uploads:NAME`"
                yield _refuse_field(f"tools.{place}", why)
            elif tool.get("filters"):
                why = "a search leaves nothing out; name domains in `elcano.trust`, or sources in `elcano.sources`"
                yield _refuse_field(f"tools.{place}.filters", why)
        if self.tool_choice not in (None, "auto", "none") and not self._must_search:
            form = self.schema_field.partition(".schema")[0]
            why = f"a run calls none of your functions; for an answer in a form, send its schema in `{form}`"
            yield _refuse_field("tool_choice", why)
        if self.top_logprobs:
            yield _refuse_field("top_logprobs", "a report has no probabilities of tokens")


class ResponseRequest(OpenAIRequest):
    """The body of `POST /openai/v1/responses`."""

    schema_field = "text.format.schema"
    acknowledged = OpenAIRequest.acknowledged | {"max_output_tokens", "max_tool_calls", "reasoning", "verbosity"}

    input: str | list[dict[str, Any]] = Field(default=[], examples=["Which Python packages can read PDF files?"])
    """The question, or a conversation whose last message asks it; or `mcp_approval_response` items."""
    instructions: Text | None = Field(default=None, examples=["One page, for engineers."])
    """Requested length, tone or form of the report."""
    previous_response_id: str | None = Field(default=None, examples=[None])
    """The response that the question follows; or the one that approvals are for."""
    background: bool | None = Field(default=None, examples=[True])
    """True: the answer comes at once, and the research continues, as it does if a waiting client leaves."""
    store: bool | None = None
    """`false` is refused: a run is durable, and stays until it is deleted."""
    include: list[str] | None = None
    text: dict[str, Any] | None = None
    max_output_tokens: Any = None
    max_tool_calls: Any = None
    reasoning: Any = None
    truncation: Any = None
    conversation: Any = None
    prompt: Any = None
    context_management: Any = None

    @property
    def verbosity(self) -> Any:
        """The wanted length of the text."""
        return (self.text or {}).get("verbosity")

    def find_faults(self) -> Iterator[FieldFault]:
        """Faults of its fields that no run supports."""
        yield from super().find_faults()
        if self.store is False:
            why = "a run is kept until it is deleted: leave it out, and delete the response when you have read it"
            yield _refuse_field("store", why)
        if self.output_schema is None and not _is_text(self.text and self.text.get("format")):
            yield _refuse_field("text.format", NO_FORM)
        for name, instead in (
            ("conversation", "send `previous_response_id`"),
            ("prompt", "send the text itself as `input` and `instructions`"),
            ("context_management", "leave it out: a run manages its own context"),
        ):
            if getattr(self, name) is not None:
                yield _refuse_field(name, f"there are none here; {instead}")


class ChatRequest(OpenAIRequest):
    """The body of `POST /openai/v1/chat/completions`."""

    schema_field = "response_format.json_schema.schema"
    acknowledged = OpenAIRequest.acknowledged | {
        "max_tokens",
        "max_completion_tokens",
        "reasoning_effort",
        "verbosity",
        "logit_bias",
    }

    messages: list[dict[str, Any]] = Field(
        default=[], examples=[[{"role": "user", "content": "Which Python packages can read PDF files?"}]]
    )
    """The conversation; its last message is the question."""
    max_tokens: Any = None
    max_completion_tokens: Any = None
    reasoning_effort: Any = None
    verbosity: Any = None
    logit_bias: Any = None
    n: Any = None
    stop: Any = None
    logprobs: Any = None
    response_format: dict[str, Any] | None = None
    functions: Any = None
    function_call: Any = None
    modalities: list[str] | None = None
    audio: Any = None
    prediction: Any = None
    web_search_options: dict[str, Any] | None = None
    """Searches the web besides the sources of the server."""
    store: Any = None

    @property
    def wants_web(self) -> bool:
        """Whether it asks for a search of the web."""
        return self.web_search_options is not None or super().wants_web

    def find_faults(self) -> Iterator[FieldFault]:
        """Faults of its fields that no run supports."""
        yield from super().find_faults()
        if self.n not in (None, 1):
            yield _refuse_field("n", "a run makes one report; ask once for each")
        if self.output_schema is None and not _is_text(self.response_format):
            yield _refuse_field("response_format", NO_FORM)
        if set(self.modalities or ()) - {"text"}:
            yield _refuse_field("modalities", "a report is text")
        for name in ("stop", "logprobs", "functions", "audio", "prediction"):
            if getattr(self, name):
                yield _refuse_field(name, "a run cannot do this; leave it out")


def _is_text(form: Any) -> bool:
    return not form or (isinstance(form, dict) and form.get("type") == "text")


def _refuse_field(name: str, why: str) -> FieldFault:
    return FieldFault(field=name, message=why)
