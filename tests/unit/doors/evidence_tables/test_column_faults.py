"""A fault of a column is shown at that column, whatever the others are called."""

import pytest

from elcano.doors.evidence_tables.table_request import TableRequest, _place_fault
from elcano.service.errors import FieldFault

COLUMNS = [{"name": name, "question": f"What of {name}?"} for name in ("Dose", "Dose per day", "Dose.unit")]


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ("output_schema.properties.Dose", "columns.0"),
        ("output_schema.properties.Dose.description", "columns.0"),
        ("output_schema.properties.Dose per day", "columns.1"),
        ("output_schema.properties", "columns"),
        ("documents", "documents"),
    ],
)
def test_a_fault_is_shown_at_its_own_column(field: str, place: str) -> None:
    request = TableRequest.model_validate({"documents": [{"source": "uploads:a"}], "columns": COLUMNS})
    assert _place_fault(FieldFault(field=field, message="is wrong"), request).field == place
