"""All names of spans, attributes and metrics, in one table each: conventions move, and dashboards depend on them.

Names that begin with `gen_ai.` are those of OpenTelemetry's conventions for generative AI (in development, as of 2026);
the others are ours. pydantic-ai and FastAPI name what they trace themselves, by the same conventions.
"""

from dataclasses import dataclass
from typing import Final, Literal

SCOPE: Final = "elcano"
"""The instrumentation scope of our spans and metrics."""

OPERATION: Final = "gen_ai.operation.name"
AGENT_NAME: Final = "gen_ai.agent.name"
CONVERSATION: Final = "gen_ai.conversation.id"
TOOL_NAME: Final = "gen_ai.tool.name"
DATA_SOURCE: Final = "gen_ai.data_source.id"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
INSTRUCTIONS: Final = "gen_ai.system_instructions"
RESPONSE_MODEL: Final = "gen_ai.response.model"
ERROR_TYPE: Final = "error.type"

INVOKE_WORKFLOW: Final = "invoke_workflow"
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
RETRIEVAL: Final = "retrieval"
EXECUTE_TOOL: Final = "execute_tool"

EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_SCORE: Final = "gen_ai.evaluation.score.value"
EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION: Final = "gen_ai.evaluation.explanation"

RUN: Final = "elcano.run.id"
TENANT: Final = "elcano.tenant"
MODE: Final = "elcano.mode"
SECTION_OF: Final = "elcano.section_of"
STEP: Final = "elcano.step"
NODE: Final = "elcano.node"
ATTEMPT: Final = "elcano.attempt"
QUEUE_SECONDS: Final = "elcano.queue_seconds"
STATUS: Final = "elcano.status"

CONTENTS: Final = frozenset(
    {
        INPUT_MESSAGES,
        OUTPUT_MESSAGES,
        INSTRUCTIONS,
        "gen_ai.tool.call.arguments",
        "gen_ai.tool.call.result",
        "gen_ai.tool.definitions",
        "pydantic_ai.all_messages",
        "url.full",
        "url.query",
        "final_result",
        "model_request_parameters",
        "logfire.json_schema",
        "client.address",
        "exception.message",
        "exception.stacktrace",
        EVALUATION_EXPLANATION,
    }
)
"""Attributes of spans and events that may repeat a question, a prompt or an answer, or identify the caller."""


@dataclass(frozen=True)
class Metric:
    """One instrument; `labels` are all that it may have, and each has few values."""

    name: str
    kind: Literal["counter", "histogram", "gauge"]
    unit: str
    description: str
    labels: tuple[str, ...] = ()


RUNS_OPEN: Final = Metric("elcano.runs.open", "gauge", "", "Runs that have not ended, by the store.", ("state", "mode"))
RUNS_WAITING: Final = Metric(
    "elcano.runs.waiting", "gauge", "", "Runs that wait for a provider, a budget or a person.", ("reason",)
)
RUNS_ENDED: Final = Metric("elcano.runs.ended", "counter", "", "Runs that ended.", ("mode", "status"))
RUN_DURATION: Final = Metric(
    "elcano.run.duration", "histogram", "s", "From the start of a run to its end.", ("mode", "status")
)
STEPS: Final = Metric(
    "elcano.steps", "counter", "", "Attempts of calls of agents, tools and reports.", ("kind", "name", "outcome")
)
STEP_DURATION: Final = Metric(
    "elcano.step.duration", "histogram", "s", "How long an attempt of a call took.", ("kind", "name")
)
SCHEDULE_TO_START: Final = Metric(
    "elcano.schedule_to_start", "histogram", "s", "How long an attempt waited for a free worker.", ("queue",)
)
TOKENS: Final = Metric("elcano.tokens", "counter", "", "Tokens used.", ("agent", "model", "direction"))
COST: Final = Metric("elcano.cost_usd", "counter", "", "US dollars spent on models.", ("agent", "model"))
PROVIDER_WAIT: Final = Metric(
    "elcano.provider.wait", "histogram", "s", "How long a call waited for its provider's turn.", ("provider",)
)
PROVIDER_REFUSALS: Final = Metric(
    "elcano.provider.refusals", "counter", "", "Calls that a provider did not answer or asked to delay.", ("provider",)
)
CITATIONS: Final = Metric(
    "elcano.citations", "counter", "", "Citations of published reports, by the verdict of their check.", ("verdict",)
)
STATEMENTS: Final = Metric(
    "elcano.statements",
    "counter",
    "",
    "Statements of published reports that cite something, by verdict; `unchecked` ones lower the coverage.",
    ("support",),
)
QUEUE_BACKLOG: Final = Metric(
    "elcano.queue.backlog", "gauge", "", "Tasks that wait for a worker, by the server's estimate.", ("queue", "type")
)
QUEUE_AGE: Final = Metric(
    "elcano.queue.age", "gauge", "s", "The age of the oldest task that waits for a worker.", ("queue", "type")
)
STREAM_LAG: Final = Metric(
    "elcano.stream.lag", "histogram", "s", "From an event of a run until it could be sent to clients."
)
STORE_DURATION: Final = Metric(
    "elcano.store.duration", "histogram", "s", "How long a statement took in the database.", ("operation",)
)
OBJECT_DURATION: Final = Metric(
    "elcano.object.duration", "histogram", "s", "How long a request to the object store took.", ("operation",)
)
METRICS: Final = (
    RUNS_OPEN,
    RUNS_WAITING,
    RUNS_ENDED,
    RUN_DURATION,
    STEPS,
    STEP_DURATION,
    SCHEDULE_TO_START,
    TOKENS,
    COST,
    PROVIDER_WAIT,
    PROVIDER_REFUSALS,
    CITATIONS,
    STATEMENTS,
    QUEUE_BACKLOG,
    QUEUE_AGE,
    STREAM_LAG,
    STORE_DURATION,
    OBJECT_DURATION,
)

SECONDS: Final = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3_600, 14_400, 86_400)
"""Bounds of the buckets of all histograms of seconds."""
