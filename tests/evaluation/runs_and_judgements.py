"""Random rankings and judgements for property tests, and small ones that a reader can check by hand."""

from __future__ import annotations

from hypothesis import strategies as st

from sparse_coverage.evaluation.collection import Ranking, Relevance

DOCUMENTS = [f"d{number}" for number in range(30)]


@st.composite
def document_cases(draw: st.DrawFn) -> tuple[Relevance, Ranking]:
    """A ranking of some documents, and grades of others, at least one of them relevant."""
    ranked = draw(st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=30))
    grades = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1, max_size=15))
    grades[draw(st.sampled_from(DOCUMENTS))] = draw(st.integers(1, 4))
    return Relevance(grades), Ranking(tuple(ranked), tuple(float(-n) for n in range(len(ranked))))


@st.composite
def passage_cases(draw: st.DrawFn) -> tuple[Relevance, Ranking]:
    """Passages of a few documents in some order; relevant ones among them, some not in the corpus at all."""
    held = [f"{doc}/p[{n}]" for doc in "ABCDE" for n in range(1, 7)]
    ranked = draw(st.permutations(held))[: draw(st.integers(0, len(held)))]
    judged = draw(st.lists(st.sampled_from([*held, "A/p[99]", "F/p[1]"]), unique=True, min_size=1, max_size=12))
    passages: dict[str, set[str]] = {}
    for passage in judged:
        passages.setdefault(passage.partition("/")[0], set()).add(passage)
    relevance = Relevance(dict.fromkeys(passages, 1), {doc: frozenset(ids) for doc, ids in passages.items()})
    owners = tuple(passage.partition("/")[0] for passage in ranked)
    scores = tuple(float(-n) for n in range(len(ranked)))
    return relevance, Ranking((), (), tuple(ranked), owners, scores)
