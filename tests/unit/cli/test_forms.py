"""Every form of a report that the API serves has its name on the command line."""

from typing import get_args

from elcano.api.reports.routes import HTML, JSON, MARKDOWN
from elcano.cli.options import Form
from elcano.graphs.references.export_formats import FORMS, NAMES


def test_forms_have_names() -> None:
    choices, *_ = get_args(Form)
    assert set(get_args(choices)) == set(NAMES)
    assert set(NAMES.values()) == {MARKDOWN, HTML, JSON, *FORMS}
