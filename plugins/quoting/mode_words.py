"""The words by which questions ask for a way of research, in two languages; each pattern is searched for in one line.

A pattern stands for what is asked for, never for a subject: “What is a meta-analysis?” asks for no meta-analysis, and
is told apart by what it begins with.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Words:
    """Of one language."""

    defines: re.Pattern[str]
    """The whole of a question that asks what a word means, the word as `what`."""
    pooled: re.Pattern[str]
    """Numbers of several studies are to be put together."""
    studies: re.Pattern[str]
    """Studies are to be reviewed."""
    causes: re.Pattern[str]
    """Explanations are to be found and weighed."""
    rigorous: re.Pattern[str]
    """Every part of a report is to hold."""
    broad: re.Pattern[str]
    """A subject as a whole, or things beside each other."""
    fact: re.Pattern[str]
    """One fact, by the beginning of its question."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


ENGLISH: Final = Words(
    defines=_pattern(
        r"^\W*(?:what (?:is|are|was|were|does)|define|explain|describe|who does)\s+(?:an? |the |meant by )?"
        r"(?P<what>(?:[\w-]+ ){0,3}[\w-]+?)(?: mean| stand for)?\W*$"
    ),
    pooled=_pattern(
        r"\b(?:meta-?analy[sz](?:[ei]s|ed?|ing)"
        r"|pooled (?:\w+ ){0,2}(?:effects?|estimates?|ratios?|differences?|results?)"
        r"|pool (?:the |all )?(?:\w+ ){0,2}(?:effects?|estimates?|numbers|results|trials|studies)"
        r"|(?:combine|put together) (?:the |all )?(?:\w+ ){0,2}(?:trials|studies) .{0,100}\b(?:estimate|number|figure)"
        r"|effect sizes?"
        r"|(?:how (?:large|big|strong)|what) is the (?:\w+ )?(?:effect|risk reduction) of .{1,200}"
        r"\b(?:trials|studies))\b"
    ),
    studies=_pattern(
        r"\b(?:(?:literature|systematic|scoping) review|review of (?:the )?(?:literature|studies|trials)"
        r"|review (?:the |all )?(?:\w+ )?(?:literature|studies|trials))\b"
    ),
    causes=_pattern(
        r"\b(?:hypothes[ei]s|hypothesi[sz]e|root[ -]causes?|(?:find|work) out why"
        r"|investigate (?:why|what|how|the cause)"
        r"|which (?:causes|explanations|hypotheses)"
        r"|(?:possible|likely|potential|competing|rival|alternative) (?:causes?|explanations?|reasons?|hypotheses)"
        r"|what (?:could|might|may|can) (?:explain|cause|have caused|account for|be (?:the )?(?:cause|reason|behind))"
        r")\b"
    ),
    rigorous=_pattern(
        r"\b(?:(?:thorough|rigorous|exhaustive|painstaking|fully checked)(?:ly)? (?:[\w,-]+ ){0,3}"
        r"(?:reports?|reviews?|analys[ei]s|overviews?|comparisons?|assessments?|evaluations?|investigations?|surveys?"
        r"|dossiers?|stud(?:y|ies)|compare|analy[sz]e|assess|evaluate|examine|investigate)"
        r"|(?:compare|analy[sz]e|assess|evaluate|examine|investigate|report|review) .{1,200} "
        r"(?:thoroughly|rigorously|exhaustively)"
        r"|due[ -]diligence)\b"
    ),
    broad=_pattern(
        r"\b(?:reports?|overviews?|survey|surveys|review|reviews|summar(?:y|ise|ize)|compar(?:e|es|ed|ing|ison|isons)"
        r"|anal(?:yse|yze|ysis|yses)|comprehensive|in depth|detailed|landscape|state of the art|sections?|market"
        r"|differences?|advantages?|trade-?offs?|pros and cons|versus|vs)\b"
    ),
    fact=_pattern(
        r"^\W*(?:who|when|where|(?:in )?(?:which|what) (?:year|month|day|date|city|country|version|port)"
        r"|how (?:many|much|old|long|tall|far|high|large|big|heavy|fast)"
        r"|what (?:is|was|are|were) (?:the |its )?(?:\w+ )?(?:name|number|date|year|capital|population|price|size"
        r"|version|default|maximum|minimum|limit|length|height|weight|author|address|value|unit|symbol|abbreviation"
        r"|licen[cs]e|port))\b"
    ),
)
GERMAN: Final = Words(
    defines=_pattern(
        r"^\W*(?:was (?:ist|sind|war|bedeutet|bedeuten|heißt)|erkläre?|definiere)\s+"
        r"(?:eine?[nmrs]? |der |die |das |den )?(?P<what>(?:[\w-]+ ){0,3}[\w-]+?)\W*$"
    ),
    pooled=_pattern(
        r"\b(?:meta-?analysen?|metaanalytisch\w*|gepoolte[nrsm]? \w+|effekt(?:stärken?|größen?)"
        r"|fasse (?:die |alle )?(?:zahlen|ergebnisse|effekte) .{1,200}\bstudien .{0,100}zusammen"
        r"|wie (?:groß|stark) ist (?:der|die) (?:effekt|wirkung) .{1,200}\b(?:studien|versuchen))\b"
    ),
    studies=_pattern(
        r"\b(?:(?:literatur|studien)(?:übersicht(?:en)?|überblick|recherche)"
        r"|systematische[nrs]? (?:übersicht(?:sarbeit)?(?:en)?|literatur\w*|review)"
        r"|überblick über (?:die )?(?:literatur|studien\w*)|stand der studien|scoping[ -]review)\b"
    ),
    causes=_pattern(
        r"\b(?:hypothesen?|(?:grund)?ursachen(?:forschung|analyse|suche)|finde heraus,? (?:warum|wieso|weshalb|woran)"
        r"|untersuche,? (?:warum|wieso|weshalb|woran|was)"
        r"|(?:mögliche|denkbare|wahrscheinliche|konkurrierende|alternative)[nr]? (?:ursachen?|erklärungen?|gründe[n]?)"
        r"|welche (?:ursachen|erklärungen|gründe)|woran (?:könnte|kann|mag) (?:es|das) liegen"
        r"|was (?:könnte[n]?|kann|mag) .{0,200}\b(?:erklären|verursach\w+|die ursache|der grund|dahinter))\b"
    ),
    rigorous=_pattern(
        r"\b(?:(?:gründlich|erschöpfend|lückenlos|sorgfältig geprüft)(?:e[nrsm]?)? (?:[\w,-]+ ){0,3}"
        r"(?:bericht|analyse|überblick|übersicht|vergleich|bewertung|prüfung|gutachten|untersuchung|dossier|studie)"
        r"|(?:vergleiche?|analysiere|bewerte|prüfe|untersuche|beurteile) .{1,200} (?:gründlich|erschöpfend|lückenlos)"
        r"|due[ -]diligence(?:[ -](?:prüfung|bericht))?)\b"
    ),
    broad=_pattern(
        r"\b(?:berichte?|überblick|übersicht|vergleich(?:e|en|st|t)?|zusammenfassung|fasse .{1,200} zusammen"
        r"|analys(?:e|en|iere|ieren)|umfassend\w*|ausführlich\w*|detailliert\w*|stand der (?:technik|forschung)"
        r"|markt\w*|unterschiede?n?|unterscheide[nt]|vorteile?n?|nachteile?n?|vor- und nachteile"
        r"|gegenüber(?:stellung)?|versus|vs)\b"
    ),
    fact=_pattern(
        r"^\W*(?:wer|wann|wo|(?:in )?welche[nmrs]? (?:jahr|monat|tag|datum|stadt|land|version|port)"
        r"|wie (?:viele?|alt|lange?|groß|weit|hoch|schwer|schnell|teuer|heißt|heißen|lautet)"
        r"|was (?:ist|war|sind|waren) (?:der |die |das )?(?:\w+ )?(?:name|zahl|anzahl|datum|jahr|hauptstadt"
        r"|einwohnerzahl|preis|größe|version|standardwert|höchstwert|mindestwert|grenze|länge|höhe|gewicht|autor"
        r"|adresse|wert|einheit|symbol|abkürzung|lizenz|port))\b"
    ),
)
LANGUAGES: Final[Mapping[str, Words]] = {"en": ENGLISH, "de": GERMAN}
"""By ISO 639-1 code."""
