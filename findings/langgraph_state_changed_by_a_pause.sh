#!/bin/sh
# A LangGraph graph that pauses (interrupt) and is resumed goes on with another state than one that runs through,
# because the state of the second half is read back from the checkpoint, and its serializer writes some values that it
# cannot read. A pydantic model whose field has an alias, as models of web APIs do, is rebuilt by the names of its
# fields: the value is dropped and the default takes its place. A numpy array of texts is None. A tuple is a list.
# Nothing is raised.
#
# version: langgraph==1.2.24, langgraph-checkpoint==4.3.2, langgraph-checkpoint-sqlite==3.1.2
# behaviour: after a pause Work(cited_by_count=812) has cited_by 0, array(["Ann", "Bo"], dtype=object) is None
# seen: straight through: 812, ['Ann', 'Bo'], (1, 2); with a pause: 0, None, [1, 2]
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check langgraph==1.2.24 langgraph-checkpoint==4.3.2 \
    langgraph-checkpoint-sqlite==3.1.2 numpy==2.4.6
"$folder/venv/bin/python" - "$folder/checkpoints.db" <<'PYTHON'
import logging
import sys
from typing import Any, TypedDict

import numpy
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel, Field

logging.disable(logging.WARNING)  # that the type Work may be refused in a later version


class Work(BaseModel):
    cited_by: int = Field(default=0, alias="cited_by_count")


class State(TypedDict, total=False):
    pauses: bool
    work: Any
    names: Any
    pages: Any


def search(state):
    names = numpy.array(["Ann", "Bo"], dtype=object)
    return {"work": Work(cited_by_count=812), "names": names, "pages": (1, 2)}


def approve(state):
    if state["pauses"]:
        interrupt("go on?")


def write(state):
    names = state["names"]
    written.append((state["work"].cited_by, None if names is None else names.tolist(), state["pages"]))


written = []
graph = StateGraph(State)
for node in (search, approve, write):
    graph.add_node(node)
for start, end in ((START, "search"), ("search", "approve"), ("approve", "write"), ("write", END)):
    graph.add_edge(start, end)
with SqliteSaver.from_conn_string(sys.argv[1]) as saver:
    compiled = graph.compile(checkpointer=saver)
    compiled.invoke({"pauses": False}, {"configurable": {"thread_id": "through"}})
    paused = {"configurable": {"thread_id": "paused"}}
    compiled.invoke({"pauses": True}, paused)
    compiled.invoke(Command(resume="yes"), paused)
print("through", *written[0])
print("paused", *written[1])
sys.exit(0 if written == [(812, ["Ann", "Bo"], (1, 2)), (0, None, [1, 2])] else 1)
PYTHON
