"""What the page of an error offers: a list that its reader may see and that is not what failed."""

import pytest

from elcano.doors.page.rendering import NAVIGATION, load_template

PROBLEM = {"status": 403, "title": "Not allowed", "detail": "", "errors": ()}


@pytest.mark.parametrize(
    ("here", "hidden", "path", "words"),
    [
        ("/graphs/none", "", "/graphs", "All graphs"),
        ("/graphs/none", "/graphs", "/runs", "All runs"),
        ("/graphs", "", "/runs", "All runs"),
        ("/tables/none", "", "/tables", "All tables"),
        ("/schedules/none", "/schedules", "/runs", "All runs"),
        ("/knowledge/none", "", "/runs", "All runs"),
        ("/graphsnone", "", "/runs", "All runs"),
    ],
)
def test_the_button_leads_to_a_list_that_can_be_seen(here: str, hidden: str, path: str, words: str) -> None:
    page = load_template("error.html").render(
        root="",
        url=str,
        static=str,
        here=here,
        navigation=[place for place in NAVIGATION if place.path != hidden],
        version="1",
        session=None,
        problem=PROBLEM,
    )
    assert f'<a class="button" href="{path}">{words}</a>' in page
    assert page.count('class="button"') == 1
