#!/bin/sh
# pydantic-ai sends the return value of a tool to the model as JSON: the docstring of model_response_str says so for
# every value except strings and None. An empty list is an exception that it does not name: a search that finds nothing
# gives the model an empty string, the same as a tool that returned None, while an empty dict, an empty tuple, 0 and
# False are sent as JSON. A tool that returns {"hits": []} makes clear that there was nothing.
#
# version: pydantic-ai-slim==2.68.0
# behaviour: model_response_str(), which the model classes send, is "" for a tool that returned [] and "[]" for ()
# seen: [] '', None '', () '[]', {} '{}', [[]] '[[]]', 0 '0', False 'false', {'hits': []} '{"hits":[]}'
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pydantic-ai-slim==2.68.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

sent = {}
for value in ([], None, (), {}, [[]], 0, False, {"hits": []}):

    def answer(messages, info, value=value):
        """Call the tool, then note what a model is told that the tool returned."""
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart):
                sent[repr(value)] = part.model_response_str()
                return ModelResponse(parts=[TextPart("end")])
        return ModelResponse(parts=[ToolCallPart("search", {})])

    agent = Agent(FunctionModel(answer))

    @agent.tool_plain
    def search():
        return value

    agent.run_sync("Search.")
    print(f"{value!r}: {sent[repr(value)]!r}")
same = list(sent.values()) == ["", "", "[]", "{}", "[[]]", "0", "false", '{"hits":[]}']
sys.exit(0 if same else 1)
PYTHON
