# requires: crewai==1.15.30
"""CrewAI: a crew of one agent, whose question stands among the words that a task adds to it; and its LLM alone."""

import os

os.environ["CREWAI_DISABLE_TELEMETRY"] = os.environ["OTEL_SDK_DISABLED"] = "true"
from crewai import LLM, Agent, Crew, Task
from crewai.events import LLMStreamChunkEvent, crewai_event_bus
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


def llm(base=BASE, model="iterative", **more):
    return LLM(model=model, provider="openai", base_url=base, api_key="none", **more)


def research(*questions):
    agent = Agent(role="Researcher", goal="A report.", backstory="A library.", llm=llm())
    tasks = [Task(description=one, expected_output="One page.", agent=agent) for one in questions]
    return answered(Crew(agents=[agent], tasks=tasks).kickoff().raw)


def stream():
    pieces = []
    with crewai_event_bus.scoped_handlers():
        crewai_event_bus.on(LLMStreamChunkEvent)(lambda _, event: pieces.append(event.chunk))
        said = llm(stream=True).call(QUESTION)
    return answered(said) + f", {len(pieces)} pieces"


def second_turn():
    first = llm().call(QUESTION)
    said = [(QUESTION, "user"), (first, "assistant"), (SECOND, "user")]
    return answered(llm().call([{"role": role, "content": text} for text, role in said]))


def cancel():
    """It cannot be told to stop: it leaves after its time."""
    try:
        return llm(timeout=2, max_retries=0).call(LEFT)
    except Exception as error:
        return f"left: {type(error).__name__}"


run(
    ask=lambda: research(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: llm(model="telepathy").call(QUESTION)),
    slow=lambda: answered(llm().call(SLOW)),
    cut=lambda: answered(llm(CUT).call(SLOW_CUT)),
)
