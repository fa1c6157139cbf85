"""What stands in the way of a page is told from pages that only mention it."""

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.web.content_kind import LITTLE_CHARACTERS, SMALL_MARKUP
from elcano.subjects.web.extraction import BEHIND_PAYWALL, HTML_BYTES, Page, Request, extract_page
from tests.loopback import recorded
from tests.unit.subjects.web.site import FILLER, html

URL = "https://a.example/b/c"
LONG = [f"{FILLER} Watch {number}." for number in range(12)]


def taken(markup: str | bytes, url: str = URL) -> Page:
    return extract_page(Request(".html", url), markup.encode() if isinstance(markup, str) else markup)


BOT_CHECKS = [
    html("Enable JavaScript and cookies to continue", title="Just a moment..."),
    html(
        "Checking if the site connection is secure. a.example needs to review the security of your connection.", FILLER
    ),
    html("Please complete the CAPTCHA below so that we know you are no machine.", FILLER, title="Security Check"),
    html(FILLER, title="Access to this page has been denied"),
    html("Our systems have detected unusual traffic from your computer network.", FILLER, title="Sorry"),
    html("Press & hold to confirm you are a human (and not a bot).", FILLER, title="a.example"),
    html("One moment.", body="<script src='/cdn-cgi/challenge-platform/h/b/orchestrate'></script>"),
    html("One moment.", body="<div class='g-recaptcha'></div>"),
    html("Loading", title="Making sure you're not a bot!"),
]
PAYWALLS = [
    html(FILLER, "Subscribe to continue reading."),
    html("The first words.", "This article is for subscribers only. Log in or subscribe."),
    html(FILLER, "Already a subscriber? Log in here to read on."),
    html(FILLER, "To continue reading, create an account."),
    html(FILLER, "Dieser Text: jetzt weiterlesen mit unserem Abo."),
    html(FILLER, head='<script type="application/ld+json">{"isAccessibleForFree": false}</script>'),
    html(FILLER, head="<script type='application/ld+json'>{'isAccessibleForFree' : \"False\"}</script>"),
]
TEASERS = [
    html(FILLER, FILLER + ".", "This article is for subscribers only. Log in or subscribe."),
    html(*LONG, head='<script type="application/ld+json">{"isAccessibleForFree": false}</script>'),
    html(FILLER, FILLER, body="<p>Already a subscriber? Log in.</p>"),
]
CONSENTS = [
    html("Before you continue to our pages, choose what we may store.", title="Welcome"),
    html("We value your privacy. We and our partners store cookies.", body="<button>Accept all</button>"),
]
SCRIPTS = [
    "<!doctype html><title>App</title><div id=root></div><script src=/app.js></script>",
    "<!doctype html><title>App</title><noscript>You need to enable JavaScript to run it.</noscript><div id=root></div>",
    html("JavaScript is disabled. This page is made by it.", title="App"),
]
NOT_FOUND = [
    html("The page you wanted has gone.", FILLER, title="404 - Page not found"),
    html(FILLER, title="Page Not Found | a.example"),
    html("Leider weg.", FILLER, title="Seite nicht gefunden"),
    html("Lo sentimos.", FILLER, title="Página no encontrada"),
    html("申し訳ありません。", FILLER, title="ページが見つかりません"),
    html(FILLER, title="This article is no longer available"),
]
EMPTY = [
    "<!doctype html><title>Nothing</title><body></body>",
    html("Loading", head=f"<script>{'x' * SMALL_MARKUP}</script>", title=""),
    "<!doctype html>",
]


@pytest.mark.parametrize(
    ("markup", "reason"),
    [
        *((markup, "bot check") for markup in BOT_CHECKS),
        *((markup, "paywall") for markup in PAYWALLS),
        *((markup, "consent") for markup in CONSENTS),
        *((markup, "made by scripts") for markup in SCRIPTS),
        *((markup, "though with status 200") for markup in NOT_FOUND),
        *((markup, "text in it") for markup in EMPTY),
    ],
)
def test_they_are_not_quoted(markup: str, reason: str) -> None:
    with pytest.raises(FileSkipped, match=reason):
        taken(markup)


@pytest.mark.parametrize("markup", TEASERS)
def test_the_beginning_of_an_article_behind_a_paywall_is_read_and_the_rest_is_a_gap(markup: str) -> None:
    document = taken(markup).document
    assert FILLER in document.text
    assert document.gaps == (BEHIND_PAYWALL,)


@pytest.mark.parametrize("markup", [html("Short."), "plain words"])
def test_a_page_as_small_as_it_looks_is_read(markup: str) -> None:
    assert taken(markup).document.text


def test_a_recorded_bot_check() -> None:
    reply = recorded("web_pages/pdf_url_answers_bot_challenge.html")
    assert isinstance(reply.body, bytes)
    with pytest.raises(FileSkipped, match="bot check"):
        taken(reply.body, "https://www.pnas.org/doi/10.1073/pnas.2307803120")


def test_a_host_of_consents() -> None:
    with pytest.raises(FileSkipped, match="consent"):
        taken(html(*LONG), "https://consent.a.example/m?continue=x")


@pytest.mark.parametrize(
    "markup",
    [
        html(*LONG, title="How CAPTCHAs work: just a moment of history", body="<div class='g-recaptcha'></div>"),
        html("Complete the CAPTCHA: three words that all know.", *LONG, title="Robot check, an essay"),
        html(*LONG, body="<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"),
        html(
            "Newspapers ask to subscribe to continue reading.",
            *[f"{part} {FILLER}" for part in LONG],
            title="On paywalls",
        ),
        html(*LONG, body="<div>We value your privacy <button>Accept all cookies</button></div>"),
        html(*LONG, head='<script type="application/ld+json">{"isAccessibleForFree": true}</script>'),
        html("The server answers 404 when there is no page.", *LONG, title="HTTP 404, explained: page not found"),
        html(FILLER, FILLER + " Ever.", title="Peugeot 404"),
        html(*LONG, body="<noscript>Please enable JavaScript</noscript>"),
        html(FILLER, title="A short page"),
    ],
)
def test_pages_that_only_mention_it_are_read(markup: str) -> None:
    assert FILLER[:60] in taken(markup).document.text


def test_what_is_little_is_less_than_the_shortest_articles_here() -> None:
    assert len(taken(html(*LONG)).document.text) > LITTLE_CHARACTERS


def test_a_huge_page_is_left_out_before_it_is_read() -> None:
    with pytest.raises(FileSkipped, match="larger than 5 MB"):
        taken(b"<p>" + b"x" * HTML_BYTES)
