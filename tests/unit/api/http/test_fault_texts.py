"""What is wrong with a field is said to whoever sent JSON: nothing in it is of Python."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from elcano.service.fields import word_fault


def refuse_journal(name: str) -> str:
    raise ValueError(f"{name!r} is no journal: write its name")


class Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1)
    sources: tuple[str, ...] = Field(max_length=1)
    rounds: int = Field(ge=1)
    title: Annotated[str, AfterValidator(str.strip), Field(max_length=3)]
    journal: Annotated[str, AfterValidator(refuse_journal)]


def test_faults_are_worded_for_who_sent_json() -> None:
    sent = {"name": "", "sources": ["a", "b"], "rounds": 0, "title": "long", "journal": "?", "colour": "red"}
    try:
        Form.model_validate(sent)
    except ValidationError as error:
        worded = {fault["loc"][0]: word_fault(fault) for fault in error.errors()}
    assert worded == {
        "name": "must have at least 1 character",
        "sources": "must have at most 1 item, not 2",
        "title": "must have a length of at most 3, not 4",
        "rounds": "must be greater than or equal to 1",
        "journal": "'?' is no journal: write its name",
        "colour": "is not known here",
    }
