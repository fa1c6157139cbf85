"""Every form of a report that the API serves has its name on the command line."""

from typing import get_args

from elcano.api.reports.routes import HTML, JSON, MARKDOWN
from elcano.cli.options import Form
from elcano.cli.reports import MEDIA_TYPES
from elcano.service.reports.bibliography import FORMS


def test_forms_have_names() -> None:
    choices, *_ = get_args(Form)
    assert set(get_args(choices)) == set(MEDIA_TYPES)
    assert set(MEDIA_TYPES.values()) == {MARKDOWN, HTML, JSON, *FORMS}
