"""Words: the one tokenizer, for searching, weighing and comparing alike.

A word is a run of letters and digits of any script, with the marks that belong to them, in lower case and in NFC (as
documents are stored; NFKC would turn 10² into 102). `CO₂` is `co2`, and an exponent is a word of its own. `whale's` is
`whale`, `isn't` is one word, and anything else that is no letter or digit parts words, as it does in the full-text
index.

Scripts that do not part their words by spaces, or whose particles cling to them, are taken apart into pairs of signs: a
text that holds the same pairs holds the same words most of the time. A sign is a character, or in Thai, Lao, Khmer and
Burmese a character with its marks. Of a question only those pairs count that may tell something: it is cut first at
particles and question words, so that no pair reaches from a word into a particle.

Exponents and indices have one notation, whatever the source: digits and signs become superscripts and subscripts of
Unicode (2⁶⁴, CO₂, 10⁻³), because run together with what is before them they would be other numbers. A raised
expression that Unicode cannot write is put in brackets, `2^(n+1)`. Lowered words stay as they are (Cmax): they say the
same either way.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Final

import regex

from elcano.graphs.text import shorten_text
from elcano.text.abbreviations import MARK_ALONE, ends_sentence, mend_closing_ends
from elcano.text.languages import text_language

_CHARACTERS: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA: Final = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL: Final = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_MARKED: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u104a-\u109f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer."""
_RUN: Final = regex.compile(f"[{_CHARACTERS}{_KANA}]+|[{_HANGUL}]+|[{_MARKED}]+")
_IS_KANA: Final = regex.compile(f"[{_KANA}]")
_IS_HANGUL: Final = regex.compile(f"[{_HANGUL}]")
_SIGN: Final = regex.compile(rf"[{_MARKED}]\p{{M}}*|.")

_CHINESE: Final = regex.compile(
    "为什么|什么样|什么时候|什么|多少|怎么样|怎么办|怎么|怎样|如何|哪个|哪些|哪里|哪儿|哪一|哪|谁|何时|何处|何地|是否|能否|"
    "可否|有没有|多久|有多|几个|请问|以及|或者|还是|"
    "為什麼|什麼時候|什麼|怎麼樣|怎麼|誰|何時|[的了吗嗎呢吧是在与與被把及]"
)
"""Question words and particles; signs that begin or end common words (`和`, `对`, `有`) are none of them."""
_JAPANESE: Final = regex.compile(
    "ですか|ますか|でしたか|ましたか|何ですか|誰|何|いつ|どこ|どの|どれ|どう|なぜ|いくつ|いくら|について|[はをのがにでとも、か]|[\u3041-\u309f]{2,}"
)
"""Particles and question words; two hiragana and more are endings far oftener than words."""
_KOREAN: Final = regex.compile(
    "(?<=..)(?:에서는|에서|에게|으로|까지|부터|이란|인가요|입니까|습니까|[은는이가을를의에도로와과])$"
)
_KOREAN_ASKING: Final = regex.compile(
    "무엇(?:인가|인가요|입니까|을|이)?|누구(?:입니까|인가요?)?|누가|언제|어디(?:에|에서)?|어떤|어떻게|왜|몇|얼마나|그리고|또는|및|있는|하는|"
    "했는가|있습니까|했습니까|합니까|입니까|인가요?"
)
_THAI: Final = regex.compile(
    "อะไรบ้าง|อะไร|ใคร|ที่ไหน|เมื่อไหร่|เมื่อไร|เมื่อใด|เท่าไหร่|เท่าไร|เท่าใด|ทำไม|อย่างไร|ยังไง|ไหน|ใด|กี่|หรือไม่|หรือ|"
    "และ|ของ|ที่|ใน|เป็น|คือ|จาก|โดย|กับ|ได้"
)


def split_into_pairs(word: str) -> list[str]:
    """Split `word`, a run of letters and digits in lower case: unspaced script into pairs, the rest as it is."""
    if word.isascii() or _RUN.search(word) is None:
        return [word]
    found: list[str] = []
    last = 0
    for run in _RUN.finditer(word):
        found += [word[last : run.start()], *list_sign_pairs(run[0])]
        last = run.end()
    return [one for one in (*found, word[last:]) if one]


def split_question_word(word: str) -> list[str]:
    """The parts of a word of a question that may tell something, each for `split_into_pairs`; none if none does.

    A single sign tells nothing: texts have it as a part of pairs.
    """
    if word.isascii() or _RUN.search(word) is None:
        return [word]
    parts: list[str] = []
    last = 0
    for run in _RUN.finditer(word):
        parts += [word[last : run.start()], *_split_telling_parts(run[0])]
        last = run.end()
    return [one for one in (*parts, word[last:]) if one]


def space_out_pairs(text: str) -> str:
    """`text` for an index that parts words at spaces: runs of such scripts as their pairs, all else as it is."""
    if text.isascii():
        return text
    return str(_RUN.sub(lambda run: f" {' '.join(list_sign_pairs(run[0]))} ", text))


def is_unspaced(text: str) -> bool:
    """Whether there is such a script in `text`."""
    return not text.isascii() and _RUN.search(text) is not None


def rejoin_pairs(parts: Sequence[str]) -> list[str]:
    """`parts` for a reader: pairs of which one begins with the sign that the other ends with stand as one word."""
    joined: list[str] = []
    for part in parts:
        first, *rest = _SIGN.findall(part) or [""]
        if joined and rest and is_unspaced(part) and joined[-1].endswith(first):
            joined[-1] += "".join(rest)
        else:
            joined.append(part)
    return joined


def list_sign_pairs(run: str) -> list[str]:
    """The overlapping pairs of signs of a run in one such script; a single sign is itself."""
    signs: list[str] = _SIGN.findall(run)
    if len(signs) < 2:
        return [run]
    return [signs[at] + signs[at + 1] for at in range(len(signs) - 1)]


def _split_telling_parts(run: str) -> list[str]:
    if _IS_HANGUL.match(run):
        return [] if _KOREAN_ASKING.fullmatch(run) else [_KOREAN.sub("", run)]
    particles = _THAI if run < "\u3000" else _JAPANESE if _IS_KANA.search(run) else _CHINESE
    parts = [part for part in particles.split(run) if part]
    if longer := [part for part in parts if len(_SIGN.findall(part)) > 1]:
        return longer
    # Words of one sign alone: each with the particle behind it, as texts have them too.
    ends = [found.start() for found in particles.finditer(run) if found.start()]
    return [run[end - 1 : end + 1] for end in ends if run[end - 1] in parts]


_WORD: Final = regex.compile(
    r"([\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:'(?:d|ll|m|re|t|ve)(?![\p{L}\p{N}]))?+)(?:'s(?![\p{L}\p{N}]))?"
)
_TYPESET_APOSTROPHE: Final = "\u2019"


def split_words(text: str) -> list[str]:
    """The words of `text`, in order, repeated as often as they occur."""
    found = _find_word_runs(text)
    return [part for word in found for part in split_into_pairs(word)] if is_unspaced(text) else found


def asked_words(text: str, left_out: Collection[str] = ()) -> list[str]:
    """The words of a question or a query without those `left_out`, and without pairs of signs that tell nothing."""
    found = [word for word in _find_word_runs(text) if word not in left_out]
    if not is_unspaced(text):
        return found
    return [
        pair
        for word in found
        for part in split_question_word(word)
        for pair in split_into_pairs(part)
        if pair not in left_out
    ]


def _find_word_runs(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", flatten_exponents(text)).replace(_TYPESET_APOSTROPHE, "'").lower()
    found: list[str] = _WORD.findall(plain)
    return found


def on_one_line(text: str) -> str:
    """`text` with a single space for each stretch of white space in it, and none around it."""
    return " ".join(text.split())


def bare_words(text: str) -> str:
    """The words of `text` alone, parted by spaces and in one case, as texts are compared that say the same."""
    return re.sub(r"\W+", " ", text).strip().casefold()


LONGEST: Final = 60
"""Longer raised or lowered text is no exponent, it is text in small type."""

_SUPERSCRIPTS: Final = dict(zip("0123456789+-\u2212\u2013=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ", strict=True))
_SUPERSCRIPT_LETTERS: Final = dict(zip("abcdefghijklmnoprstuvwxyzT", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ", strict=True))
_SUBSCRIPTS: Final = dict(zip("0123456789+-\u2212\u2013=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", strict=True))
_SUBSCRIPT_LETTERS: Final = dict(zip("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_LOWERING: Final = str.maketrans(_SUBSCRIPTS)
_MARK: Final = re.compile(r"st|nd|rd|th|er|re|[eè]me|TM|SM|\[.*\]|[^\w+\-\u2212]*", re.IGNORECASE)
"""Superscripts that are no exponents: the ends of ordinal numbers, trademarks, notes in brackets, stars."""

_RAISED_RUN: Final = re.compile(r"[⁺⁻]?[⁰¹²³⁴-⁹]+")
_INDEX: Final = re.compile(r"(?<=[^\W\d_])[₀-₉]+(?!\d)")
_DIGITS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁺⁻", "01234567890123456789+-")


def raise_text(text: str) -> str:
    """`text`, which is raised, as it is written on the line; the space around it stays."""
    core = text.strip()
    if not core or len(core) > LONGEST or _MARK.fullmatch(core):
        return text
    if core in _SUPERSCRIPT_LETTERS:
        written = _SUPERSCRIPT_LETTERS[core]
    elif _SUPERSCRIPTS.keys() >= set(core):
        written = "".join(map(_SUPERSCRIPTS.__getitem__, core))
    else:
        written = f"^({core})"
    return text.replace(core, written, 1)


def lower_text(text: str) -> str:
    """`text`, which is lowered, as it is written on the line; the space around it stays."""
    core = text.strip()
    if not core or len(core) > LONGEST:
        return text
    return text.replace(core, _SUBSCRIPT_LETTERS.get(core) or core.translate(_LOWERING), 1)


def flatten_exponents(text: str) -> str:
    """`text` as it is searched: CO₂ is `CO2`, as people type it, and an exponent is a number of its own."""
    if text.isascii():
        return text
    flat = _INDEX.sub(lambda run: run[0].translate(_DIGITS), text)
    return _RAISED_RUN.sub(lambda run: f" {run[0].translate(_DIGITS)}", flat)


PIECE_CHARACTERS: Final = 10_000
"""Sentences are looked for in pieces of this size: the library takes the square of what it is given at once. A longer
paragraph is cut at a white space, where a sentence may then end too early."""


def sentence_ends(text: str, language: str = "") -> list[int]:
    """Find the ends of the sentences of `text`, in characters, white space behind included; the last is its length.

    Args:
        text: words on one line or several.
        language: its code, as `de` or `zh-Hans`; empty if it is not known: it is detected from the text then.

    Abbreviations and dates are those of the language: `bzw.` and `3. Oktober` end no sentence in German.
    """
    code = language.partition("-")[0].lower() or text_language(text)
    ends: list[int] = []
    begin = 0
    while begin < len(text):
        until = _find_piece_end(text, begin)
        ends += (begin + end for end in _segment_sentence_ends(code, text[begin:until]))
        begin = until
    return ends or [len(text)]


def _find_piece_end(text: str, begin: int) -> int:
    """Find the end of the piece that begins there: at a white space if there is one."""
    until = min(len(text), begin + PIECE_CHARACTERS)
    if until == len(text):
        return until
    space = max(text.rfind(one, begin + 1, until) for one in " \n")
    return space + 1 if space > begin else until


def _segment_sentence_ends(code: str, text: str) -> list[int]:
    from sentencex import segment  # loads the abbreviations of all its languages

    ends: list[int] = []
    place = 0
    for sentence in segment(code, text):
        found = text.find(sentence.strip(), place)
        if not sentence.strip() or found < 0:
            continue
        place = found + len(sentence.strip())
        while place < len(text) and text[place].isspace():
            place += 1
        ends.append(place)
    ends = [end for end in ends if end == len(text) or ends_sentence(code, text[:end], text[end : end + 20])]
    ends = mend_closing_ends(code, text, ends)
    ends = [end for begin, end in pairwise([0, *ends]) if not MARK_ALONE.fullmatch(text[begin:end])]
    if ends:
        ends[-1] = len(text)
    return ends or [len(text)]


def first_sentences(text: str, most: int) -> str:
    """The first whole sentences of `text` on one line, in at most `most` characters; of a longer one its beginning."""
    line = " ".join(text.split())
    fitting = [end for end in sentence_ends(line) if len(line[:end].rstrip()) <= most]
    return line[: fitting[-1]].rstrip() if fitting else shorten_text(line, most)
