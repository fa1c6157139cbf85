"""Default answers of Elcano's agents when none are scripted: plain, short, and true to the given task envelope.

A run with these answers searches each source once, is complete in its second iteration, and cites every passage that it
found.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import Claim
from elcano.graphs.text import ensure_list

_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Letters for digits: a number would have to stand in what the claim quotes."""
_WORDS = ("report", "passage", "source", "evidence", "question", "answer", "section", "finding", "claim", "quote")


def build_plain_answer(task: TaskEnvelope) -> JsonObject:
    """Build the answer to `task`, in the form that its agent requires.

    Raises:
        LookupError: it is the task of an agent that is not known here; script an answer for it.
    """
    if (answer := _ANSWERS.get(task.kind)) is None:
        raise LookupError(f"nothing is scripted for the agent {task.kind!r}, and there is no plain answer for it")
    return answer(task)


def _answer_as_editor(task: TaskEnvelope) -> JsonObject:
    """The report as it was."""
    report = task.given["report"]
    assert isinstance(report, dict), "the report to change"
    parts = ("introduction", "key_findings", "disputed", "strength", "conclusion", "limitations")
    sections = (one for one in ensure_list(report.get("sections")) if isinstance(one, dict))
    headed: list[Json] = [{"heading": one["heading"], "text": one.get("claims")} for one in sections]
    return {"title": report["title"], "sections": headed, **{name: report[name] for name in parts if name in report}}


def _choose_speaker(task: TaskEnvelope) -> JsonObject:
    """Give the turns of a team to the searcher, the hypothesizer, the judge and the reporter."""
    team = ("searcher", "hypothesizer", "judge", "reporter")
    speaker = team[min(task.iteration, len(team)) - 1]
    said: JsonObject = {
        "request_satisfied": speaker == "reporter",
        "in_loop": False,
        "progress": True,
        "next_speaker": speaker,
        "instruction": task.question[:300],
    }
    return {name: {"answer": answer, "reason": f"Round {task.iteration}."} for name, answer in said.items()}


def _report_first_rows(task: TaskEnvelope) -> JsonObject:
    """Report the first row of each result of a database."""
    keys = [
        str(one["key"]) for one in ensure_list(task.given.get("results")) if isinstance(one, dict) and one.get("rows")
    ]
    citations: list[Json] = [{"evidence": key, "quote": "Row 1", "mark": key} for key in keys]
    title = task.question[:300]
    if not keys:
        return {"title": title, "answered": False, "limitations": ["There is no result."]}
    text = " ".join(f"It stands in the results [{key}]." for key in keys)
    return {"title": title, "introduction": text, "citations": citations}


def _fill_texts(task: TaskEnvelope) -> JsonObject:
    """The first passage for each text of a form; nothing for the rest."""
    schema = task.given.get("output_schema")
    asked = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(asked, dict) or not task.evidence:
        return {}
    quote = task.evidence[0].text[:200]
    filled: JsonObject = {"value": quote, "citations": [{"evidence": task.evidence[0].key, "quote": quote}]}
    return {name: filled for name, one in asked.items() if isinstance(one, dict) and one.get("type") == "string"}


def build_cited_claim(passage: EvidenceItem) -> Json:
    """Build a claim that quotes the whole of one passage, up to 2,000 characters.

    It names the passage by its text: a key depends on which of several searches was over first.
    """
    name = sha256(passage.text.encode()).hexdigest()[:6].translate(_LETTERS)
    return {
        "text": f"Passage {name} speaks of it.",
        "citations": [{"evidence": passage.key, "quote": passage.text[:2_000]}],
    }


def generate_prose(words: int) -> str:
    """Generate a text of this many words, the same at every call, in sentences of ten."""
    said = [_WORDS[(place * 7 + place // 10) % len(_WORDS)] for place in range(words)]
    sentences = [" ".join(said[first : first + 10]).capitalize() + "." for first in range(0, words, 10)]
    return " ".join(sentences)


def _dump_claim(claim: Claim) -> Json:
    return claim.model_dump(mode="json")


def _list_claims(task: TaskEnvelope) -> list[Json]:
    """The claims of the drafts of all sections; without any, a claim for each passage that has a text."""
    drafted = [_dump_claim(claim) for section in task.sections for claim in section.claims]
    return drafted or [build_cited_claim(passage) for passage in task.evidence if passage.text]


def _support_all(task: TaskEnvelope) -> JsonObject:
    shown = [one for name in ("statements", "tables") for one in ensure_list(task.given.get(name))]
    return {"verdicts": [{"id": one.get("id"), "support": "supported"} for one in shown if isinstance(one, dict)]}


def _answer_as_writer(task: TaskEnvelope) -> JsonObject:
    return {"title": task.question[:300], "key_findings": [build_cited_claim(passage) for passage in task.evidence]}


_ANSWERS: Final[Mapping[str, Callable[[TaskEnvelope], JsonObject]]] = {
    "thinking": lambda task: {"thought": f"Turn {task.iteration}: {len(task.evidence)} passages."},
    "knowledge_gap": lambda task: {
        "research_complete": task.iteration > 1,
        "outstanding_gaps": [] if task.iteration > 1 else [task.question[:300]],
    },
    "tool_selector": lambda task: {
        "tasks": [{"source": source.name, "query": task.question[:300]} for source in task.sources]
    },
    # The evidence is never sufficient, and a team's draft is from its second sub-iteration on.
    "judge": lambda task: {
        "sufficient": False,
        "confidence": 0.5,
        "recommendation": "continue",
        "reasoning": "Not yet.",
    },
    "team_judge": lambda task: {
        "sufficient": task.iteration > 1,
        "feedback": "" if task.iteration > 1 else f"Say more of {task.question[:300]}",
    },
    "input_parser": lambda task: {
        "original_query": task.question,
        "improved_query": task.question,
        "research_mode": "iterative",
    },
    "planner": lambda task: {
        "report_title": task.question[:300],
        "report_outline": [{"title": "The answer", "key_question": task.question[:1_000]}],
    },
    "writer": _answer_as_writer,
    "drafter": _answer_as_writer,
    "long_writer_section": lambda task: {"text": _list_claims(task)},
    "long_writer_summary": lambda task: {
        "key_findings": [_dump_claim(claim) for section in task.written for claim in section.claims][:8]
    },
    "proofreader": lambda task: {
        "title": task.question[:300],
        "sections": [{"heading": one.title, "text": list(map(_dump_claim, one.claims))} for one in task.sections],
    },
    "reviewer": _support_all,
    "editor": _answer_as_editor,
    "form_filler": lambda task: {"answer": _fill_texts(task)},
    "analyst": lambda task: {"measurements": []},
    "clarifier": lambda task: {"questions": []},
    "reviser": lambda task: {"blocks": []},
    "updater": lambda task: {"blocks": []},
    "splitter": lambda task: {"reason": "It is one question."},
    "sql_writer": lambda task: {
        "decision": "refused",
        "explanation": "No query is scripted for this question.",
    },
    "sql_repairer": lambda task: {"explanation": "No other query is scripted."},
    "data_writer": _report_first_rows,
    "task_ledger": lambda task: {
        "given": [task.question[:300]],
        "plan": ["searcher: search", "judge: judge", "reporter: report"],
    },
    "progress_ledger": _choose_speaker,
    "hypothesizer": lambda task: {
        "hypotheses": [
            {"statement": "It is so.", "supports": [passage.key for passage in task.evidence[:1]]},
            {"statement": "It is not so."},
        ]
    },
}
