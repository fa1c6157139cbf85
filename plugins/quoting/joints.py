"""Where a question falls into parts that ask by themselves, by language; elsewhere only a question mark parts them."""

import re
from collections.abc import Mapping
from typing import Final


def _between(conjunctions: str, asking: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\s*[,;]\s*|\s+)(?:{conjunctions})\s+(?=\u00bf?(?:{asking})\b)", re.IGNORECASE)


JOINTS: Final[Mapping[str, re.Pattern[str]]] = {
    "de": _between("und|oder|aber", "wie|was|wann|wo|wer|wen|wem|warum|weshalb|wieso|wozu|welche[rsnm]?"),
    "es": _between("y|o|pero", r"qué|quién\w*|cómo|cuándo|dónde|cuál\w*|por qué|cuánt\w+"),
    "fr": _between("et|ou|mais", r"qui|que|quoi|comment|quand|où|pourquoi|quel\w*|combien"),
    "zh": re.compile("[\uff0c\uff1b](?=.*(?:什么|多少|怎么|如何|谁|哪))"),
}
