from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparse_coverage.errors import InputError
from sparse_coverage.evaluation.collection import Ranking
from sparse_coverage.evaluation.trec import read_qrels, read_run, read_topics, write_passage_run, write_run

TOPICS = """<top>
<num> Number: 301
<title> International organized crime
<desc> Description:
Which organizations do it?
<narr> Narrative:
Any.
</top>

<top>
<num>302</num>
<title>Poliomyelitis</title>
<desc>Is it under control?</desc>
</top>
"""


def test_topics_in_blocks(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text(TOPICS, encoding="utf-8")
    assert [(q.id, q.text) for q in read_topics(path)] == [
        ("301", "International organized crime"),
        ("302", "Poliomyelitis"),
    ]
    assert read_topics(path, ("title", "desc"))[0].text == "International organized crime Which organizations do it?"


def test_a_title_may_begin_with_the_word_of_a_label(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    titles = ["Number theory", "Topic modelling", "Description: logics", "R&D at AT&amp;T"]
    blocks = [f"<top>\n<num> Number: {n}\n<title> {title}\n</top>\n" for n, title in enumerate(titles)]
    path.write_text("".join(blocks), encoding="utf-8")
    assert [q.text for q in read_topics(path)] == ["Number theory", "Topic modelling", "logics", "R&D at AT&T"]


def test_a_field_ends_where_any_other_begins(tmp_path: Path) -> None:
    """The oldest topics have fields that nobody asks for, and no closing tags."""
    path = tmp_path / "topics"
    fields = ["<num> Number:  051", "<dom> Domain: Economics", "<title> Topic:  Airbus"]
    fields += ["<desc> Description:\nAid.", "<smry> Summary:\nNo."]
    path.write_text("\n".join(["<top>", *fields, "</top>"]), encoding="utf-8")
    [query] = read_topics(path, ("title", "desc"))
    assert (query.id, query.text) == ("051", "Airbus Aid.")


def test_topics_in_lines(tmp_path: Path) -> None:
    path = tmp_path / "topics"
    path.write_text("1\tfirst query\n\n2\tsecond\n", encoding="utf-8")
    assert [q.id for q in read_topics(path)] == ["1", "2"]
    path.write_text("1 no tab here\n", encoding="utf-8")
    with pytest.raises(InputError, match=":1:"):
        read_topics(path)


def test_a_pair_judged_twice_keeps_its_higher_grade(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 a 0\n1 0 a 2\n1 0 a 1\n1 0 b -2\n", encoding="utf-8")
    assert read_qrels(path)["1"].grades == {"a": 2, "b": 0}


@pytest.mark.parametrize("text", ["1 0 a\n", "1 0 a yes\n"])
def test_a_broken_judgement_is_named_by_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "qrels"
    path.write_text("1 0 x 1\n" + text, encoding="utf-8")
    with pytest.raises(InputError, match=":2:"):
        read_qrels(path)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.25000001, 1.5, -3.0, 1e-30]), min_size=1, max_size=12))
def test_the_order_of_a_run_survives_writing_and_sorting_by_score(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.run"
    falling = tuple(sorted(scores, reverse=True))
    documents = tuple(f"d{n}" for n in range(len(falling)))
    write_run(path, {"q": Ranking(documents, falling)}, "test")
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    by_score = sorted(
        lines, key=lambda line: (-float(line[4]), line[2][::-1])
    )  # ties, were there any, would fall otherwise
    assert [line[2] for line in by_score] == list(documents)
    assert len({line[4] for line in lines}) == len(lines)
    assert read_run(path)["q"].documents == documents


def test_unscored_passages_come_below_all_scores(tmp_path: Path) -> None:
    path = tmp_path / "p.run"
    ranking = Ranking((), (), ("a", "b", "c"), ("d", "d", "d"), (0.5, float("-inf"), float("-inf")))
    write_passage_run(path, {"q": ranking}, "test")
    scores = [float(line.split()[4]) for line in path.read_text(encoding="utf-8").splitlines()]
    assert scores[0] == 0.5
    assert scores[0] > scores[1] > scores[2] > float("-inf")


def test_trec_eval_reads_our_runs_as_we_ranked_them(tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    documents = ("b", "a", "c")
    write_run(tmp_path / "a.run", {"q": Ranking(documents, (1.0, 1.0, 1.0))}, "test")
    run = list(ir_measures.read_trec_run(str(tmp_path / "a.run")))
    qrels = [ir_measures.Qrel("q", "b", 1)]
    assert ir_measures.calc_aggregate([ir_measures.RR], qrels, run)[ir_measures.RR] == 1.0


@pytest.mark.parametrize(
    "text", ["q Q0 d 1\n", "q Q0 d one 1.0 t\n", "q Q0 d 1 nan t\n", "q Q0 d 1 2 t\nq Q0 d 2 1 t\n"]
)
def test_a_broken_run_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.run"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_run(path)
