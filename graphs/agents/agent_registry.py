"""The agents that there are, by name. A new one is its own file and its lines here."""

from collections.abc import Mapping

from elcano.graphs.agents import (
    analyst,
    data_writer,
    drafter,
    hypothesizer,
    input_parser,
    judge,
    knowledge_gap,
    long_writer,
    planner,
    progress_ledger,
    proofreader,
    reviewer,
    splitter,
    sql_repairer,
    sql_writer,
    task_ledger,
    team_judge,
    thinking,
    tool_selector,
    writer,
)
from elcano.graphs.agents.definition import AgentDefinition

AGENTS: Mapping[str, AgentDefinition] = {
    definition.name: definition
    for definition in (
        thinking.AGENT,
        knowledge_gap.AGENT,
        tool_selector.AGENT,
        judge.AGENT,
        writer.AGENT,
        input_parser.AGENT,
        planner.AGENT,
        long_writer.AGENT,
        proofreader.AGENT,
        reviewer.AGENT,
        task_ledger.AGENT,
        progress_ledger.AGENT,
        hypothesizer.AGENT,
        drafter.AGENT,
        team_judge.AGENT,
        analyst.AGENT,
        splitter.AGENT,
        sql_writer.AGENT,
        sql_repairer.AGENT,
        data_writer.AGENT,
    )
}
