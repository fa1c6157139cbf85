"""Classifies a site's response: a page, a PDF, one of the many ways to refuse, or something in place of a page.

A page that is rejected here is no failure of a search: the reason is reported, and nothing of the response is quoted.

Bot checks, paywalls, consent walls, bare scripts and pages that say "not found" often come with status 200. No single
word identifies one: an article on captchas, or one with a captcha below it, is an article. So a sign counts only on a
page with little text. The beginning of an article behind a paywall is text like any other; that the rest is missing is
a gap.
"""

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from elcano.activities.passages.document import FileSkipped
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceUnavailable

HTML: Final = ".html"
PDF: Final = ".pdf"
_SUFFIXES: Final = {
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "application/pdf": PDF,
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/x-rst": ".rst",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
}
"""Suffixes by the declared media type; other types are not read."""
_UNSAID: Final = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_REFUSALS: Final = {
    401: "it wants a login",
    402: "it wants to be paid",
    403: "it refuses robots, or wants a login",
    404: "there is no such page",
    407: "it wants a login",
    410: "the page is gone",
    451: "it is withheld for legal reasons",
}
_LATER: Final = {408, 425, 429}
_OF_PDF: Final = re.compile(r"\.pdf$|/doi/(?:e?pdf|pdfdirect)/|^/pdf/\d", re.IGNORECASE)
_PDF_MARK: Final = b"%PDF-"
_MARK_WITHIN: Final = 1_024
"""Number of bytes before its mark that PDF readers tolerate."""
_BOT_HEADERS: Final = (("cf-mitigated", "challenge"), ("x-amzn-waf-action", "captcha"), ("x-datadome", "protected"))


def detect_content_kind(answer: Answer, asked: str) -> str:
    """Return how to read the content: the suffix of its kind, such as `.html`.

    Args:
        answer: the response.
        asked: the requested address, before redirects.

    Raises:
        FileSkipped: it may not be quoted.
        SourceUnavailable: the site cannot answer now.
    """
    _require_status(answer)
    start = answer.content[:_MARK_WITHIN]
    if not answer.content.strip():
        raise FileSkipped("it is empty")
    if _PDF_MARK in start:
        return PDF
    declared = _read_declared_kind(answer, start)
    if declared == PDF:
        raise FileSkipped("it is called a PDF and is none")
    if declared == HTML and (_is_of_pdf(asked) or _is_of_pdf(answer.url)):
        raise FileSkipped("a web page came in place of a PDF")
    if declared == HTML and _leads_home(asked, answer.url):
        raise FileSkipped("its address leads to the front page of the site only")
    return declared


def _require_status(answer: Answer) -> None:
    if any(answer.headers.get(name, "").lower() == value for name, value in _BOT_HEADERS):
        raise FileSkipped("it asks whether a person is there (a bot check)")
    if answer.status in _LATER or answer.status >= 500:
        raise SourceUnavailable(f"it cannot answer now (HTTP {answer.status})")
    if answer.status in _REFUSALS:
        raise FileSkipped(f"{_REFUSALS[answer.status]} (HTTP {answer.status})")
    if answer.status != 200:
        raise FileSkipped(f"it is not answered (HTTP {answer.status})")


def _read_declared_kind(answer: Answer, start: bytes) -> str:
    media = answer.media_type
    if media in _UNSAID:
        return _sniff_content_kind(start)
    if media not in _SUFFIXES:
        raise FileSkipped(f"content of the kind {media[:80]!r} is not read")
    return _SUFFIXES[media]


def _sniff_content_kind(start: bytes) -> str:
    """Guess the kind of content that declares none."""
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html")) or b"<html" in head or b"<body" in head:
        return HTML
    raise FileSkipped("nothing says of what kind its content is")


def _is_of_pdf(url: str) -> bool:
    return _OF_PDF.search(urlsplit(url).path) is not None


def _leads_home(asked: str, url: str) -> bool:
    """Whether a requested page became the front page, as sites answer for pages that they no longer have."""
    before, after = urlsplit(asked), urlsplit(url)
    deep = before.path.strip("/").count("/") > 0 or bool(before.query)
    return deep and not after.path.strip("/") and not after.query


LEAST_CHARACTERS: Final = 100
"""Length of main text below which a page of more than `SMALL_MARKUP` is a frame that scripts fill."""
SMALL_MARKUP: Final = 2_000
"""Length of markup up to which a page is as small as it looks: the frame of an application is longer."""
FRAME_CHARACTERS: Final = 200
"""Length of main text up to which what is in the markup counts as well: short articles have forms with checks below."""
TEASER_LEAST_CHARACTERS: Final = 300
"""Length of main text from which on the beginning of an article behind a paywall is read; less is the prompt alone."""
LITTLE_CHARACTERS: Final = 1_500
"""Length of main text; a page with more is what it was meant to be, whatever else is on it."""
TEASER_CHARACTERS: Final = 4_000
"""Length of main text that a paywall shows of an article."""

_BOT_TITLE: Final = re.compile(
    r"just a moment|attention required!|are you a (?:robot|human)|robot check|pardon our interruption|access denied|"
    r"access to this page has been denied|verify(?:ing)? (?:that )?you(?:'| a)re (?:a )?(?:human|not a)|"
    r"checking your browser|ddos-guard|security (?:check|verification)|human verification|making sure you.re not a bot|"
    r"bot verification|unusual traffic|one more step|client challenge|request rejected",
    re.IGNORECASE,
)
_BOT_MARK: Final = re.compile(
    r"/cdn-cgi/challenge-platform/|cf-chl-|_incapsula_resource|captcha-delivery\.com|px-captcha|awswafcookie|"
    r"awswafintegration|challenges\.cloudflare\.com/turnstile|g-recaptcha|h-captcha|hcaptcha\.com|distil_r_captcha|"
    r"sec-if-cpt-container|within\.website/x/cmd/anubis|geetest|arkoselabs",
    re.IGNORECASE,
)
_BOT_WORDS: Final = re.compile(
    r"enable javascript and cookies to continue|prove (?:that )?you(?:'| a)re (?:a )?(?:human|not a robot)|"
    r"confirm (?:that )?you(?:'| a)re (?:a )?(?:human|not a robot)|complete the (?:captcha|security check)|"
    r"unusual traffic from your|automated (?:access|requests|queries)|i(?:'| a)m not a robot|press (?:and|&) hold|"
    r"needs to review the security of your connection",
    re.IGNORECASE,
)
_NOT_FREE: Final = re.compile(r"[\"']isAccessibleForFree[\"']\s*:\s*[\"']?(?:false|no)\b", re.IGNORECASE)
_PAYWALL: Final = re.compile(
    r"subscribe (?:now |today )?to (?:continue|keep|read|unlock)|(?:continue|keep) reading (?:with|by|for)\b|"
    r"(?:for|to) subscribers? only|subscribers[- ]only|exclusive (?:to|for) subscribers|"
    r"already a (?:subscriber|member)\?|"
    r"to continue reading|to read the (?:full|rest|whole)|this (?:article|content|story) is (?:reserved )?for "
    r"(?:paying |our )?(?:subscribers|members)|unlock this article|you have reached your (?:limit|monthly)|"
    r"purchase (?:access|this article|pdf)|rent or buy|get full access|access through your institution|"
    r"create a free account to (?:continue|read)|jetzt weiterlesen mit|r[ée]serv[ée] aux abonn[ée]s|"
    r"contenido exclusivo para suscriptores",
    re.IGNORECASE,
)
_CONSENT_HOST: Final = re.compile(r"^consent\.|^guce\.|^privacy-mgmt\.|^cookiewall\.", re.IGNORECASE)
_CONSENT: Final = re.compile(
    r"before you continue|we (?:value|care about) your privacy|(?:accept|agree to|reject|manage) (?:all )?cookies|"
    r"accept all|consent to (?:the use of )?cookies|our partners (?:store|use|process)|cookie[- ]einstellungen|"
    r"alle akzeptieren|tout accepter|aceptar todo",
    re.IGNORECASE,
)
_SCRIPT: Final = re.compile(
    r"(?:enable|turn on|requires?|activate|need|without) java ?script|java ?script (?:is|must be|to be|has been) "
    r"(?:disabled|enabled|required|not)|browser (?:is|does) not support",
    re.IGNORECASE,
)
_NOT_FOUND: Final = re.compile(
    r"^\W*404(?:\W|$)|(?:error|http) 404|404 (?:error|not found|page)|"
    r"(?:page|document|article|file|content|site|url)s? (?:was |is |could |can |has )?(?:not|no longer|n.t)"
    r"(?: be| been)? (?:found|available|exist)|(?:^|\W)not found(?:\W|$)|page (?:doesn.t|does not) exist|"
    r"nothing (?:was )?found here|"
    r"seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouv)|p[áa]gina no (?:encontrada|existe)|"
    r"pagina non trovata|ページが見つかりません|页面不存在|找不到页面",
    re.IGNORECASE,
)


class PageSigns(NamedTuple):
    """The parts of a page that show whether it is a page or an obstacle."""

    host: str
    title: str
    """The text of its `<title>`."""
    heading: str
    """The first heading."""
    text: str
    """The main text."""
    whole: str
    """All text, including what is shown without scripts."""
    markup: str
    """The markup as received."""


def find_page_obstacle(seen: PageSigns) -> str:
    """Return why the page may not be quoted, for "<address>: <reason>"; empty if it may."""
    length = len(seen.text)
    if _CONSENT_HOST.search(seen.host):
        return "it asks for a consent first"
    if length < LITTLE_CHARACTERS and (reason := _in_place_of(seen)):
        return reason
    if length < TEASER_LEAST_CHARACTERS and is_behind_paywall(seen):
        return "it is behind a paywall"
    if not seen.text:
        return "there is no text in it"
    if length < LEAST_CHARACTERS and len(seen.markup) > SMALL_MARKUP:
        return "there is hardly any text in it"
    return ""


def is_behind_paywall(seen: PageSigns) -> bool:
    """Whether the page says that it shows only a part to those who have not paid."""
    length = len(seen.text)
    if _NOT_FREE.search(seen.markup):
        return True
    if length < TEASER_CHARACTERS and _PAYWALL.search(seen.text[-LITTLE_CHARACTERS:]):
        return True
    return length < LITTLE_CHARACTERS and _PAYWALL.search(seen.whole) is not None


def _in_place_of(seen: PageSigns) -> str:
    """Return the kind of obstacle that a page with little text is; empty if it is the page itself."""
    shown = f"{seen.text}\n{seen.whole[:LITTLE_CHARACTERS]}"
    if _BOT_TITLE.search(seen.title) or _BOT_WORDS.search(shown):
        return "it asks whether a person is there (a bot check)"
    if len(seen.text) < FRAME_CHARACTERS and _BOT_MARK.search(seen.markup):
        return "it asks whether a person is there (a bot check)"
    if _NOT_FOUND.search(seen.title) or _NOT_FOUND.search(seen.heading):
        return "it says that there is no such page, though with status 200"
    if len(seen.text) < FRAME_CHARACTERS:
        if _CONSENT.search(shown):
            return "it asks for a consent first"
        if _SCRIPT.search(shown) or (not seen.whole.strip() and "<script" in seen.markup.lower()):
            return "it is made by scripts, which are not run"
    return ""
