"""Scores by the rubric of a field: which count, and what a rubric still asks for."""

from collections.abc import Iterable, Mapping, Sequence

from elcano.graphs.state.plan import MOST_PASSAGES
from elcano.graphs.state.rubric import (
    MOST_NAMES,
    NAME_CHARACTERS,
    REASON_CHARACTERS,
    SCALE,
    NameKind,
    NamesFound,
    Rubric,
    RubricScores,
    Score,
)
from elcano.graphs.text import shorten_text


def apply_rubric(
    rubric: Rubric, scores: Iterable[Score], names: Iterable[NamesFound], ids: Mapping[str, str], unscored: str = ""
) -> RubricScores:
    """Check scores and names against `rubric`; `ids` maps the keys of the shown passages to their ids.

    A judge that says why it scores nothing lacks nothing: whether evidence is enough is then judged without the rubric.
    """
    said = list(scores)
    if unscored and not said:
        return RubricScores(rubric=rubric.name, unscored=shorten_text(unscored, REASON_CHARACTERS))
    kept: list[Score] = []
    lacking: list[str] = []
    for kind in rubric.scores:
        given = [one for one in said if _key_from_name(one.name) == kind.name]
        sound = next((one for one in given if 0 <= one.score <= SCALE), None)
        if sound is None:
            off = f"{kind.name} has the score {given[0].score:g}, off the scale of 0 to {SCALE}" if given else ""
            lacking.append(off or f"{kind.name} has no score")
            continue
        kept.append(_by_ids(sound, kind.name, ids))
        if sound.score < kind.least:
            lacking.append(f"{kind.name} has {sound.score:g} of the {kind.least} that it needs")
    total = sum(one.score for one in kept)
    if total < rubric.least_total:
        lacking.append(f"the scores make {total:g} of the {rubric.least_total} that are needed")
    found = _collect_names(rubric.names, list(names))
    counts = {one.kind: len(one.names) for one in found}
    for name in rubric.names:
        if counts.get(name.name, 0) < name.least:
            lacking.append(f"{counts.get(name.name, 0)} of {name.least} {name.name} are named")
    return RubricScores(rubric=rubric.name, scores=tuple(kept), names=found, lacking=tuple(lacking))


def _collect_names(kinds: Sequence[NameKind], said: Sequence[NamesFound]) -> tuple[NamesFound, ...]:
    """Names of the kinds that there are, each once, none empty."""
    found = []
    for kind in kinds:
        all_names = (
            " ".join(name.split()) for one in said if _key_from_name(one.kind) == kind.name for name in one.names
        )
        once: dict[str, str] = {}
        for name in filter(None, all_names):
            once.setdefault(name.casefold(), shorten_text(name, NAME_CHARACTERS))
        if once:
            found.append(NamesFound(kind=kind.name, names=tuple(once.values())[:MOST_NAMES]))
    return tuple(found)


def _by_ids(score: Score, name: str, ids: Mapping[str, str]) -> Score:
    evidence = tuple(dict.fromkeys(ids[key] for key in score.evidence if key in ids))[:MOST_PASSAGES]
    reason = shorten_text(" ".join(score.reason.split()), REASON_CHARACTERS)
    return score.model_copy(update={"name": name, "reason": reason, "evidence": evidence})


def _key_from_name(name: str) -> str:
    """A name as a model may spell it: `Clinical evidence` for `clinical_evidence`."""
    return "_".join(name.casefold().replace("-", " ").replace("_", " ").split())
