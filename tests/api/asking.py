"""Asking for a run, as most tests begin."""

from datetime import datetime
from typing import Any

import httpx

QUESTION = "What is there to know?"


async def start(api: httpx.AsyncClient, question: str = QUESTION, **asked: Any) -> str:
    """The id of a run that was accepted; of the mode `iterative` unless another one or a graph is asked for."""
    mode = {} if "graph" in asked else {"mode": "iterative"}
    answer = await api.post("/v1/runs", json={"question": question, **mode, **asked})
    assert answer.status_code == 201, answer.text
    run_id: str = answer.json()["run_id"]
    return run_id


async def start_at(url: str) -> str:
    """The same over the network."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as api:
        return await start(api)


def seconds_between(first: str, second: str) -> float:
    """From one time of an answer to another."""
    return (datetime.fromisoformat(second) - datetime.fromisoformat(first)).total_seconds()
