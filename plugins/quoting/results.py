"""Which sentences of a study state what was found: results and conclusions, apart from aims and methods.

An aim repeats the question's words, so that a search for them finds it first, and it answers nothing. What a sentence
is shows in its heading or label (`Results:`), in how it is worded (`was associated with`, `p < 0.05`, `we aimed to`)
and, where that leaves it open, in what stands before it: results follow methods.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from elcano.plugins.quoting.passages import Passage
from elcano.plugins.quoting.sentences import Sentence

RESULT: Final = 1.0
"""From this measure on a sentence is a result; each sign of one counts about so much, and signs of others take away."""
STUDY_SHARE: Final = 0.4
"""Of the sentences of a study at least so many tell its aim, its methods or figures."""

_HEADED_RESULT: Final = re.compile(
    r"^\W*(?:[\d.]+ )?(?:main |principal |key )?"
    r"(?:results?|findings?|conclusions?|interpretation|outcomes?)\b(?! codes?)",
    re.I,
)
_HEADED_OTHER: Final = re.compile(
    r"\b(?:background|introduction|objectives?|aims?|purposes?|methods?|materials?|design|settings?|patients|subjects|"
    r"participants|interventions?|context|rationale|hypothes[ie]s)\b",
    re.I,
)
_LABEL: Final = re.compile(r"^\W*([A-Z][A-Za-z]*(?:[ /&][A-Za-z]+){0,4})\s*:\s")
_AIM: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|purposes?|objectives?|goals?|hypothes[ie]s|hypothesi[sz]ed?|sought|intend(?:s|ed)|attempt(?:s|"
    r"ed)?|"
    r"question(?:s|ed)?|wondered|(?:was|were|is|be) (?:designed|undertaken|conducted|performed|carried out|"
    r"initiated))\b"
    r"|\b(?:in order )?to (?:\w+ly )?(?:determine|evaluate|assess|investigate|examine|explore|compare|describe|"
    r"identify|"
    r"analy[sz]e|study|test|clarify|establish|elucidate|verify|quantify|address|ascertain|review|find out|see)\b"
    r"|\b(?:we|study|paper|article|report|trial|review|survey|authors) (?:\w+ )?(?:investigate[sd]?|examine[sd]?|"
    r"evaluate[sd]?|assess(?:es|ed)?|explore[sd]?|compare[sd]?|determine[sd]?|describe[sd]?|analy[sz]e[sd]?|"
    r"stud(?:y|ies|ied)|test(?:s|ed)?|review(?:s|ed)?|ask(?:s|ed)?|address(?:es|ed)?|present(?:s|ed)?)\b"
    r"|\b(?:whether|remains? (?:\w+ )?(?:unclear|unknown|controversial|uncertain)|little is known|is not (?:clear|"
    r"known)|"
    r"(?:has|have) not been|few studies)\b",
    re.I,
)
_METHOD: Final = re.compile(
    r"\b(?:were|was) (?:\w+ly )?(?:randomi[sz]ed|enrolled|recruited|included|excluded|selected|collected|measured|"
    r"assessed|"
    r"evaluated|examined|analy[sz]ed|performed|obtained|recorded|reviewed|used|conducted|studied|interviewed|invited|"
    r"assigned|allocated|divided|classified|categori[sz]ed|calculated|determined|defined|identified|administered|"
    r"treated|"
    r"tested|applied|compared|followed|asked|surveyed|scored|matched|retrieved|searched|extracted|estimated|"
    r"investigated|"
    r"carried out|undertaken|given|taken|stratified|monitored|completed|adjusted|entered|grouped|stained|"
    r"retrospectively|"
    r"prospectively)\b"
    r"|\b(?:retrospective(?:ly)?|prospective(?:ly)?|consecutive|cross-sectional|cohort|questionnaires?|randomi[sz]ed|"
    r"double-blind|case-control|database|between (?:January|February|March|April|May|June|July|August|September|"
    r"October|"
    r"November|December|19\d\d|20\d\d)|from (?:19|20)\d\d|regression (?:analys[ie]s|models?) (?:was|were)|"
    r"statistical analys[ie]s|inclusion criteria|main outcome|outcome measures?)\b"
    r"|\bwe (?:\w+ly )?(?:used|collected|performed|conducted|measured|enrolled|included|recruited|reviewed|selected|"
    r"interviewed|obtained|retrieved|searched|calculated|randomi[sz]ed|surveyed|identified)\b",
    re.I,
)
_FIGURES: Final = re.compile(
    r"\d\s?%|\bper ?cent\b|\bp\s?[<=>\u2264\u2265]\s?0?\.\d|(?-i:\b(?:CI|OR|HR|RR|AUC|SD)\b)[ :=,]|"
    r"\bconfidence interval\b|\u00b1|"
    r"\bodds ratio\b|\b\d+(?:\.\d+)? ?(?:vs\.?|versus) ?\d|\brespectively\b|\b\d+ of (?:the )?\d+\b|\br\s?=\s?-?0?\.\d",
    re.I,
)
_FOUND: Final = re.compile(
    r"\bsignifican(?:t|tly|ce)\b|\b(?:no|not|without) (?:\w+ ){0,3}(?:differ\w*|associat\w*|correlat\w*|effect|"
    r"influenc\w*|"
    r"chang\w*|improv\w*|increase[sd]?|evidence)\b"
    r"|\b(?:was|were|is|are) (?:\w+ly |not |also |more |less |much )*(?:associated|correlated|related|higher|lower|"
    r"greater|"
    r"smaller|larger|longer|shorter|better|worse|similar|comparable|equal|increased|decreased|reduced|improved|found|"
    r"observed|detected|seen|noted|likely|frequent|common|present|absent|predictive|predictors?|effective|safe|"
    r"superior|"
    r"inferior|independent|elevated|diagnosed|reported|achieved|lost|required)\b"
    r"|\b(?:show(?:s|ed|n)?|reveal(?:s|ed)?|demonstrate[sd]?|indicate[sd]?|suggest(?:s|ed)?|confirm(?:s|ed)?|found|"
    r"conclude[sd]?|predict(?:s|ed)|correlated|differed|increased|decreased|declined|improved|reduced|rose|fell|had|"
    r"remained|occurred|developed|resulted|led to|caused|experienced|reported|exhibited|underwent|accounted|ranged|"
    r"yielded|died|survived|tended|agreed|responded|achieved|appear(?:s|ed) to)\b"
    r"|\bthere (?:was|were)\b|\b(?:the )?(?:mean|median|overall|average|rate|incidence|prevalence)\b"
    r"|\b(?:compared (?:with|to)|than (?:in|those|the|for|that)|should be|more likely|less likely)\b",
    re.I,
)


@dataclass(frozen=True)
class Told:
    """A sentence and how far it is a result, from about -2 to 4."""

    sentence: Sentence
    measure: float


def told(passage: Passage) -> Iterator[Told]:
    """The sentences of a passage, each with how far it is a result."""
    headed = _of_heading(passage.item.heading.rpartition(" > ")[2])
    before: Sequence[float] = ()
    for sentence in passage.sentences:
        label = _LABEL.match(sentence.text)
        if label is not None and (named := _of_heading(label[1])):
            headed = named
        measure = 2 * headed + worded(sentence.text)
        # Results follow one another: a sentence that stands between them and says little is one.
        measure += 0.3 * sum(before[-2:]) / 2 if before else 0.0
        before = (*before[-1:], measure)
        yield Told(sentence, measure)


def is_study(passages: Sequence[Passage]) -> bool:
    """Whether the passages of one document report a study: most sentences give aims, methods or figures, all kinds.

    A manual has sentences with figures too, and says what to do `to determine` something; it is not made of them.
    """
    texts = [one.text for passage in passages for one in passage.sentences]
    figures = sum(_FIGURES.search(text) is not None for text in texts)
    others = sum(_AIM.search(text) is not None or _METHOD.search(text) is not None for text in texts)
    headed = any(_of_heading(passage.item.heading.rpartition(" > ")[2]) for passage in passages)
    return (headed and figures > 0) or (others > 0 and figures + others >= STUDY_SHARE * len(texts))


def worded(text: str) -> float:
    """How far `text` is worded as a result."""
    figures = min(2, len(_FIGURES.findall(text)))
    found = min(2, len(_FOUND.findall(text)))
    return 0.8 * figures + 0.6 * found - 1.2 * bool(_AIM.search(text)) - 1.0 * bool(_METHOD.search(text))


def is_aim(text: str) -> bool:
    """Whether `text` says what was wanted to be known, and no figure of what became known."""
    return _AIM.search(text) is not None and not _FIGURES.search(text) and worded(text) < RESULT / 2


def _of_heading(heading: str) -> int:
    if _HEADED_OTHER.search(heading):
        return -1
    return 1 if _HEADED_RESULT.search(heading) else 0
