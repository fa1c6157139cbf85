"""The rules that a run goes by: what its way depends on, under a number that is chosen when it starts.

A run that is replayed has to take the way that it took, also by a program that would choose another one today. So each
figure that decides which command comes next is read from the rules of the run, never from a constant. Whoever changes
one gives `RULES` a new last entry and leaves the others as they are; where not a figure but code changes, the old code
stays behind `run.rules < n`. `CONTRIBUTING.md` lists what is meant by that.
"""

from typing import Final

from elcano.graphs.frozen import Frozen


class AgentFigures(Frozen):
    """The tokens that an agent's call takes, for estimates."""

    output_tokens: int
    evidence_tokens: int = 0


class Rules(Frozen):
    """Figures that runs go by."""

    stall_iterations: int = 1
    """Number of iterations in a row without a new passage that make a stall."""
    breaker_failures: int = 3
    """Number of failures in a row that open the circuit breaker: of one source, or of the sections of one parallel
    node."""

    characters_per_token: int = 4
    """The usual rule of thumb for English text and the common tokenizers."""
    prompt_tokens: int = 800
    """Instructions and output schema of one agent call."""
    search_tokens: int = 2_000
    """The size of one search's results: eight passages of a thousand characters."""
    section_tokens: int = 1_500
    """One section of a report, with its quotes: the estimate for its draft, and for rewriting it."""
    section_passages: int = 4_000
    """The most that the passages take which a section is written in view of."""
    so_far_tokens: int = 3_000
    """Tokens of the preceding report that the writer of a section sees."""
    summary_tokens: int = 16_000
    """Tokens of the whole report that the writer of its summary sees."""
    summary_answer_tokens: int = 1_500
    """Key findings and limitations."""
    agents: dict[str, AgentFigures] = {}
    """For older rules: the figures of agents whose definition has others today."""

    max_items: int = 200
    """Items of one `for_each`: each is an activity or a child workflow, and Temporal allows 2,000 pending ones."""
    hidden_tokens: int = 2_500
    """Hidden reasoning assumed per call, for a plan that is made before the run knows better."""
    writing_evidence: float = 0.2
    """The share of the limit of tokens that the passages may take which a report is written from."""
    least_writing_evidence: int = 4_000
    """Minimum tokens of passages for writing a report, however small that share is."""
    section_searches: int = 2
    """Number of searches that a plan must be able to pay for in each of its sections, or it is cut."""

    shortest_seconds: float = 5.0
    """A branch with less time than this is not started."""
    writing_share: float = 0.95
    """A branch gets this share of the remaining time, so that it has ended by itself before its run abandons it."""

    state_bytes: int = 8_000_000
    """Maximum size of a state, as `weight` counts it: some 8,000 passages."""
    waiting_work: int = 200_000
    """Units that the expressions of nodes without calls may use between two calls, some tenths of a second: all of that
    is one workflow task, which Temporal gives two seconds."""
    evaluation_work: int = 40_000
    """Units of one evaluation: a filter over 6,000 passages. A unit takes about half a microsecond, at worst one."""
    step_work: int = 80_000
    """Units of all evaluations of one step together."""
    result_bytes: int = 4_000_000
    """The most that an expression may build, and give, as `weight` counts it."""
    step_result_bytes: int = 8_000_000
    """Maximum size of the results of all expressions of one step together: they are sent to the code that performs the
    step."""
    jmespath: str = "1.1"
    """The version of the library that evaluates them."""


RULES: Final[list[Rules]] = [Rules()]
"""The rules by number, from 1. Released entries never change: runs in flight use them."""


def get_newest_rules_number() -> int:
    """The number of the rules that runs start with now."""
    return len(RULES)


def get_rules(number: int | None = None) -> Rules:
    """The rules of this number; without one the newest.

    Raises:
        IndexError: a newer program started the run; workers of this version cannot lead it.
    """
    wanted = get_newest_rules_number() if number is None else number
    if not 1 <= wanted <= get_newest_rules_number():
        text = (
            f"this run goes by rules {wanted}, and this program knows {get_newest_rules_number()}: "
            "start a worker of a newer version"
        )
        raise IndexError(text)
    return RULES[wanted - 1]


CHARACTERS_PER_TOKEN: Final = get_rules().characters_per_token
PROMPT_TOKENS: Final = get_rules().prompt_tokens
SECTION_PASSAGES: Final = get_rules().section_passages
SO_FAR_TOKENS: Final = get_rules().so_far_tokens
SUMMARY_TOKENS: Final = get_rules().summary_tokens
SUMMARY_ANSWER_TOKENS: Final = get_rules().summary_answer_tokens
