"""Why a run ended that did not say so itself."""

import pytest
from pydantic import BaseModel, ValidationError
from temporalio.exceptions import ApplicationError

from elcano.service.runs.endings import _describe_cause


class Answer(BaseModel):
    output: int


def test_a_result_of_the_wrong_form_is_described_on_one_line_without_addresses() -> None:
    with pytest.raises(ValidationError) as wrong:
        Answer.model_validate({})
    described = _describe_cause(ApplicationError(str(wrong.value), type="ValidationError"))
    assert described.startswith(
        "Temporal has a result that does not have its form: 1 validation error for Answer output"
    )
    assert "https" not in described
    assert _describe_cause(ApplicationError("a\x07b\n c")) == "a b c"
