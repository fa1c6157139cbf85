"""A custom agent as data: its instructions, its inputs and its output.

It is made into the same definition that built-in agents have, so that whatever works with those works with it.
"""

import re
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, JsonObject

AgentName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
"""Lower-case letters, digits and underscores, 48 at most: the names that nodes and graphs have too."""
AgentKey: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}(@[1-9][0-9]{0,8})?$")]
"""By which a node calls it: its name, with the version of one that is kept."""
FieldType: TypeAlias = Literal["string", "number", "integer", "boolean", "array", "object", "any"]
"""What an input is: JSON's kinds, or any of them."""

MOST_INSTRUCTIONS: Final = 20_000
"""Characters. They are sent with every request."""
MOST_INPUTS: Final = 30

_KEY: Final = re.compile(r"([a-z][a-z0-9_]{0,47})(?:@([1-9][0-9]{0,8}))?")


class OwnInput(Frozen):
    """A field that an agent is given by a node."""

    name: str = Field(max_length=100, examples=["reader"])
    """How nodes and the agent's instructions call it."""
    type: FieldType = "string"
    """What the node's expression has to give."""
    description: str = Field(default="", max_length=1_000)
    """What it is, for the model and for whoever writes a graph."""
    required: bool = True
    """Whether a node has to give it; one that is not given is not shown."""


class OwnAgent(Frozen):
    """An agent of a user's own."""

    name: AgentName = Field(examples=["screener"])
    """How nodes call it."""
    description: str = Field(default="", max_length=500, examples=["Decides which passages are of controlled studies."])
    """What it is for, in one sentence: told when it begins."""
    instructions: str = Field(min_length=1, max_length=MOST_INSTRUCTIONS, examples=["You screen passages. ..."])
    """Its part, for every call the same: what to do, and how."""
    inputs: tuple[OwnInput, ...] = Field(default=(), max_length=MOST_INPUTS)
    """What it is given beside `question`, `background`, `guidance` and `language`, which every agent can be."""
    output: JsonObject
    """What it answers: a JSON Schema of an object."""
    model: str = Field(default="", max_length=500, examples=["openai:gpt-5.1"])
    """Which model it asks unless the run names another one for it; empty: that of the run, or the server's."""
    output_tokens: int = Field(default=1_000, ge=16, le=32_000)
    """The most that its answer is expected to take, for estimates."""
    passages: bool = False
    """Whether it is shown passages: those whose ids its input `evidence` names."""
    evidence_tokens: int = Field(default=4_000, ge=100, le=200_000)
    """The most that these passages may take, for estimates and for cutting the prompt."""


class VersionedName(NamedTuple):
    """The name of a graph or an agent, and which version of it: `screener@2`."""

    name: str
    version: int | None = None
    """None: the latest."""

    @classmethod
    def parse(cls, text: str) -> "VersionedName | None":
        """What `text` names; None if nothing can have such a name."""
        found = _KEY.fullmatch(text)
        return cls(found[1], int(found[2]) if found[2] else None) if found else None

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"
