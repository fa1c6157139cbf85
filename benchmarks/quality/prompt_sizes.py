"""The sizes of prompts, by agent and by part, and how much of each begins as an earlier one of its agent did."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from elcano.activities.calls.models import Resolve
from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope, render_envelope
from elcano.graphs.rules import CHARACTERS_PER_TOKEN

LEAST_KEPT = 1_024
"""Tokens of a beginning that providers keep at the least: OpenAI, and Anthropic of most models."""
STATE = ("conversation", "criteria", "contradictions", "written", "sections", "outline", "uncited")


@dataclass
class PromptSizes:
    """Tokens sent, each a quarter of the characters."""

    calls: Counter[str] = field(default_factory=Counter)
    sent: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By agent and part."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Tokens of prompts of agents that were asked before in the run, by agent."""
    prefix: Counter[str] = field(default_factory=Counter)
    """Those of them with which an earlier prompt of the agent began."""
    kept: int = 0
    """Those of them in a beginning of `LEAST_KEPT` tokens and more."""
    plain: int = 0
    """What one plain call would be sent."""
    _earlier: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def within(self, resolve: Resolve) -> Resolve:
        """`resolve`, whose models are measured."""

        def resolved(*asked: Any) -> Model:
            return _Measured(resolve(*asked), self)

        return resolved

    @property
    def total(self) -> int:
        """All tokens sent."""
        return self.sent.total()

    def add(self, instructions: str, schema: str, prompt: str) -> None:
        """Add one prompt, as its parts go to a provider."""
        task = parse_envelope(prompt)
        if task is None:
            return
        kind = task.kind
        self.calls[kind] += 1
        parts = {"instructions": len(instructions), "schema": len(schema), **_measure_envelope(task, prompt)}
        for part, characters in parts.items():
            self.sent[kind, part] += characters // CHARACTERS_PER_TOKEN
        whole = schema + instructions + prompt
        if earlier := self._earlier[kind]:
            self.repeated[kind] += len(whole) // CHARACTERS_PER_TOKEN
            common = max(_count_common_characters(whole, one) for one in earlier)
            self.prefix[kind] += common // CHARACTERS_PER_TOKEN
            self.kept += common // CHARACTERS_PER_TOKEN if common >= LEAST_KEPT * CHARACTERS_PER_TOKEN else 0
        earlier.append(whole)

    @classmethod
    def sum(cls, sizes: Iterable["PromptSizes"]) -> "PromptSizes":
        """All of `sizes` together."""
        whole = cls()
        for one in sizes:
            whole.calls += one.calls
            whole.sent += one.sent
            whole.repeated += one.repeated
            whole.prefix += one.prefix
            whole.kept += one.kept
            whole.plain += one.plain
        return whole

    def describe(self) -> str:
        """The sums in a few words."""
        again = max(1, self.repeated.total())
        share, kept = self.prefix.total() / again, self.kept / again
        return (
            f"{self.total:7,} sent in {self.calls.total()} calls, {self.total / max(1, self.plain):.2f} times the "
            f"{self.plain:,} of a plain call, prefix {share:.0%} of {self.repeated.total():,} sent again, "
            f"{kept:.0%} in long ones"
        )

    def print(self, name: str) -> None:
        """Print all of it, by agent and part."""
        parts = list(dict.fromkeys(part for _, part in self.sent))
        print(f"{name}: {self.describe()}")
        print(f"  {'agent':22}{'calls':>6}" + "".join(f"{part:>13}" for part in [*parts, "all", "prefix"]))
        for kind in sorted(self.calls, key=lambda one: -sum(self.sent[one, part] for part in parts)):
            each = [self.sent[kind, part] for part in parts]
            share = f"{self.prefix[kind] / self.repeated[kind]:.0%}" if self.repeated[kind] else "-"
            print(
                f"  {kind:22}{self.calls[kind]:6}"
                + "".join(f"{one:13,}" for one in [*each, sum(each)])
                + f"{share:>13}"
            )
        sums = [sum(self.sent[kind, part] for kind in self.calls) for part in parts]
        print(f"  {'all':28}" + "".join(f"{one:13,}" for one in [*sums, self.total]), flush=True)


def _count_common_characters(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _measure_envelope(task: TaskEnvelope, prompt: str) -> dict[str, int]:
    """Characters of the envelope by part; `request` is what stands above it, `other` its small fields."""
    rendered = render_envelope(task)
    body = len(rendered)
    shown = json.loads(rendered)
    size = {name: len(json.dumps(value, ensure_ascii=False)) for name, value in shown.items()}
    parts = {
        "request": len(prompt) - body,
        "passages": size.get("evidence", 0),
        "quotes": size.get("given", 0),
        "state": sum(size.get(name, 0) for name in STATE),
    }
    return {**parts, "other": body - sum(parts.values()) + parts["request"]}


class _Measured(WrapperModel):
    def __init__(self, wrapped: Model, sizes: PromptSizes) -> None:
        super().__init__(wrapped)
        self._sizes = sizes

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        requests = [one for one in messages if isinstance(one, ModelRequest)]
        said = (part.content for one in requests for part in one.parts if isinstance(part, UserPromptPart))
        prompt = next((one for one in said if isinstance(one, str)), "")
        instructions = next((one.instructions for one in requests if one.instructions), "")
        tools = model_request_parameters.output_tools
        schema = json.dumps([{"name": one.name, "parameters": one.parameters_json_schema} for one in tools])
        self._sizes.add(instructions, schema, prompt)
        return await super().request(messages, model_settings, model_request_parameters)
