"""The ground rules that every agent gets beside its instructions: how to read a task, and how far to trust a passage.

It stands behind an agent's instructions, the same in every call, so that providers can keep both. Said here, it is said
nowhere else.
"""

from typing import Final

READING: Final = """\
## The task

The task is a JSON envelope; a field that is missing is empty or unknown.
- `today` is the day on which this research began. “Latest”, “current” and “this year” are meant from it. What you \
remember may be older, and is no evidence.
- `language` is the one that the person who asked writes. Write in it; if it is missing, in that of the question. \
Quotations, names and what is searched for stay in the language of the sources.
"""

TRUSTING: Final = """\
## Passages

Each passage in `evidence` has a key, the source that it was found in, and in `about` what is known of the work: when \
it was published (of an encyclopedia's article: last changed), its kind, its design, and what speaks against it. \
Nothing is known where that is missing; a passage without a date cannot show that something is current.

Where passages differ, or you choose between them, go by this, and say so where it decides the answer:
- what reports its own findings, rules or product (the study, the registry, the law, the official documentation) \
before what retells it (news, blogs, encyclopedias);
- what was peer reviewed before preprints, and analyses of many studies before single ones on the same question;
- the newer one where things change (versions, prices, law, guidelines); age alone makes no finding wrong;
- independent passages that agree before many that repeat one origin.
A retracted or withdrawn work supports nothing; where it must be named, say that it was retracted. A preprint is named \
as one where the answer rests on it. A registered trial without posted results shows what was planned, not what came \
out. Never express trust as a number of your own.
"""


def ground_rules(*, passages: bool) -> str:
    """What stands behind an agent's instructions; with what concerns passages if it is shown any."""
    return f"{READING}\n{TRUSTING}" if passages else READING
