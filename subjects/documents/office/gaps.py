"""Collects the unread parts of a document while it is read."""

from collections import Counter
from typing import Final

from elcano.activities.passages.document import Gap
from elcano.subjects.documents.zip_packages import Relation

_EQUATIONS: Final = ("equation.", "mathtype", "eqn")
_PARTS: Final = {"charts": "a chart", "comments": "the comments", "numbering": "numbers of lists", "styles": "styles"}
_MOST_PROGRAMS: Final = 5
_NAME_CHARACTERS: Final = 60


class GapCollector:
    """Counts omissions, and describes them at the end."""

    def __init__(self) -> None:
        self.hidden_words = self.struck_words = self.prompt_words = 0
        self.too_deep = 0
        self.linked_documents = 0
        self._equations = 0
        self._objects: Counter[str] = Counter()
        self._parts: dict[str, str] = {}
        self._linked: Counter[str] = Counter()

    def add_object(self, program: str) -> None:
        """An object of another program."""
        name = program[:_NAME_CHARACTERS]
        if name.lower().startswith(_EQUATIONS):
            self._equations += 1
        elif not name.lower().startswith(("forms.", "paint", "pbrush", "msphotoed", "word.picture", "staticm")):
            self._objects[name or "unknown"] += 1

    def add_damaged_part(self, kind: str, reason: str) -> None:
        """A part that is there and cannot be read."""
        self._parts.setdefault(_PARTS.get(kind, f"the {kind}"), reason)

    def add_linked_part(self, part: Relation | None) -> None:
        """A document in another format that Word takes in when it opens this one."""
        self._linked["" if part is None else part.target.rpartition("/")[2][:_NAME_CHARACTERS]] += 1

    def list_gaps(self) -> tuple[Gap, ...]:
        """List the omissions, in sentences."""
        found = [Gap(f"{part} cannot be read: {reason}") for part, reason in self._parts.items()]
        if self._linked:
            names = ", ".join(sorted(filter(None, self._linked))[:_MOST_PROGRAMS])
            found.append(
                Gap(
                    f"{_count(self._linked.total(), 'part')} in another format {_were(self._linked.total())} not read"
                    f"{f' ({names})' if names else ''}: open it in Word and save it again"
                )
            )
        if self.linked_documents:
            linked = self.linked_documents
            found.append(Gap(f"{_count(linked, 'linked document')} {_were(linked)} not read"))
        if self._equations:
            found.append(
                Gap(
                    f"{_count(self._equations, 'formula')} of an older equation editor or MathType "
                    f"{_were(self._equations)} not read: convert to Office Math and save it again"
                )
            )
        if self._objects:
            names = ", ".join(name for name, _ in self._objects.most_common(_MOST_PROGRAMS))
            total = self._objects.total()
            what = f"{_count(total, 'embedded object')} ({names}) {_were(total)} not read"
            found.append(Gap(f"{what}: save {'it' if total == 1 else 'each'} as a file of its own"))
        if self.too_deep:
            found.append(Gap("tables, lists or text boxes nested more than 20 deep were not read"))
        if self.hidden_words:
            found.append(
                Gap(
                    f"{_count(self.hidden_words, 'word')} that cannot be seen (hidden, white or tiny text) "
                    f"{_were(self.hidden_words)} left out",
                    unread=False,
                )
            )
        if self.struck_words:
            struck = self.struck_words
            found.append(
                Gap(f"{_count(struck, 'word')} that {_were(struck)} struck out {_were(struck)} left out", unread=False)
            )
        if self.prompt_words:
            prompts = self.prompt_words
            found.append(
                Gap(
                    f"{_count(prompts, 'word')} that {'asks' if prompts == 1 else 'ask'} to fill in a control "
                    f"{_were(prompts)} left out",
                    unread=False,
                )
            )
        return tuple(found)


def _count(number: int, noun: str) -> str:
    plural = "formulas" if noun == "formula" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
