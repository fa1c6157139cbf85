"""The model as a program of its own: chat completions on loopback, each answered after a drawn time.

An answer depends on the task alone. A streamed one begins at once and is spread over that time, as real ones are.
"""

import asyncio
import json
import random
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from benchmarks.load.corpus import answer_task
from elcano.graphs.agents.envelope import parse_envelope
from elcano.testing.provider import list_stream_events, make_completion

SPREAD: Final = 0.2
"""An answer takes up to so much more or less than the mean."""
CHARACTERS_A_TOKEN: Final = 4
PIECES: Final = 20
"""Moments over which a streamed answer is spread."""


def create_app(seconds: float, seed: int) -> FastAPI:
    """The server; `GET /count` says how many requests it answered, and with how many tokens."""
    app = FastAPI()
    counted = {"requests": 0, "input_tokens": 0, "output_tokens": 0}

    @app.get("/count")
    async def count() -> dict[str, int]:
        return counted

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        asked = await request.json()
        prompt = json.dumps(asked["messages"])
        task = next(found for text in _list_prompts(asked) if (found := parse_envelope(text)) is not None)
        answer = answer_task(task, seed)
        usage = _count_tokens(prompt, json.dumps(answer))
        for name, count in zip(counted, (1, usage["prompt_tokens"], usage["completion_tokens"]), strict=True):
            counted[name] += count
        drawn = random.Random(f"{seed}/{prompt}")
        lasts = seconds * drawn.uniform(1 - SPREAD, 1 + SPREAD)
        reply = make_completion(answer, usage=usage)
        if events := list_stream_events(asked, reply):
            return StreamingResponse(_spread(events, lasts), media_type="text/event-stream")
        await asyncio.sleep(lasts)
        return JSONResponse(json.loads(reply.body))

    return app


async def _spread(events: Sequence[str], seconds: float) -> AsyncIterator[str]:
    size = max(1, len(events) // PIECES)
    for first in range(0, len(events), size):
        await asyncio.sleep(seconds * size / len(events))
        yield "".join(events[first : first + size])


def _list_prompts(asked: dict[str, Any]) -> list[str]:
    contents = [one["content"] for one in asked["messages"] if one["role"] == "user"]
    return [
        text
        for content in contents
        for text in ([content] if isinstance(content, str) else [one["text"] for one in content if "text" in one])
    ]


def _count_tokens(prompt: str, answer: str) -> dict[str, int]:
    read, written = len(prompt) // CHARACTERS_A_TOKEN, len(answer) // CHARACTERS_A_TOKEN
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def main() -> None:
    """The program: a port, the mean seconds of an answer, the seed."""
    port, seconds, seed = sys.argv[1:]
    app = create_app(float(seconds), int(seed))
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning", access_log=False, timeout_keep_alive=600)


if __name__ == "__main__":
    main()
