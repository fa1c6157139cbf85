"""Stop words: the one list, in two parts, because what tells nothing in a question may be what a text is about.

A search leaves out `STOP_WORDS` alone. Who weighs words, as the extractive model does, leaves out `WEIGHTLESS`: that
holds words people ask with as well. Were these left out of searches, `data types` would search for `data`.
"""

from typing import Final

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
"""What nearly every question or order has."""
_MORE_FUNCTION_WORDS: Final = """
across against almost along already although always among another anyone anything around away back became behind
enough even indeed instead least less much near never nobody none nothing often onto others otherwise perhaps several
since somehow something still though throughout thus together toward unless well whatever whenever whoever whole
"""
"""Some of them are nouns as well: `back`, `well`."""
_QUESTION_WORDS: Final = """
advantage advantages aspect aspects best better briefly come compare comparison detail details differ difference
differences different differs discuss exactly example examples find give given go good happen happens help important
kind kinds know known list main make makes making matter mean means missing need needed needs offer offers overview
possible provide provides question reason reasons say show summarise summarize summary tell thing things topic try
type types understand useful user users versus vs want way ways work working works write
"""
"""What people ask with rather than about. In a text they are everywhere and tell nothing."""

STOP_WORDS: Final = frozenset(f"{_FUNCTION_WORDS} {_CONTRACTIONS} {_ORDERS}".split())
"""Words that tell nothing wherever they stand."""

WEIGHTLESS: Final = STOP_WORDS.union(_MORE_FUNCTION_WORDS.split(), _QUESTION_WORDS.split())
"""Words that neither a question nor the fit of a text to it is measured by."""
