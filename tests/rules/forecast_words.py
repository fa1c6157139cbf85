"""The words with which forecasts are asked for, in four languages: without accents, in lower case, as patterns."""

from dataclasses import dataclass
from typing import Final

from elcano.subjects.data.forecast_models import Span


@dataclass(frozen=True)
class Words:
    """Of one language. Each pattern stands for whole words."""

    asks: str
    """What nobody says who does not mean a forecast."""
    future: str
    """Questions of an amount in the future; they count only together with a time that is to come."""
    next: str
    """Before a time that is to come."""
    coming: str
    """Behind it; empty: nothing."""
    past: str
    """Before, or behind, a time that is over."""
    until: str
    """Before the end of the forecast."""
    spans: dict[str, Span]
    numbers: tuple[str, ...]
    """From one on; several forms of one are divided by `|`."""
    months: tuple[str, ...]


ENGLISH: Final = Words(
    asks=r"forecast(?:s|ed|ing)?|predict(?:s|ed|ing|ions?)?|projections?|projected|extrapolat(?:e[sd]?|ing|ions?)",
    future=r"what will|what would|how (?:much|many|high|large|big)\b.*? will|how will",
    next=r"next|coming|upcoming|following",
    coming=r"ahead|to come|from now|into the future",
    past=r"last|past|previous|ago|since|earlier",
    until=r"until|till|through|up to|to|by|for|in|of",
    spans={
        r"years?": "years",
        r"quarters?": "quarters",
        r"months?": "months",
        r"weeks?": "weeks",
        r"days?": "days",
        r"hours?": "hours",
    },
    numbers=("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    months=(
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ),
)
GERMAN: Final = Words(
    asks=r"(?:umsatz|absatz|verkaufs|bedarfs|nachfrage)?(?:prognosen?|vorhersagen?)|prognostizier\w*|vorhersag\w*"
    r"|sage\b.*\bvoraus|vorauss\w*|hochrechn\w*|rechne\b.*\bhoch|extrapolier\w*|extrapolation",
    future=r"wie (?:viele?|hoch|gross)\b.*? (?:wird|werden)|wie (?:wird|werden|entwickel\w+)|was wird",
    next=r"(?:nachst|naechst|kommend|folgend)(?:e[nrsm]?)",
    coming=r"im voraus|voraus",
    past=r"(?:letzt|vergangen|vorig)e[nrsm]?|vor|seit",
    until=r"bis(?: zum)?(?: ende| einschliesslich)?|fur|fuer|im jahr|in|im",
    spans={
        r"jahre?[ns]?": "years",
        r"quartale?[ns]?": "quarters",
        r"monate?[ns]?": "months",
        r"wochen?": "weeks",
        r"tage?[ns]?": "days",
        r"stunden?": "hours",
    },
    numbers=(
        "eine?[nsmr]?",
        "zwei",
        "drei",
        "vier",
        "funf|fuenf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwolf|zwoelf",
    ),
    months=(
        "januar",
        "februar",
        "marz|maerz",
        "april",
        "mai",
        "juni",
        "juli",
        "august",
        "september",
        "oktober",
        "november",
        "dezember",
    ),
)
SPANISH: Final = Words(
    asks=r"pronostic\w*|prediccion(?:es)?|predec\w*|predice|prediga|proyeccion(?:es)?|proyecta\w*|prevision(?:es)?"
    r"|preve|prever|extrapol\w*",
    future=r"(?:cuant[oa]s?|como|cual|que)\b.*?\w+r(?:a|an|emos)",
    next=r"proxim[oa]s?|siguientes?",
    coming=r"proxim[oa]s?|siguientes?|que viene[n]?|por delante",
    past=r"ultim[oa]s?|pasad[oa]s?|anterior(?:es)?|desde|hace",
    until=r"hasta(?: fin(?:ales)? de| el final de)?|para|en|de",
    spans={
        r"anos?": "years",
        r"trimestres?": "quarters",
        r"mes(?:es)?": "months",
        r"semanas?": "weeks",
        r"dias?": "days",
        r"horas?": "hours",
    },
    numbers=("un[oa]?", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce"),
    months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre|setiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
)
FRENCH: Final = Words(
    asks=r"previsions?|previsionnel(?:le)?s?|prevoi\w*|prevoyez|prevoyons|predictions?|predi(?:re|s|t|sez|sons)"
    r"|projections?|projete[es]*|pronosti\w*|extrapol\w*",
    future=r"(?:combien|comment|quel(?:le)?s?)\b.*?\w+r(?:a|ont|ons)",
    next=r"prochaine?s?",
    coming=r"prochaine?s?|a venir|suivante?s?",
    past=r"derni(?:er|ere)s?|passe[es]*|precedente?s?|depuis|il y a",
    until=r"jusqu(?:'| )?(?:en|a|au)(?: la)?(?: fin(?: de)?)?|d(?:'| )ici(?: a)?(?: la)?(?: fin(?: de)?)?|pour|en|de",
    spans={
        r"ans?|annees?": "years",
        r"trimestres?": "quarters",
        r"mois": "months",
        r"semaines?": "weeks",
        r"jours?": "days",
        r"heures?": "hours",
    },
    numbers=("une?", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
    months=(
        "janvier",
        "fevrier",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "aout",
        "septembre",
        "octobre",
        "novembre",
        "decembre",
    ),
)
LANGUAGES: Final = (ENGLISH, GERMAN, SPANISH, FRENCH)
