"""The MCP server: its tools, its resources, research as tasks, and how it is served.

Over standard input and output it acts for the user that started it, with the settings' address and key of the API. Over
HTTP it speaks for each caller, with the `Authorization` of the request; a caller without one has what the API gives to
anyone.

Tasks are for clients that know the extension `io.modelcontextprotocol/tasks` of MCP 2026-07-28. A task is a run and has
its id, so it is as durable as that: it outlives this server, and any of them can be asked about it. A run that waits
for a decision is a task that needs input, as one elicitation for each request; cancelling a task cancels its run.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitResult,
    RequestParams,
    TextContent,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field
from starlette.datastructures import Headers

from elcano import __version__
from elcano.client import AsyncElcano, NotFound, OutcomeUnknown, ServerFailed, Unavailable, Unreachable
from elcano.client.models import ClarifyingQuestion, RunView
from elcano.doors.mcp_server.research_tools import (
    BUDGET,
    ENDS,
    QUESTIONS,
    READS,
    WRITES,
    OpenElcano,
    Request,
    ResearchTools,
    build_started,
    decide_request,
    explain_end,
    list_requests,
)
from elcano.graphs.contracts import REPORTED
from elcano.output import OutputLost
from elcano.settings import program_settings

TASKS: Final = "io.modelcontextprotocol/tasks"
STARTERS: Final = frozenset({"start_research", "ask_follow_up"})
"""The tools whose calls become tasks."""
POLL_MS: Final = 2_000
TaskState: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]


class TaskParams(RequestParams):
    """A request about one task."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Answers to what a task asked."""

    input_responses: dict[str, ElicitResult] = Field(alias="inputResponses")


class ResearchTasks(Extension):
    """Answers a call that starts research with a task, if the client knows what that is."""

    identifier = TASKS

    def __init__(self, tools: ResearchTools) -> None:
        self._tools = tools

    def methods(self) -> Sequence[MethodBinding]:
        """Return the methods of tasks."""
        modern = frozenset(MODERN_PROTOCOL_VERSIONS)
        return (
            MethodBinding("tasks/get", TaskParams, self.get_task, modern),
            MethodBinding("tasks/update", UpdateParams, self.update_task, modern),
            MethodBinding("tasks/cancel", TaskParams, self.cancel_task, modern),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Start the run, and answer with its task."""
        result = await call_next(ctx)
        if params.name not in STARTERS or not _knows_tasks(ctx) or not isinstance(result, CallToolResult):
            return result
        if result.is_error or result.structured_content is None:
            return result
        return await self._read_task(ctx, result.structured_content["run_id"], "task")

    async def get_task(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        """Return the status of a task, with its result once it has one."""
        return await self._read_task(ctx, params.task_id, "complete")

    async def update_task(self, ctx: ServerRequestContext[Any, Any], params: UpdateParams) -> HandlerResult:
        """Pass on what was decided; answers to what is no longer asked are ignored, as the extension demands."""
        async with self._asking(ctx) as elcano:
            view = await elcano.run(params.task_id).view()
            asked = {request.request for request in list_requests(view)}
            for name, answer in params.input_responses.items():
                if name not in asked or answer.action == "cancel":  # a form that was closed decides nothing
                    continue
                content = answer.content or {}
                approved = answer.action == "accept" and content.get("approve", True) is True
                reason, tokens = content.get("reason"), content.get("tokens")
                more = tokens if isinstance(tokens, int) else None
                said = {id: str(text) for id, text in content.items() if text and id.startswith("q")}
                why = str(reason or "refused by the client")
                await decide_request(elcano, view.run_id, name, approved, why, more, said)
        return {}

    async def cancel_task(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        """Cancel the run of a task; one that has ended stays as it is."""
        async with self._asking(ctx) as elcano:
            run = elcano.run(params.task_id)
            if (await run.view()).status == "running":
                await run.cancel()
        return {}

    async def _read_task(self, ctx: ServerRequestContext[Any, Any], run_id: str, result_type: str) -> HandlerResult:
        async with self._asking(ctx) as elcano:
            run = elcano.run(run_id)
            view = await run.view()
            state, described = describe_task(view)
            if state == "completed":
                text = TextContent(type="text", text=(await run.report()).markdown)
                started = build_started(run_id, "This is its report.")
                result = CallToolResult(content=[text], structured_content=started.model_dump())
                described["result"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        return {"resultType": result_type, **described}

    @asynccontextmanager
    async def _asking(self, ctx: ServerRequestContext[Any, Any]) -> AsyncIterator[AsyncElcano]:
        headers = getattr(ctx.request, "headers", None)
        try:
            async with self._tools.asking(headers) as elcano:
                yield elcano
        except ToolError as error:
            failed = isinstance(error.__cause__, Unreachable | Unavailable | ServerFailed | OutcomeUnknown)
            code = INTERNAL_ERROR if failed else INVALID_PARAMS
            raise MCPError(code=code, message=str(error)) from error


def describe_task(view: RunView) -> tuple[TaskState, dict[str, Any]]:
    """Describe a run as a task: its state, and the fields that clients read; the result is not among them."""
    requests = list_requests(view)
    state: TaskState
    if view.status == "running":
        state = "input_required" if requests else "working"
    elif view.status in REPORTED:
        state = "completed"
    else:
        state = "cancelled" if view.status == "cancelled" else "failed"
    ended = explain_end(view)
    since = view.model_dump(mode="json", include={"started_at", "finished_at"})
    task: dict[str, Any] = {
        "taskId": view.run_id,
        "status": state,
        "statusMessage": ended or view.stage or view.status,
        "createdAt": since["started_at"],
        "lastUpdatedAt": since["finished_at"] or datetime.now(UTC).isoformat(),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
    if requests:
        task["inputRequests"] = {request.request: _ask_by_form(request, view) for request in requests}
    if state == "failed":
        task["error"] = {"code": INTERNAL_ERROR, "message": ended or f"the run ended as {view.status}"}
    return state, task


def _ask_by_form(request: Request, view: RunView) -> dict[str, Any]:
    """One request as a form that a client shows."""
    if request.request == QUESTIONS:
        asked = {one.id: {"type": "string", "title": _word_question(one)} for one in view.questions}
        schema = {"type": "object", "properties": asked}
        form = {"mode": "form", "message": "It asks back; what is left empty is skipped.", "requestedSchema": schema}
        return {"method": "elicitation/create", "params": form}
    properties: dict[str, Any] = {
        "approve": {"type": "boolean", "title": "Approve", "default": True},
        "reason": {"type": "string", "title": "Why it is refused"},
    }
    if request.request.startswith(BUDGET):
        properties["tokens"] = {"type": "integer", "title": "How many more tokens", "minimum": 1}
    schema = {"type": "object", "properties": properties, "required": ["approve"]}
    params = {"mode": "form", "message": request.message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def _word_question(one: ClarifyingQuestion) -> str:
    return f"{one.question} ({' / '.join(one.options)})" if one.options else one.question


def _knows_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client of this request said that it knows the extension, on a version of MCP that has it."""
    capabilities = ctx.session.client_capabilities
    declared = capabilities.extensions if capabilities is not None else None
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and TASKS in (declared or {})


INSTRUCTIONS: Final = """Research a question in sources that can be cited; every citation of a report was checked.
start_research returns at once. Ask research_status until the run has ended, then read_report. A run may wait for a
decision: research_status says so. Do not wait within a tool call."""


def build_server(open_elcano: OpenElcano) -> MCPServer:
    """The server, which asks the API that `open_elcano` opens."""
    tools = ResearchTools(open_elcano)
    server = MCPServer(
        "elcano", title="Elcano", version=__version__, instructions=INSTRUCTIONS, extensions=[ResearchTasks(tools)],
        log_level="WARNING",
    )  # fmt: skip
    for reads in (tools.research_status, tools.read_report, tools.search_evidence, tools.list_sources):
        server.add_tool(reads, annotations=READS)
    for writes in (tools.start_research, tools.ask_follow_up, tools.answer_request):
        server.add_tool(writes, annotations=WRITES)
    server.add_tool(tools.cancel_research, annotations=ENDS)

    @server.resource("elcano://runs/{run_id}/report", title="Report", mime_type="text/markdown")
    async def report(run_id: str, context: Context) -> str:
        """The report of a run that ended."""
        return await _read_resource(tools, run_id, "report", "text/markdown", context)

    @server.resource("elcano://runs/{run_id}/evidence", title="Evidence", mime_type="application/json")
    async def evidence(run_id: str, context: Context) -> str:
        """The first passages that a run found, and where the next ones are."""
        return await _read_resource(tools, run_id, "evidence", "application/json", context)

    return server


async def _read_resource(tools: ResearchTools, run_id: str, part: str, media_type: str, context: Context) -> str:
    try:
        async with tools.asking(context.headers) as elcano:
            return await elcano.connection.get_text(f"/v1/runs/{run_id}/{part}", media_type)
    except ToolError as error:
        kind = ResourceNotFoundError if isinstance(error.__cause__, NotFound) else ResourceError
        raise kind(str(error)) from error


def serve_stdio() -> None:
    """Serve the program that started this one, until it closes standard input.

    Raises:
        OutputLost: it has ended without closing it.
    """
    settings = program_settings()
    server = build_server(lambda _: AsyncElcano(settings.base_url, api_key=settings.api_key))
    has_left = False
    try:
        asyncio.run(server.run_stdio_async())
    except* BrokenPipeError:  # the server writes to the stream below the one that `guarded_output` guards
        has_left = True
    if has_left:
        raise OutputLost("the client has left")


def serve_http(host: str, port: int) -> None:
    """Serve callers at http://HOST:PORT/mcp until the program is stopped."""
    address = program_settings().base_url

    def open_elcano(headers: Mapping[str, str] | None) -> AsyncElcano:
        given = headers.getlist("authorization") if isinstance(headers, Headers) else []
        if len(given) > 1:  # the API refuses them as well, and would see one alone
            raise ToolError(f"the request has {len(given)} Authorization headers: send one")
        return AsyncElcano(address, headers={"Authorization": given[0]} if given else None)

    server = build_server(open_elcano)
    asyncio.run(server.run_streamable_http_async(host=host, port=port, stateless_http=True))
