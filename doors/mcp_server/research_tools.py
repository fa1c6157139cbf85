"""Tools of agents: start research, read its status and results, decide what it waits for.

Every tool returns at once, however long the research takes: clients of MCP give up after a minute. Nothing is kept
here. The API decides what the caller may do, and a tool that is called twice by a client that retries starts one run if
it names a key.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated, Any, Final, Literal, TypeAlias

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from elcano.client import AsyncElcano, ClientError
from elcano.client.models import RunView
from elcano.graphs.contracts import REPORTED
from elcano.graphs.report.report import SupportCounts
from elcano.graphs.report.works import Work, find_citation_mark
from elcano.service.runs.trust_request import TrustRequest

OpenElcano: TypeAlias = Callable[[Mapping[str, str] | None], AsyncElcano]
"""Opens the API for a caller, by the headers of the request; None: there are none."""
PAGE: Final = 20_000
"""Characters of a report that are returned at a time."""
MOST_PASSAGES: Final = 50
PLAN: Final = "plan"
QUESTIONS: Final = "questions"
BUDGET: Final = "budget since "
"""Names of requests; that of a tool call is its id, behind that of the section that makes it if one does."""
READS: Final = ToolAnnotations(read_only_hint=True)
WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False)
ENDS: Final = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True)

RunId: TypeAlias = Annotated[str, Field(description="The run, as `start_research` returned it.")]
Key: TypeAlias = Annotated[
    str, Field(description="A text of your own: called again with it, the same request starts no second run.")
]


class Started(BaseModel):
    """A run that was accepted and is running now, with or without clients."""

    run_id: str
    report: str
    """The resource that will be its report."""
    next: str


class Request(BaseModel):
    """Something that a run waits for, and a person or an agent has to decide."""

    request: str
    """Its name, for `answer_request`; no other one ever has it."""
    message: str


class Status(BaseModel):
    """Status of a run."""

    run_id: str
    question: str
    status: str
    stage: str
    iterations: int | None
    passages: int | None
    tokens: str
    waits_for: list[Request]
    ended: str
    """Why it ended early or failed; empty if it did not."""
    next: str


class ReportPage(BaseModel):
    """A piece of a report."""

    run_id: str
    status: str
    text: str
    total: int
    """Characters of the whole report."""
    next_offset: int | None
    checked: str
    """Number of its statements that are supported by what they cite, as the checks found."""


class Passage(BaseModel):
    """A passage that a run found."""

    source: str
    title: str
    locator: str
    """Place of the passage: a URL, or path, page and anchor."""
    standing: str = ""
    """`retracted`, `withdrawn` or `expression of concern` if the work does not stand, or is in doubt; else empty."""
    text: str


class SourceLine(BaseModel):
    """A source that can be searched."""

    name: str
    description: str
    state: str


def list_requests(view: RunView) -> list[Request]:
    """List the requests that a run waits for."""
    waits = [
        Request(
            request=call.call if call.run_id == view.run_id else f"{call.run_id}/{call.call}",
            message=f"The tool {call.tool!r} of {call.server!r} is to be called with {call.arguments}. It may write.",
        )
        for call in view.approvals
    ]
    hold = view.hold
    if hold is not None and hold.reason == "approval" and not waits:
        plan = "; ".join(f"{section.title}: {section.question}" for section in view.plan)
        waits.append(Request(request=PLAN, message=f"Is this to be researched? {plan}"))
    if hold is not None and hold.reason == "answers":
        asked = "; ".join(f"{one.id}: {one.question} {list(one.options) or ''}".rstrip() for one in view.questions)
        waits.append(
            Request(request=QUESTIONS, message=f"Before it begins, give `answers`, or refuse to skip all. {asked}")
        )
    if hold is not None and hold.reason == "budget":
        # A run may come to its limit again: that is another request.
        waits.append(
            Request(request=f"{BUDGET}{hold.since}", message=f"The limit is used up: {hold.detail}. May it have more?")
        )
    return waits


def describe_status(view: RunView) -> Status:
    """Describe the status of a run, and what its caller does next."""
    waits, open_run = list_requests(view), view.status == "running"
    if waits:
        following = "Decide with answer_request."
    elif view.blocked:
        following = f"It does not continue until someone acts: {view.blocked}"
    elif open_run:
        following = "Call research_status again in some seconds; research takes minutes."
    elif view.status in REPORTED:
        following = "Call read_report."
    else:
        following = "There is no report. What was found is at search_evidence."
    budget = view.budget
    return Status(
        run_id=view.run_id,
        question=view.question,
        status=view.status,
        stage=view.stage or "",
        iterations=view.iterations,
        passages=view.evidence,
        tokens=f"{budget.used.tokens:,} of {budget.limits.tokens:,}" if budget is not None else "",
        waits_for=waits,
        ended=explain_end(view),
        next=following,
    )


def build_started(run_id: str, following: str) -> Started:
    """Build the answer to a call that started a run."""
    return Started(run_id=run_id, report=f"elcano://runs/{run_id}/report", next=following)


def explain_end(view: RunView) -> str:
    """Explain why a run ended early or failed; empty if it did not."""
    if view.ending is not None:
        return view.ending.detail
    return ": ".join(filter(None, (view.failure.node, view.failure.message))) if view.failure else ""


class ResearchTools:
    """The tools; each asks the API on behalf of the caller."""

    def __init__(self, open_elcano: OpenElcano) -> None:
        self._open = open_elcano

    @asynccontextmanager
    async def asking(self, headers: Mapping[str, str] | None) -> AsyncIterator[AsyncElcano]:
        """The API for one request; its refusals reach the caller in its own words."""
        try:
            async with self._open(headers) as elcano:
                yield elcano
        except ClientError as error:
            raise ToolError(str(error)) from error

    async def start_research(
        self,
        question: str,
        context: Context,
        mode: Annotated[
            str, Field(description="`auto` chooses; `iterative` is short, `deep` writes sections.")
        ] = "auto",
        sources: Annotated[list[str] | None, Field(description="Names of list_sources; none: the usual ones.")] = None,
        trust: Annotated[TrustRequest | None, Field(description="What it may use, and whom it may contact.")] = None,
        instructions: Annotated[str, Field(description="What the report is to be like.")] = "",
        token_limit: Annotated[int | None, Field(ge=1, description="Tokens that it may use.")] = None,
        ask_for_more: Annotated[bool, Field(description="Let it wait for more when they are used up.")] = False,
        approve_plan: Annotated[bool, Field(description="Let it wait until its plan was approved.")] = False,
        clarify: Annotated[bool, Field(description="Let it ask back first what the question leaves open.")] = False,
        key: Key = "",
    ) -> Started:
        """Start research on a question, and return at once; it runs for minutes, also if no one is connected."""
        request: dict[str, Any] = {"mode": mode, "instructions": instructions, "approve_plan": approve_plan}
        if clarify:
            request["clarify"] = True
        if ask_for_more:
            request["budget"] = {"when_exhausted": "pause"}
        if sources is not None:
            request["sources"] = sources
        if trust is not None:
            request["trust"] = trust.model_dump(exclude_unset=True)
        return await self._start(question, request, token_limit, key, context)

    async def ask_follow_up(
        self, run_id: RunId, question: str, context: Context, token_limit: int | None = None, key: Key = ""
    ) -> Started:
        """Start research on a further question; it knows what was asked and answered before, and may cite it."""
        return await self._start(question, {"previous_run": run_id}, token_limit, key, context)

    async def _start(
        self, question: str, request: dict[str, Any], token_limit: int | None, key: str, context: Context
    ) -> Started:
        if token_limit is not None:
            request["budget"] = {**request.get("budget", {}), "tokens": token_limit}
        async with self.asking(context.headers) as elcano:
            run = await elcano.research(question, key=key, **request)
        return build_started(run.run_id, "Call research_status in some seconds.")

    async def research_status(self, run_id: RunId, context: Context) -> Status:
        """See the status of research, what it used, and what it waits for."""
        async with self.asking(context.headers) as elcano:
            return describe_status(await elcano.run(run_id).view())

    async def read_report(
        self,
        run_id: RunId,
        context: Context,
        offset: Annotated[int, Field(ge=0, description="`next_offset` of the page before.")] = 0,
    ) -> ReportPage:
        """Read the report of research that ended, with its citations, in Markdown, page by page."""
        async with self.asking(context.headers) as elcano:
            run = elcano.run(run_id)
            view, report = await run.view(), await run.report()
        end = offset + PAGE
        return ReportPage(
            run_id=run_id,
            status=view.status,
            text=report.markdown[offset:end],
            total=len(report.markdown),
            next_offset=end if end < len(report.markdown) else None,
            checked=SupportCounts.model_validate(report.support.model_dump()).describe(),
        )

    async def search_evidence(
        self,
        run_id: RunId,
        context: Context,
        query: Annotated[str, Field(description="Words that a passage has to have; empty: all passages.")] = "",
        limit: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 10,
    ) -> list[Passage]:
        """Search the passages that research found, also while it works."""
        words = query.casefold().split()
        found: list[Passage] = []
        async with self.asking(context.headers) as elcano:
            async for one in elcano.run(run_id).evidence():
                work = Work.model_validate(one.work) if one.work else None
                if all(word in f"{one.title} {one.text}".casefold() for word in words):
                    found.append(Passage.model_validate({**one.model_dump(), "standing": find_citation_mark(work)}))
                if len(found) == limit:
                    break
        return found

    async def list_sources(self, context: Context) -> list[SourceLine]:
        """List the sources that research can search."""
        async with self.asking(context.headers) as elcano:
            sources = await elcano.connection.get("/v1/sources")
        return [SourceLine.model_validate(source, from_attributes=True) for source in sources]

    async def answer_request(
        self,
        run_id: RunId,
        request: Annotated[str, Field(description="As research_status names it.")],
        answer: Literal["approve", "refuse"],
        context: Context,
        reason: Annotated[str, Field(description="Why it is refused.")] = "",
        tokens: Annotated[int | None, Field(ge=1, description="For a budget: how many more.")] = None,
        answers: Annotated[dict[str, str] | None, Field(description="For questions: answers by id.")] = None,
    ) -> Status:
        """Approve or refuse what research waits for: questions, its plan, a tool call, or more tokens."""
        async with self.asking(context.headers) as elcano:
            why = reason or "refused by the agent that asked"
            await decide_request(elcano, run_id, request, answer == "approve", why, tokens, answers)
            return describe_status(await elcano.run(run_id).view())

    async def cancel_research(self, run_id: RunId, context: Context) -> Status:
        """End research without a report."""
        async with self.asking(context.headers) as elcano:
            run = elcano.run(run_id)
            await run.cancel()
            return describe_status(await run.view())


async def decide_request(
    elcano: AsyncElcano,
    run_id: str,
    request: str,
    approved: bool,
    reason: str,
    tokens: int | None,
    answers: Mapping[str, str] | None = None,
) -> None:
    """Decide on what a run waits for; more budget that is refused ends its research, and it writes its report."""
    run = elcano.run(run_id)
    if request == QUESTIONS:
        await run.control("clarifications", answers=dict(answers or {}) if approved else {})
    elif request == PLAN:
        await (run.control("approve") if approved else run.control("refuse", reason=reason))
    elif not request.startswith(BUDGET):
        section, _, call = request.rpartition("/")
        asks = elcano.run(section) if section else run
        await (
            asks.control("approve-call", call=call)
            if approved
            else asks.control("refuse-call", call=call, reason=reason)
        )
    elif not approved:
        await run.stop(reason)
    elif tokens is None:
        raise ToolError("say how many more `tokens` it may use")
    else:
        await run.top_up(tokens=tokens)
