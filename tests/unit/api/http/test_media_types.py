"""The form of an answer: the one that a client likes best, as its `Accept` says."""

import pytest

from elcano.api.http.errors import NotAcceptable
from elcano.api.http.request_guards import choose_media_type

OFFERS = ("application/json", "text/html")


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("text/*", "text/html"),
        ("text/html;q=0.2, application/json;q=0.1", "text/html"),
        ("text/html, application/json", "application/json"),
        ("*/*, application/json;q=0", "text/html"),
        ("application/json;q=\u00b2, text/html;q=0.1", "text/html"),
    ],
)
def test_the_form_that_is_liked_best_is_chosen(accept: str | None, chosen: str) -> None:
    assert choose_media_type(accept, OFFERS) == chosen


@pytest.mark.parametrize("accept", ["image/png", "text/html;q=0", "text/html;q=high", "text/html;q=\u00b2"])
def test_without_one_that_is_accepted_the_request_is_refused(accept: str) -> None:
    with pytest.raises(NotAcceptable, match="application/json or text/html"):
        choose_media_type(accept, OFFERS)
