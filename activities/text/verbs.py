"""English verbs with a past that no stemmer resolves: `paid` is a form of `pay`, and texts about the past use it.

They are facts of the language. Left out are forms that are as often another word (`found`, `left`, `saw`, `rose`,
`led`, `fed`, `bit`, `lit`, `sat`, `ground`, `bore`, `lay`, `bound`, `wound`, `meant`, `read`, `smelt`, `spelt`,
`shot`, `drunk`), those
of words that tell nothing (`gave`, `went`), and those that are written alike in all forms (`cut`).
"""

from collections.abc import Mapping
from typing import Final

_VERBS: Final = """
arise arose arisen, awake awoke awoken, begin began begun, bend bent, bite bitten, bleed bled, blow blew blown,
break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen,
cling clung, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank, drive drove driven,
eat ate eaten, fall fell fallen, feel felt, fight fought, flee fled, fling flung, fly flew flown,
forbid forbade forbidden, foresee foresaw foreseen, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt,
lean leant, leap leapt, learn learnt, lend lent, lose lost, meet met, mislead misled,
mistake mistook mistaken, outgrow outgrew outgrown, overcome overcame, oversee oversaw overseen,
overtake overtook overtaken, overthrow overthrew overthrown, pay paid, prove proven, rebuild rebuilt, repay repaid,
resell resold, rewrite rewrote rewritten, ride rode ridden, ring rang, rise risen, run ran, see seen, seek sought,
sell sold, send sent, shake shook shaken, shine shone, shrink shrank shrunk, sing sang sung,
sink sank sunk, sleep slept, slide slid, speak spoke spoken, speed sped, spend spent, spill spilt,
spin spun, spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, sting stung, stink stank,
strike struck stricken, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum,
swing swung, take took taken, teach taught, tear tore torn, think thought, throw threw thrown,
undergo underwent undergone, undertake undertook undertaken, undo undid undone, uphold upheld, wake woke woken,
wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn, withhold withheld,
withstand withstood, write wrote written
"""

_FORMS: Final[Mapping[str, tuple[str, ...]]] = {verb.split()[0]: tuple(verb.split()) for verb in _VERBS.split(",")}
BASE: Final[Mapping[str, str]] = {form: base for base, forms in _FORMS.items() for form in forms[1:]}
"""The base form of each past form, both in lower case."""


def past_forms(base: str) -> tuple[str, ...]:
    """The past forms of an English verb that no stemmer leads back to `base`, its base form in lower case."""
    return _FORMS.get(base, (base,))[1:]
