"""The answer of a model to an agent's task, of whatever type the agent asks for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from elcano.graphs.agents.envelope import TaskEnvelope

Output = TypeVar("Output")


@dataclass(frozen=True)
class Answer(Generic[Output]):
    """A model's answer."""

    output: Output
    model: str
    """The model that answered, as the provider names it."""
    quoted: bool
    """Whether that was the extractive model."""
    task: TaskEnvelope
    """The task as shown: trimmed if it was too long for the model."""
    cut_off: bool = False
    """Whether the model reached its limit of tokens, though the answer can be read: its last text may be incomplete."""
