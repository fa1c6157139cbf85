"""Default answers of Elcano's agents when none are scripted: plain, short, and true to the given task envelope.

A run with these answers searches each source once, is complete in its second iteration, and cites every passage that it
found.
"""

from hashlib import sha256

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
    match task.kind:
        case "thinking":
            return {"thought": f"Turn {task.iteration}: {len(task.evidence)} passages."}
        case "knowledge_gap":
            complete = task.iteration > 1
            return {"research_complete": complete, "outstanding_gaps": [] if complete else [task.question[:300]]}
        case "tool_selector":
            searches: list[Json] = [{"source": source.name, "query": task.question[:300]} for source in task.sources]
            return {"tasks": searches}
        case "judge" | "team_judge":
            return _answer_as_judge(task)
        case "input_parser":
            return {"original_query": task.question, "improved_query": task.question, "research_mode": "iterative"}
        case "planner":
            outline: list[Json] = [{"title": "The answer", "key_question": task.question[:1_000]}]
            return {"report_title": task.question[:300], "report_outline": outline}
        case "writer" | "drafter":
            return {
                "title": task.question[:300],
                "key_findings": [build_cited_claim(passage) for passage in task.evidence],
            }
        case "long_writer_section":
            drafted = [_dump_claim(claim) for section in task.sections for claim in section.claims]
            return {"text": drafted or [build_cited_claim(passage) for passage in task.evidence if passage.text]}
        case "long_writer_summary":
            return {"key_findings": [_dump_claim(claim) for section in task.written for claim in section.claims][:8]}
        case "proofreader":
            sections: list[Json] = [
                {"heading": section.title, "text": list(map(_dump_claim, section.claims))} for section in task.sections
            ]
            return {"title": task.question[:300], "sections": sections}
        case (
            "reviewer"
            | "editor"
            | "updater"
            | "clarifier"
            | "reviser"
            | "form_filler"
            | "analyst"
            | "splitter"
            | "sql_writer"
            | "sql_repairer"
            | "data_writer"
        ):
            return _answer_as_checker(task)
        case _:
            return _of_team(task)


def _answer_as_editor(task: TaskEnvelope) -> JsonObject:
    """The report as it was."""
    report = task.given["report"]
    assert isinstance(report, dict), "the report to change"
    parts = ("introduction", "key_findings", "disputed", "strength", "conclusion", "limitations")
    sections = (one for one in ensure_list(report.get("sections")) if isinstance(one, dict))
    headed: list[Json] = [{"heading": one["heading"], "text": one.get("claims")} for one in sections]
    return {"title": report["title"], "sections": headed, **{name: report[name] for name in parts if name in report}}


def _of_team(task: TaskEnvelope) -> JsonObject:
    """Answer for a manager: the turns of the searcher, the hypothesizer, the judge and the reporter."""
    if task.kind == "task_ledger":
        return {"given": [task.question[:300]], "plan": ["searcher: search", "judge: judge", "reporter: report"]}
    if task.kind == "hypothesizer":
        keys: list[Json] = [passage.key for passage in task.evidence[:1]]
        return {"hypotheses": [{"statement": "It is so.", "supports": keys}, {"statement": "It is not so."}]}
    if task.kind != "progress_ledger":
        raise LookupError(f"nothing is scripted for the agent {task.kind!r}, and there is no plain answer for it")
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


def _of_tables(task: TaskEnvelope) -> JsonObject:
    """Answer for agents over databases: write no query, and report the first row of each result."""
    match task.kind:
        case "splitter":
            return {"reason": "It is one question."}
        case "sql_writer":
            return {"decision": "refused", "explanation": "No query is scripted for this question."}
        case "sql_repairer":
            return {"explanation": "No other query is scripted."}
    keys = [
        str(one["key"]) for one in ensure_list(task.given.get("results")) if isinstance(one, dict) and one.get("rows")
    ]
    citations: list[Json] = [{"evidence": key, "quote": "Row 1", "mark": key} for key in keys]
    title = task.question[:300]
    if not keys:
        return {"title": title, "answered": False, "limitations": ["There is no result."]}
    text = " ".join(f"It stands in the results [{key}]." for key in keys)
    return {"title": title, "introduction": text, "citations": citations}


def _answer_as_judge(task: TaskEnvelope) -> JsonObject:
    """Judge the evidence never sufficient, and a team's draft sufficient from its second sub-iteration on."""
    if task.kind == "team_judge":
        good = task.iteration > 1
        return {"sufficient": good, "feedback": "" if good else f"Say more of {task.question[:300]}"}
    return {"sufficient": False, "confidence": 0.5, "recommendation": "continue", "reasoning": "Not yet."}


def _answer_as_checker(task: TaskEnvelope) -> JsonObject:
    """Support all statements, change no report or doubted block, ask and read nothing, fill in the texts of forms."""
    if task.kind in ("splitter", "sql_writer", "sql_repairer", "data_writer"):
        return _of_tables(task)
    if task.kind == "form_filler":
        return {"answer": _fill_texts(task)}
    if task.kind == "analyst":
        return {"measurements": []}
    if task.kind in ("reviser", "clarifier", "updater"):
        return {"questions" if task.kind == "clarifier" else "blocks": []}
    if task.kind == "editor":
        return _answer_as_editor(task)
    shown = [one for name in ("statements", "tables") for one in ensure_list(task.given.get(name))]
    return {"verdicts": [{"id": one.get("id"), "support": "supported"} for one in shown if isinstance(one, dict)]}


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
