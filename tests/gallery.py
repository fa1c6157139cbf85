"""The graphs of `docs/graphs` as files, a few short documents that they are tried on, and what is asked of each."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[1] / "docs" / "graphs"

DOCUMENTS: Final[Mapping[str, str]] = {
    "swift.md": "# Swift kettle\n\nThe Swift kettle boils a litre of water in three minutes. It costs 49 euros. "
    "Its lid is made of steel and its guarantee lasts two years.\n",
    "calm.md": "# Calm kettle\n\nThe Calm kettle boils a litre of water in five minutes. It costs 29 euros. "
    "Its guarantee lasts one year. It makes less noise than the Swift kettle.\n",
    "water.md": "# Hard water\n\nLime in hard water shortens the life of a kettle, and descaling it twice a year "
    "prevents that. A study of 2019 found that descaling twice a year doubled the life of kettles.\n",
    "kettlewright.md": "# Kettlewright\n\nKettlewright makes the Swift kettle and the Calm kettle. Two sisters own "
    "Kettlewright. In 2024 Kettlewright lost a dispute about its steel and paid a fine of 40,000 euros.\n",
}

QUESTIONS: Final[Mapping[str, str]] = {
    "fact_check": "Descaling a kettle twice a year prevents lime from shortening its life.",
    "compare_products": "How does the Swift kettle differ from the Calm kettle?",
    "screened_review": "What is known of lime in kettles?",
    "debate": "Does descaling a kettle prevent lime from shortening its life?",
    "due_diligence": "Which kettles does Kettlewright make, and which dispute has Kettlewright lost?",
    "triage": "Which guarantee does the Calm kettle have?",
}

WAYS: Final[Mapping[str, list[str]]] = {
    "fact_check": ["first_look", "doubt", "judge", "decided", "verdict"],
    "compare_products": ["parser", "several", "products", "comparison"],
    "screened_review": ["parser", "gather", "screen", "keep", "judge", "enough", "review"],
    "debate": ["sides", "judge", "report"],
    "due_diligence": ["survey", "planner", "store_plan", "parts", "collect", "report"],
    "triage": ["parser", "quick", "report"],
}
"""The nodes that a run of each comes through, by the model that needs no key."""


def graph(name: str) -> dict[str, Any]:
    """The JSON of a graph, with the names of branches as it has them."""
    read: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return read
