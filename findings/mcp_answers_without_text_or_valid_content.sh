#!/bin/sh
# A tool of the MCP Python SDK that returns a list sends every item as a text block of its own, and for an empty list no
# content at all. The specification (2025-06-18, "Structured Content") asks servers to send the JSON of the structured
# content as text too, for clients that read only text: a model behind such a client sees an empty answer if nothing was
# found. And a tool that is declared to return a float and returns NaN, such as a p-value that cannot be computed, sends
# null under a schema that requires a number, and the SDK's own client then rejects the whole answer.
#
# version: mcp==2.3.0
# behaviour: an empty list[str] has content [], two items are two texts; NaN for a float raises RuntimeError in
#   call_tool
# seen: content [] with {"result": []}; ['a', 'b']; "Invalid structured content returned by tool p_value: None is not of
#   type 'number'"
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import logging
import sys

from mcp import Client
from mcp.server.mcpserver import MCPServer

logging.disable(logging.CRITICAL)
server = MCPServer("studies")


@server.tool()
def search(found: int) -> list[str]:
    return ["a", "b"][:found]


@server.tool()
def p_value(values: list[float]) -> float:
    return 0.5 if len(values) > 1 else float("nan")


async def main():
    answers = []
    async with Client(server) as client:
        for found in (2, 1, 0):
            answer = await client.call_tool("search", {"found": found})
            texts = [one.text for one in answer.content]
            answers.append((texts, answer.structured_content, answer.is_error))
            print(f"{found} found: texts {texts}, structured {answer.structured_content}, error {answer.is_error}")
        print("two values:", (await client.call_tool("p_value", {"values": [1, 2]})).structured_content)
        try:
            refused = str(await client.call_tool("p_value", {"values": [1]}))
        except RuntimeError as error:
            refused = str(error).splitlines()[0]
        print("one value:", refused)
    return answers == [
        *((["a", "b"], {"result": ["a", "b"]}, False), (["a"], {"result": ["a"]}, False), ([], {"result": []}, False)),
    ] and refused.endswith("None is not of type 'number'")


sys.exit(0 if asyncio.run(main()) else 1)
PYTHON
