"""A custom agent as data: its instructions, its inputs and its output.

It becomes the same definition that built-in agents have, so that all code that works with those works with it.
"""

import re
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, JsonObject

AgentName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}$")]
"""Lower-case letters, digits and underscores, 48 at most: the names that nodes and graphs have too."""
AgentKey: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,47}(@[1-9][0-9]{0,8})?$")]
"""The key by which a node calls it: its name, with the version of a stored one."""
FieldType: TypeAlias = Literal["string", "number", "integer", "boolean", "array", "object", "any"]
"""The type of an input: JSON's types, or any of them."""

MOST_INSTRUCTIONS: Final = 20_000
"""Characters. They are sent with every request."""
MOST_INPUTS: Final = 30

_KEY: Final = re.compile(r"([a-z][a-z0-9_]{0,47})(?:@([1-9][0-9]{0,8}))?")


class OwnInput(Frozen):
    """A field that an agent is given by a node."""

    name: str = Field(max_length=100, examples=["reader"])
    """Name used by nodes and by the agent's instructions."""
    type: FieldType = "string"
    """The type of the node's expression."""
    description: str = Field(default="", max_length=1_000)
    """Its description, for the model and for authors of graphs."""
    required: bool = True
    """Whether a node has to give it; one that is not given is not shown."""


class OwnAgent(Frozen):
    """An agent of a user's own."""

    name: AgentName = Field(examples=["screener"])
    """Name used by nodes."""
    description: str = Field(default="", max_length=500, examples=["Decides which passages are of controlled studies."])
    """Its purpose, in one sentence; shown when it begins."""
    instructions: str = Field(min_length=1, max_length=MOST_INSTRUCTIONS, examples=["You screen passages. ..."])
    """Its task, the same for every call: what to do, and how."""
    inputs: tuple[OwnInput, ...] = Field(default=(), max_length=MOST_INPUTS)
    """Its inputs besides `question`, `background`, `guidance` and `language`, which every agent can have."""
    output: JsonObject
    """Its answer: a JSON Schema of an object."""
    model: str = Field(default="", max_length=500, examples=["openai:gpt-5.1"])
    """Its model, unless the run names another one for it; empty: the run's, or the server's."""
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
        """Parse `text` as a name; None if it cannot be one."""
        found = _KEY.fullmatch(text)
        return cls(found[1], int(found[2]) if found[2] else None) if found else None

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"
