"""Every tool and reducer that a graph can name, with its input and output model; agents are in `graphs.agents`.

Validation reads this to check names and fields before a run starts; the activities' room must implement each tool of
it, and a test compares the two.
"""

from collections.abc import Mapping

from elcano.graphs.agents.agent_registry import AGENTS
from elcano.graphs.agents.hypothesizer import Hypotheses
from elcano.graphs.agents.input_parser import ParsedQuery
from elcano.graphs.agents.judge import JudgeAssessment
from elcano.graphs.agents.knowledge_gap import KnowledgeGapOutput
from elcano.graphs.agents.progress_ledger import ProgressLedger
from elcano.graphs.agents.team_judge import TeamAssessment
from elcano.graphs.agents.thinking import ThinkingOutput
from elcano.graphs.agents.tool_selector import AgentSelectionPlan
from elcano.graphs.catalogue import data_reducers, mcp_tools, reducers, tools
from elcano.graphs.catalogue import ledger_reducers as ledgers
from elcano.graphs.catalogue import section_reducers as sections
from elcano.graphs.catalogue.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    MergedResults,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
    examples_told,
    execution_told,
    schema_told,
)
from elcano.graphs.catalogue.forecast_tool import ForecastOutput
from elcano.graphs.catalogue.forecast_wording import summarize_forecast as forecast_summary
from elcano.graphs.catalogue.registry_specs import ReducerSpec as ReducerSpec
from elcano.graphs.catalogue.registry_specs import ToolSpec as ToolSpec
from elcano.graphs.data.answer import ChartInput, ChartOutput
from elcano.graphs.data.consensus import ConsensusInput
from elcano.graphs.data.forecast import ForecastInput
from elcano.graphs.data.sql_answers import SqlRepair, SqlWriting
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, ResearchGraph, ToolNode
from elcano.graphs.values import branch as branches
from elcano.graphs.values.analysis import AnalyzeInput, AnalyzeOutput
from elcano.graphs.values.analysis_wording import summarize_analyze_output
from elcano.graphs.values.answer_wording import summarize_chart, summarize_path_merge
from elcano.graphs.values.ledger import TaskLedger
from elcano.graphs.values.state import ResearchState

TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(
            name="search",
            description="Searches one source and stores the passages it finds.",
            input=tools.SearchInput,
            output=tools.SearchOutput,
            starts="searching",
            completes="search_complete",
        ),
        ToolSpec(
            name="search_related",
            description="Finds what the run and its branches have in store on a subject, whichever source it is from.",
            input=tools.RelatedInput,
            output=tools.SearchOutput,
            starts="searching",
            completes="search_complete",
        ),
        ToolSpec(
            name="analyze",
            description="Checks numbers against their quotes, pools them by meta-analysis and tests hypotheses.",
            input=AnalyzeInput,
            output=AnalyzeOutput,
            starts="analyzing",
            completes="analysis_complete",
            summary=summarize_analyze_output,
            needs="analysis",
        ),
        ToolSpec(
            name="schema_context",
            description="Finds the tables of a database that a question is about.",
            input=SchemaContextInput,
            output=SchemaContextOutput,
            starts="searching",
            completes="search_complete",
            summary=schema_told,
        ),
        ToolSpec(
            name="sql_examples",
            description="Finds questions to a database that somebody answered before by SQL.",
            input=SqlExamplesInput,
            output=SqlExamplesOutput,
            starts="searching",
            completes="search_complete",
            summary=examples_told,
        ),
        ToolSpec(
            name="execute_sql",
            description="Runs one query of a database, read-only and within limits, and stores its result.",
            input=ExecuteSqlInput,
            output=ExecuteSqlOutput,
            starts="searching",
            completes="search_complete",
            summary=execution_told,
        ),
        ToolSpec(
            name="compute",
            description="Runs a piece of Python on JSON values in a sandbox: no files, no network, little time.",
            input=tools.ComputeInput,
            output=tools.ComputeOutput,
            starts="analyzing",
            completes="analysis_complete",
            needs="analysis",
        ),
        ToolSpec(
            name="consensus",
            description="Merges results of parallel paths by their keys, with differences, ratios and disagreements.",
            input=ConsensusInput,
            output=MergedResults,
            starts="analyzing",
            completes="analysis_complete",
            summary=summarize_path_merge,
        ),
        ToolSpec(
            name="chart",
            description="Draws the one chart that fits a result, if one does.",
            input=ChartInput,
            output=ChartOutput,
            starts="analyzing",
            completes="analysis_complete",
            summary=summarize_chart,
            uses="plots",
        ),
        ToolSpec(
            name="forecast",
            description="Continues a series in a stored result and says what the model was worth before, or refuses.",
            input=ForecastInput,
            output=ForecastOutput,
            starts="analyzing",
            completes="analysis_complete",
            summary=forecast_summary,
            needs="forecast",
        ),
        ToolSpec(
            name="call_tool",
            description="Calls one tool of an MCP server that the operator named, with arguments that fit its schema.",
            input=mcp_tools.CallToolInput,
            output=mcp_tools.CallToolOutput,
            starts="analyzing",
            completes="analysis_complete",
            summary=mcp_tools.summarize_tool_call,
            needs="mcp",
        ),
        ToolSpec(
            name="list_tools",
            description="Lists what the MCP servers offer, in their own words, as data for whoever chooses among them.",
            input=mcp_tools.ListToolsInput,
            output=mcp_tools.ListToolsOutput,
            starts="analyzing",
            completes="analysis_complete",
            uses="mcp",
        ),
        ToolSpec(
            name="noop",
            description="Does nothing, durably: for measuring and for trying a graph out.",
            input=tools.NoopInput,
            output=tools.NoopOutput,
            starts="analyzing",
            completes="analysis_complete",
        ),
    )
}


def _summarize_mode_choice(state: ResearchState) -> tuple[str, JsonObject]:
    return f"Goes on as {state.choice.mode} research. {state.choice.reason}".rstrip(), {
        "mode": state.choice.mode,
        "reason": state.choice.reason,
    }


REDUCERS: Mapping[str, ReducerSpec] = {
    spec.name: spec
    for spec in (
        ReducerSpec(
            "record_thought",
            "Begins the iteration's record.",
            ThinkingOutput,
            reducers.record_thought,
        ),
        ReducerSpec(
            "record_gap",
            "Notes the gap that the iteration works on.",
            KnowledgeGapOutput,
            reducers.record_gap,
        ),
        ReducerSpec(
            "record_tool_calls",
            "Notes the searches to be made.",
            AgentSelectionPlan,
            reducers.record_tool_calls,
        ),
        ReducerSpec(
            "add_evidence",
            "Adds what searches found, each passage once.",
            tools.ItemOutcomes,
            reducers.add_evidence,
            item=tools.SearchOutput,
            adds_evidence=True,
        ),
        ReducerSpec(
            "add_tool_evidence",
            "Adds the stored passages of what tools of MCP servers answered.",
            tools.ItemOutcomes,
            mcp_tools.add_tool_evidence,
            item=mcp_tools.CallToolOutput,
            adds_evidence=True,
        ),
        ReducerSpec(
            "choose_schema",
            "Puts a question to the database whose tables are about it.",
            tools.ItemOutcomes,
            data_reducers.choose_schema,
            item=SchemaContextOutput,
        ),
        ReducerSpec("record_query", "Keeps the query that was written.", SqlWriting, data_reducers.record_query),
        ReducerSpec(
            "record_execution",
            "Keeps a result with its query, or the fault and whether it is worth a repair.",
            tools.ItemOutcomes,
            data_reducers.record_execution,
            item=ExecuteSqlOutput,
            adds_evidence=True,
        ),
        ReducerSpec(
            "add_results",
            "Adds what tools computed of results to the evidence.",
            tools.ItemOutcomes,
            data_reducers.add_results,
            item=tools.GivesEvidence,
            adds_evidence=True,
        ),
        ReducerSpec("record_repair", "Keeps the query that was mended.", SqlRepair, data_reducers.record_repair),
        ReducerSpec(
            "record_judgement",
            "Keeps the judge's reasoning and queries.",
            JudgeAssessment,
            reducers.record_judgement,
        ),
        ReducerSpec(
            "record_feedback",
            "Keeps what the judge of a team said of its draft.",
            TeamAssessment,
            reducers.record_feedback,
        ),
        ReducerSpec(
            "record_parse",
            "Adds what the question was understood as to the background.",
            ParsedQuery,
            reducers.record_parse,
        ),
        ReducerSpec(
            "choose_mode",
            "Chooses the mode that was named, unless it cannot be chosen here.",
            reducers.ModeToChoose,
            reducers.choose_mode,
            told=_summarize_mode_choice,
        ),
        ReducerSpec("store_plan", "Makes a plan fit to be run.", sections.PlanToStore, sections.store_plan),
        ReducerSpec(
            "collect_drafts",
            "Merges the sections that the branches drafted, in the plan's order.",
            branches.BranchOutcomes,
            sections.collect_drafts,
            adds_evidence=True,
        ),
        ReducerSpec(
            "collect_results",
            "Merges what the branches found as findings, and lists the values that they declare, in the plan's order.",
            branches.BranchOutcomes,
            sections.collect_results,
            adds_evidence=True,
        ),
        ReducerSpec(
            "record_task_ledger",
            "Notes what a manager takes to be so, and its plan.",
            TaskLedger,
            ledgers.record_task_ledger,
        ),
        ReducerSpec(
            "record_progress",
            "Notes whose turn is next, and counts what is a stall.",
            ProgressLedger,
            ledgers.record_progress,
        ),
        ReducerSpec(
            "reset_ledger",
            "Begins to count stalls anew, for new facts and a new plan; the evidence stays.",
            ledgers.Nothing,
            ledgers.reset_ledger,
        ),
        ReducerSpec(
            "record_hypotheses",
            "Keeps the hypotheses, and what would decide between them as what to search next.",
            Hypotheses,
            ledgers.record_hypotheses,
        ),
        ReducerSpec(
            "hand_in",
            "Ends with a draft that was written before.",
            reducers.DraftToHandIn,
            reducers.hand_in,
            hands_in=True,
        ),
        ReducerSpec("set_values", "Sets values of your own.", reducers.Values, reducers.set_values),
    )
}


def output_model(graph: ResearchGraph, node: Node) -> type[Frozen] | None:
    """Return the output model of a node, stored under `outputs.<id>`; None if it has none or it is not known here."""
    match node:
        case AgentNode():
            return graph.agent(node.agent).output if node.agent in AGENTS or node.agent in graph.agents else None
        case ToolNode():
            if node.for_each:
                return tools.ItemOutcomes
            return TOOLS[node.tool].output if node.tool in TOOLS else None
        case ParallelNode():
            return branches.BranchOutcomes
        case _:
            return None
