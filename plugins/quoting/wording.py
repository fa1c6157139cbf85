"""How a sentence is worded, apart from what it is about: whether it states something and can be read alone.

Labels, pointers and fragments hold a question's words as well as its answer does, so each flaw lowers a score by a
factor of its own. None rules a sentence out: where nothing better is found, a flawed answer is one.
"""

import math
import re
from typing import Final

from elcano.plugins.quoting.clauses import states
from elcano.plugins.quoting.language import in_english
from elcano.plugins.quoting.sentences import Sentence

LABEL: Final = 0.35
"""For text without a verb: it names something and says nothing of it."""
POINTER: Final = 0.5
"""For a sentence that sends the reader elsewhere, or speaks of an example that is not quoted with it."""
CHANGE: Final = 0.5
ENTRY: Final = 0.4
UNFINISHED: Final = 0.7
MARKUP: Final = 0.85
"""Links and cross-references are shown as they are written: of two sources of one text the plain one reads better."""
LOST: Final = 0.5
"""For a sentence that leans on something which cannot be quoted with it."""
UNRESOLVED: Final = 0.7
"""For `override this method` and `do it differently` without what says which and than what."""
LED: Final = 0.9
"""For a sentence that is quoted with the one it leans on."""

_DANGLING: Final = re.compile(
    r"^[\W_]*(?:\d+\]\s+)?(?:this|that|these|those|its|they|their|them|he|she|such|however|but|also|then|so|therefore|"
    r"thus|hence|instead|otherwise|additionally|furthermore|moreover|nevertheless|similarly|likewise|conversely|finally|"
    r"lastly|still|yet|though|except|another|again|both|here|there|and|or|which|who|notice that|because of this|"
    r"it(?! is (?:\w+ )?(?:possible|impossible|necessary|recommended|important|safe|common|easy|best|better|usual)\b)|"
    r"as a result|of course|in particular|in (?:other words|addition)|on the other hand|as an example|"
    r"for (?:this|that|example|instance)|as (?:such|above|before)|in (?:this|that|these|such)|"
    r"(?:with|without|after|from|all) this|all that|unlike (?:its|this)|one of these|the (?:other|reason)|"
    r"the (?:former|latter|above|following|same)|note that (?:this|that|these|it|if|the)|"
    r"(?:if|while|although|because|since|when|once|unless|until|as|even if) (?:this|that|these|it|they)|"
    r"if (?:so|not|none|any|either|blank|omitted))\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    r"\b(?:this|these|those)\b|\b(?:instead|differently|too|as well|either|likewise|again)[\W_]*$", re.IGNORECASE
)
_LISTED: Final = re.compile(r"^[^:.]*\bfollowing\b[^:.]*:\s")
"""What follows is quoted with it."""
_POINTER: Final = re.compile(
    r"^[\W_]*(?:see|for (?:more|further|a|an|details)|check out|read more|refer to|visit|learn more|have a look|"
    r"take a look|more (?:information|details)|head over|note that this readme|here (?:is|are)|consider the)\b"
    r"|^[\W_]*to [^.]*\b(?:see|visit|refer to|check out)\b"
    r"|\b(?:sections?|examples?|links?|scripts?|code|documentation|chapters?|references?) "
    r"(?:contains?|describes?|discusses|explains?)\b"
    r"|(?<!\bor )(?<!\band )\b(?:above|below)\b(?!\s+(?:\d|zero|the|an?)\b)"
    r"|\b(?:following|preceding|next|previous|this) (?:\w+ )?(?:diagrams?|examples?|sections?|chapters?|scripts?|"
    r"snippets?|code|tables?|lists?|figures?|recipes?|tutorials?|documents?)\b"
    r"|\bthe following (?:\w+ )?(?:functions|classes|methods|options|modules|constants|attributes|arguments|"
    r"parameters|macros|values|pages|links)\b[^:]*$"
    r"|\bthe following\W*$|\b(?:example|sample) (?:scripts?|programs?|code|output)\b|\b(?:foo|bar|baz|foobar)\b",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"^[\W_]*(?:changed|new|added|deprecated|removed|fixed)(?: since| in|-in)?:? (?:version|release|v?\d)"
    r"|\bby @\w|\(?#\d+\)?[.)]*$|\b(?:issue|bpo|gh)-\d+|\(contributed by\b",
    re.IGNORECASE,
)
_MARKUP: Final = re.compile(r":[\w:-]+:`|\]\(|\]\[|`_|<https?:|\|\w+\|")
_ENTRY: Final = re.compile(
    r"^[*_]*`[^`]+`[*_]*\s+(?:-|\u2013|\u2014)|^\"\"\"|^[A-Z][a-z]+s (?:an?|the|all|its|True|None)\b"
    r"|^(?!(?i:note|warning|important|tip|caution)\b)[\W_]*[\w.-]+(?:\([^()]*\))?[*_`\"\u201d']*:\s"
    r"|\b(?:also|alternatively|sometimes) (?:known as|called)\b"
    r"|^(?:(?:If|Should|When|By default,?|The|[Oo]ptional|argument|parameter) )*(?:\*[a-z]\w*\*|[a-z]+(?:_[a-z]+)+) "
)
"""Lines of a reference or a glossary: `name - what it is`, `If *name* is ...`, or what else something is called."""
_DOING: Final = re.compile(
    r"^(?:accept|add|associate|build|check|compute|convert|create|determine|emit|format|get|initiali[sz]e|log|open|"
    r"parse|perform|print|process|raise|read|register|remove|retrieve|return|send|set|test|write)s? "
    r"(?:an?|the|all|any|every|either|each|its|it|information|True|False|None|if|whether|\w+ (?:with|of|from|to))\b"
    r"|^(?:if|when)\b[^,]*, returns?\b"
    r"|^the \S+ (?:and \S+ )?(?:entry|entries|key|argument|parameter|field|attribute)s?\b"
    r"|\b(?:takes?|accepts?) (?:an? )?(?:optional )?\S+ (?:argument|parameter)s?\b",
    re.IGNORECASE,
)
"""How a reference describes what can be called or set: `Perform a full collection`, `The level entry ...`."""


def penalty(sentence: Sentence, text: str, *, changes: bool, orders: bool) -> float:
    """What the flaws of `sentence` cost, quoted as `text`: itself, or with the one that it leans on.

    News is no flaw to who asks for `changes`, nor is telling what to do to who asks for `orders`.
    """
    flaws = (
        (POINTER, _POINTER.search(text)),
        (CHANGE, not changes and _CHANGE.search(text)),
        (ENTRY, _ENTRY.search(text) or (not orders and _DOING.search(text))),
        (UNFINISHED, not sentence.whole),
        (MARKUP, sentence.links or _MARKUP.search(text)),
        (UNRESOLVED, _BACK.search(text.removesuffix(sentence.text) or text)),
        (LABEL, not states(text)),
    )
    return math.prod(factor for factor, found in flaws if found)


def beginning(sentence: Sentence, before: Sentence | None) -> tuple[int, float]:
    """Where the quote begins and what that costs: `This ...` needs the sentence before it, or says nothing."""
    if not in_english() or not _DANGLING.match(sentence.text) or _LISTED.match(sentence.text):
        return sentence.start, 1.0
    adjoins = before is not None and before.block == sentence.block and sentence.start - before.end <= 2
    if before is None or not adjoins or _DANGLING.match(before.text):
        return sentence.start, LOST
    return before.start, LED
