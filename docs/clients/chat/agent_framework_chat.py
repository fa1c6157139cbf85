# requires: agent-framework-ag-ui==1.7.0
"""Microsoft's Agent Framework, whose AG-UI client names no mode (`auto` chooses) and starts a run with each request."""

import httpx
from agent_framework import Agent
from agent_framework_ag_ui import AGUIChatClient
from steps import BASE, CUT, LEFT, QUESTION, SECOND, SLOW, SLOW_CUT, answered, refused, run


async def explain(response):
    """Without this hook a refusal is `ResponseNotRead`."""
    if response.is_error:
        raise ValueError((await response.aread()).decode())


def agent(base=BASE, path="/ag-ui"):
    http = httpx.AsyncClient(timeout=600, event_hooks={"response": [explain]})
    return Agent(AGUIChatClient(endpoint=base.removesuffix("/openai/v1") + path, http_client=http), name="Elcano")


async def ask(question, base=BASE):
    return answered((await agent(base).run(question)).text)


async def stream():
    updates = [update async for update in agent().run(QUESTION, stream=True)]
    return answered("".join(update.text for update in updates)) + f", {len(updates)} updates"


async def cut():
    """This package does not ask again, and does not name the run of the first request: it starts a second one."""
    asked = agent(CUT)
    session = asked.create_session()
    try:
        return answered((await asked.run(SLOW_CUT, session=session)).text)
    except Exception:
        return answered((await asked.run(SLOW_CUT, session=session)).text)


async def second_turn():
    asked = agent()
    session = asked.create_session()
    await asked.run(QUESTION, session=session)
    return answered((await asked.run(SECOND, session=session)).text)


async def cancel():
    async for _ in agent().run(LEFT, stream=True):
        break
    return "left"


run(
    ask=lambda: ask(QUESTION),
    stream=stream,
    second_turn=second_turn,
    cancel=cancel,
    error=lambda: refused(lambda: agent(path="/ag-ui/telepathy").run(QUESTION)),
    slow=lambda: ask(SLOW),
    cut=cut,
)
