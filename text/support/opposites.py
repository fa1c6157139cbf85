"""Words that exclude one another, by which two sentences of the same words say different things.

Each line of a table, or part of it up to a semicolon, is of one language: words or beginnings of words that mean one
thing, and behind a bar those of what it excludes. `higher` and `lower`, `left` and `right`, `Monday` and `Tuesday`;
`unsafe` excludes `safe` by its first syllable, and `hypertension` hypotension. A negation in one sentence and an
opposite word in the other cancel out.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

_QUANTIFIERS: Final = """
all. every. each. | most. majority | some. several | few.
alle. allen. aller. sämtlich jede | meisten mehrheit | einige. | wenige.
tous. toutes. chaque | plupart majorité | certain. certains. certaines. quelques. | peu.
todo. todos. todas. toda. cada. | mayoría maioria | algun algún | pocos. pocas. poucos. poucas.
tutti. tutte. ogni. | maggioranza | alcun | poch
"""
_EXCLUSIVE: Final = """
increas rais rise. rises rising risen rose. grew. grow. grows growing growth greater higher gain. gains gained gaining
 expand exceed accelerat climb surg larger bigger | decreas reduc lower fell. fall. falls falling fallen declin drop
 dropped drops dropping loss shrink shrank slow slower diminish cut. cuts smaller shrunk
stieg steig gestiegen erhöh höher wuchs wachs gewachsen zunahm zugenommen zunahme größer | sank. sanken sink gesunken
 senk gesenkt verring niedriger abnahm abgenommen kürz gekürzt reduz gefallen fiel. fielen kleiner
augment hauss accru croiss supérieur élevé | baiss diminu rédui recul inférieur faible
aument subi crec mayor. mayores superior | baj dismin reduj reduc menor. menores cayó. cayeron inferior
aument cresc sali. salì. salit maggior superior | diminu ridott ridu. riduc minor. minori scese. calat inferior
aument subiu. subiram cresc maior. maiores superior | diminu reduz caiu. caíram menor. menores inferior
stijg steeg. stegen gestegen toenam toegenomen hoger groei groter | daal gedaald verminder lager kleiner
more. | less. fewer.; mehr. | weniger.; plus. | moins.; más. mais. | menos.; più. | meno.; meer. | minder.
improv better. benefi | worse. worsen harm deteriorat; besser. verbess | schlecht verschlecht
amélior meilleur mieux. | pire. aggrav détérior empir; mejor | peor. empeor; miglior melhor | peggior pior.
before. prior. | after. following. afterwards; vor. bevor. | nach. nachdem.; avant. | après.
antes. | después. depois.; prima. | dopo.; faster quicker quick rapid accelerat | slow slower; schnell | langsam
rapide vite. | lent. lente. lents. lentes. lentement; rápid | lent. lenta. lento. lentos. lentas.
deep. deeper deepest | shallow; quiet | loud noisy noisier; long. longer longest | short. shorter shortest
heavy heavier heaviest | light. lighter lightest; warm warmer hot. hotter | cold. colder cool. cooler
strong. stronger strongest | weak. weaker weakest; rich. richer richest wealth | poor. poorer poorest
wide. wider widest broad | narrow; advanc | retreat recede
daily. | weekly. | fortnightly. | monthly. | quarterly. | annually. yearly.
täglich | wöchentlich | monatlich | vierteljährlich | jährlich
quotidien | hebdomadaire | mensuel | trimestriel | annuel; tenant tenants. lessee | landlord lessor
buyer purchaser | seller vendor; plaintiff claimant | defendant respondent; creditor lender | debtor borrower
employer. employers. | employee. employees.; mieter | vermieter; käufer | verkäufer; locataire | propriétaire bailleur
вырос возрос увелич повыс поднял рост. | снизи упал сокра уменьш пониз; больше. более. | меньше. менее.; до. | после.
мужчин | женщин; artt\u0131 art\u0131ş yükse çoğal | azal düştü gerile; önce. öncesinde. | sonra. sonras\u0131nda.
kad\u0131n | erkek; wet. wetter moist | dry. drier; early. earlier | late. later; kalt. kälter | warm. wärmer heiß
lang. länger | kurz. kürzer; reich. reicher | arm. arme. armen. ärmer
north | south | east. eastern eastward | west. western westward
nord | süd | ost. osten östlich | west. westen westlich; nord | sud. | ouest; norte. | sur. | oriental | occidental
nord | sud. meridional | orientale | occidentale; norte. | sul. | leste. | oeste.; noord | zuid | oost | west
left. | right.; link linke linken linker | recht rechte rechten rechter rechts
gauche | droit. droite. droits. droites.; izquierd esquerd | derech direit; sinistr | destr
men. man. male. males. boys. | women. woman. female girls.; männ mann. | frau weiblich; homme masculin | femme féminin
hombre. hombres. varon varón masculin | mujer femenin; uomini uomo. maschi | donne. donna. femmin
homem. homens. masculin | mulher feminin; mannen. man. mannelijk | vrouw
child. children minor. minors. pediatr paediatr | adult; kind. kinder kindern. | erwachsen; enfant | adulte
niño niña | adulto; bambin crianç | adult; younger young. | older elderly; jünger junge. jungen. | älter alte. alten.
matern mother | patern father; always. | sometimes. | rarely. seldom.; first. | second. | third. | fourth. | last.
erste ersten erster | zweite zweiten zweiter | dritte dritten dritter | letzte
premier première | deuxième second seconde | troisième | dernier dernière
primer primera primero | segund | tercer tercera | últim; positiv positif | negativ négatif negatif
allow permit authoriz authoris legaliz | forbid forbade prohibit ban. bans banned outlaw disallow
erlaub gestatte | verbiete verbot verboten; autoris permet permis | interdi
permit permiti autoriz | prohíb prohib proíb; permess permett consent | vieta
win. wins won. winning | lose. loses lost. losing; gewann gewonnen gewinn siegt | verlor verlier; gagn rempor | perd
ganó. ganar ganaron venci | perdió. perder perdieron; support confirm | refut contradict reject
succeed success | fail failur; bought. buy. buys purchas acquir | sold. sell. sells
kauft. kaufte kauften gekauft erwarb | verkauf; achet achèt acqui | vend; compr | vend
start began. begin begun launch | end. ended ends ending finish stopp ceas
begann. begannen beginn startet gestartet | endet beendet beend; commenc début | termin fini achev
empez empiez comenz comienz inici | termin acab finaliz; open. opens opened | clos
rare. rarely rarer uncommon | common. commonly frequent often; selten | häufig oft.
rare. rares. rarement | fréquent courant; rara. raro. raras. raros. raramente | frecuent común comunes frequent comun
mild. milder mildly slight | severe severely serious; leicht. leichte leichten | schwer
léger. légère légers bénin | grave. graves. sévère; leve. leves. | grave. graves. sever; healthy | diseased sick. ill.
gesund | krank; sain. saine. sains. saines. | malade; rural | urban; ländlich | städtisch; rural | urbain urban
import. imports. imported importing importation einfuhr | export. exports. exported exporting exportation ausfuhr
import. importe. importen. | export. exporte. exporten.; importation | exportation
importacion importación importaç | exportacion exportación exportaç; systol sistól sistol | diastol diastól
public. publicly | private. privately; domestic | foreign. overseas; inside. indoor | outside. outdoor
internal | external; upper. | lower.; above. | below.; minim mínim | maxim máxim massim
diari | semanal | mensual mensal | trimestral | anual; giornalier | settimanal | mensil | annual annuo. annui.
fixed. | variable. floating.; dismiss | upheld uphold allowed. granted.; present. | absent.
includ | exclud except. excepting.; einschließlich inklusive | ausgenommen außer. ausschließlich
compris. inclus | sauf. excepté hormis. exclu; incluid incluso. | salvo. excepto. exclui
compres inclus | tranne. eccetto. esclus; inclusief | behalve. uitgezonderd exclusief; acute. acutely | chronic
benign | malign; proximal | distal; anterior | posterior; ventral | dorsal; prospective | retrospective
dominant | recessive; agonist | antagonist; activat stimulat promot | inhibit suppress block; summer | winter
sommer | winter; été. | hiver; verano | invierno; day. daytime | night; birth born. | death die. died dies
accept approv adopt passed. | reject refus; active. actively | passive; oral. orally | intraven subcutan intramuscul
new. newer newest | old. oldest; monday | tuesday | wednesday | thursday | friday | saturday | sunday
montag | dienstag | mittwoch | donnerstag | freitag | samstag | sonntag
lundi. | mardi. | mercredi. | jeudi. | vendredi. | samedi. | dimanche.
lunes. | martes. | miércoles. | jueves. | viernes. | sábado | domingo
lunedì | martedì | mercoledì | giovedì | venerdì | sabato | domenica
segunda-feira | terça-feira | quarta-feira | quinta-feira | sexta-feira | sábado | domingo
january. | february. | march. | april. | may. | june. | july. | august. | september. | october. | november. |
 december.
januar. | februar. | märz. | april. | mai. | juni. | juli. | august. | september. | oktober. | november. | dezember.
"""
"""A word with a point is whole; others are beginnings."""
_PREFIXES: Final = (
    *(("hyper", "hypo"), ("intra", "extra"), ("pre", "post"), ("over", "under"), ("mono", "poly"), ("mono", "bi")),
    *(("homo", "hetero"), ("endo", "exo"), ("inter", "intra"), ("micro", "macro"), ("pro", "anti"), ("hiper", "hipo")),
    *(("iper", "ipo"), ("über", "unter"), ("uni", "multi"), ("bi", "uni"), ("prä", "post"), ("pré", "pós")),
)
_UNDOING: Final = ("un", "in", "im", "ir", "il", "non", "dis", "anti", "dés", "des", "on", "nicht")
_LEAST_STEM: Final = 4
_CAPITAL_ONLY: Final = frozenset({"may", "march", "mai"})
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_NEGATIONS: Final = re.compile(
    r"(?<![\w-])(?:no|not|cannot|never|none|neither|nor|without|nobody|nothing|hardly|barely|\w+n['\u2019]t"
    r"|nicht|nie|niemals|kein\w*|ohne|weder|pas|jamais|aucune?s?|aucun|rien|sans|sin|nunca|jamás|ning[uú]n\w*|tampoco"
    r"|non|mai|nessun\w*|senza|não|nenhum\w*|sem|niet|nooit|geen|zonder)(?![\w-])",
    re.IGNORECASE,
)


@cache
def _load_members() -> dict[str, tuple[tuple[int, int], ...]]:
    """Words, with a point, and beginnings of words, with the line and the place in it of each."""
    lines = re.split("[;\n]", (_QUANTIFIERS.strip() + _EXCLUSIVE.rstrip()).replace("\n ", " "))
    known: dict[str, tuple[tuple[int, int], ...]] = {}
    for line, members in enumerate(lines):
        for place, member in enumerate(members.split("|")):
            for word in member.split():
                known[word] = (*known.get(word, ()), (line, place))
    return known


def _find_members(word: str) -> Iterator[tuple[int, int]]:
    known, plain = _load_members(), word.casefold()
    if plain in _CAPITAL_ONLY and not word[0].isupper():
        return
    yield from known.get(f"{plain}.", ())
    for length in range(3, len(plain) + 1):
        yield from known.get(plain[:length], ())


def find_meaning(word: str) -> str | None:
    """The same for words that exclude one another; empty for one that says how many or denies; None: any other."""
    line = min((line for line, _ in _find_members(word)), default=None)
    if is_negated(word) or (line is not None and line < len(_QUANTIFIERS.strip().split("\n"))):
        return ""
    return None if line is None else f"line {line}"


def is_negated(text: str) -> bool:
    """Whether a text has a word that denies."""
    return _NEGATIONS.search(text) is not None


def count_opposites(text: str, other: str) -> int:
    """Count the words of one text for which the other has one that excludes it, and no word of the same meaning."""
    words, others = _WORD.findall(text), _WORD.findall(other)
    here, there = _group_members(words), _group_members(others)
    lines = {line for line, places in here.items() if line in there and not places & there[line]}
    own, their = {word.casefold() for word in words}, {word.casefold() for word in others}
    turned = {word.casefold() for word in words if any(line in lines for line, _ in _find_members(word))}
    return len(turned | {word for word in own - their if _has_turned_prefix(word, their - own)})


def _group_members(words: list[str]) -> dict[int, set[int]]:
    grouped: dict[int, set[int]] = {}
    for word in words:
        for line, place in _find_members(word):
            grouped.setdefault(line, set()).add(place)
    return grouped


def _has_turned_prefix(word: str, others: set[str]) -> bool:
    """Whether one of the others is the word with a prefix of the opposite meaning: `unsafe`, `hypotension`."""
    for one, two in (*_PREFIXES, *((undoing, "") for undoing in _UNDOING)):
        for prefix, opposite in ((one, two), (two, one)):
            rest = word.removeprefix(prefix).removeprefix("-")
            if len(rest) < _LEAST_STEM or not word.startswith(prefix):
                continue
            if opposite + rest in others or (not prefix and f"{opposite}-{rest}" in others):
                return True
    return False
