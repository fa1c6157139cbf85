"""How long PubMed's XML takes to become evidence: 1,000 articles, made up here, with all that real ones have.

An article is some 11 KB, more than most: a structured abstract with marks in it, eight authors with two affiliations
each, subject headings, a notice now and then, and thirty references with ids of their own. Counted is the time of the
processor, so that what else the machine does changes it less.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from typing import Final
from xml.etree.ElementTree import fromstring

from benchmarks.bench import Bench
from elcano.subjects.literature.pubmed import parse_pubmed_records
from elcano.subjects.literature.work_records import build_stored_record
from elcano.subjects.literature.xml import parse_xml_root

_WORDS: Final = [
    "randomised",
    "patients",
    "treatment",
    "placebo",
    "outcome",
    "mortality",
    "significant",
    "increased",
    "cohort",
    "dose",
    "clinical",
    "response",
    "baseline",
    "infection",
    "receptor",
    "tumour",
    "therapy",
    "weeks",
    "follow-up",
    "survival",
    "analysis",
    "ratio",
    "confidence",
    "interval",
    "risk",
]
_AUTHOR: Final = (
    '<Author ValidYN="Y"><LastName>Family{0}</LastName><ForeName>Given {0}</ForeName><Initials>G</Initials>'
    "<AffiliationInfo><Affiliation>Department of Medicine, University of Nowhere.</Affiliation></AffiliationInfo>"
    "<AffiliationInfo><Affiliation>Institute of Made-up Statistics, Nowhere.</Affiliation></AffiliationInfo></Author>"
)
_HEADING: Final = (
    '<MeshHeading><DescriptorName UI="D000001" MajorTopicYN="N">{}</DescriptorName>'
    '<QualifierName UI="Q000001" MajorTopicYN="Y">therapy</QualifierName></MeshHeading>'
)
_REFERENCE: Final = (
    '<Reference><Citation>Journal of Nothing. {0}</Citation><ArticleIdList><ArticleId IdType="doi">10.1000/ref.{0}'
    "</ArticleId></ArticleIdList></Reference>"
)
_JOURNAL: Final = (
    "<Journal><JournalIssue><Volume>1</Volume><Issue>2</Issue><PubDate><Year>2024</Year><Month>May</Month></PubDate>"
    "</JournalIssue><Title>Journal of Nothing</Title></Journal>"
)
_TYPES: Final = (
    "<PublicationTypeList><PublicationType>Journal Article</PublicationType>"
    "<PublicationType>Randomized Controlled Trial</PublicationType></PublicationTypeList>"
)
_NOTICE: Final = (
    '<CommentsCorrectionsList><CommentsCorrections RefType="ErratumIn"><RefSource>J Nothing. 2024;1:1</RefSource>'
    "</CommentsCorrections></CommentsCorrectionsList>"
)
_LABELS: Final = ("BACKGROUND", "METHODS", "RESULTS", "CONCLUSIONS")


def article_set(articles: int, seed: int = 1) -> bytes:
    """A `PubmedArticleSet` of so many made-up articles; the same for the same seed."""
    chance = random.Random(seed)
    inner = "".join(_article(chance, number) for number in range(1, articles + 1))
    return f'<?xml version="1.0" ?><PubmedArticleSet>{inner}</PubmedArticleSet>'.encode()


def _sentence(chance: random.Random) -> str:
    said = " ".join(chance.choices(_WORDS, k=20))
    return f"{said.capitalize()} (<i>p</i> &lt; 0.0{chance.randint(1, 5)}; 10<sup>{chance.randint(2, 9)}</sup> cells)."


def _article(chance: random.Random, number: int) -> str:
    parts = "".join(
        f'<AbstractText Label="{label}">{" ".join(_sentence(chance) for _ in range(3))}</AbstractText>'
        for label in _LABELS
    )
    authors = "".join(_AUTHOR.format(at) for at in range(8))
    headings = "".join(_HEADING.format(word) for word in chance.sample(_WORDS, 10))
    references = "".join(_REFERENCE.format(at) for at in range(30))
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{number}</PMID><Article>{_JOURNAL}"
        f"<ArticleTitle>Work {number} on nothing.</ArticleTitle><Pagination><MedlinePgn>1-9</MedlinePgn></Pagination>"
        f"<Abstract>{parts}</Abstract><AuthorList>{authors}</AuthorList><Language>eng</Language>{_TYPES}</Article>"
        f"{_NOTICE if number % 20 == 0 else ''}<MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation>"
        f'<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/{number}</ArticleId></ArticleIdList>'
        f"<ReferenceList>{references}</ReferenceList></PubmedData></PubmedArticle>"
    )


def read(content: bytes) -> int:
    """How many articles in `content` become evidence."""
    root = parse_xml_root("pubmed", content, {"PubmedArticleSet"})
    kept = (build_stored_record("pubmed", record, 0.0) for _, record in parse_pubmed_records(root))
    return sum(one is not None for one in kept)


def only_parsed(content: bytes) -> int:
    """How many articles are in `content`, without making evidence of them."""
    return sum(1 for _ in parse_pubmed_records(parse_xml_root("pubmed", content, {"PubmedArticleSet"})))


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The processor's time of the least disturbed of several rounds."""
    taken = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


async def main(bench: Bench) -> None:
    """Tells how many times as long as the plain parsing of the XML it takes."""
    articles, rounds = bench.choose(1_000, 20), bench.choose(5, 1)
    content = article_set(articles)
    plain = seconds(lambda: fromstring(content), rounds)
    records, kept = (seconds(partial(work, content), rounds) for work in (only_parsed, read))
    bench.say(
        f"{articles} articles of {len(content) / articles / 1_000:.1f} kB: records {records:.2f} s, kept {kept:.2f} s"
    )
    bench.tell("records / plain parsing", records / plain)
    bench.tell("kept / plain parsing", kept / plain)
